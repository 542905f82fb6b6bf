/* SPDX-License-Identifier: BSD-2-Clause */
/* Replies that are longer than a receive buffer, as RMPP brings them, and between them plain ones.
 */
#include "fixture.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HEADER	sizeof(struct ib_user_mad)
#define SEGMENT (MADRING_MAD_BYTES - MADRING_SA_DATA)

static const struct madring_agent_config by_kernel = {
	.rmpp = MADRING_RMPP_KERNEL,
	.timeout_ms = MADRING_FOREVER,
	.window = 256,
	.pin_window = true,
	.flow_window = 256,
	.pin_flow_window = true,
};

/* What the last long reply was. */
static struct {
	struct fixture *fixture;
	unsigned int count;
	int status;
	size_t length;
	bool keep;
	struct madring_mad *kept[8];
	unsigned int kept_count;
} last;

/* What the data of the reply with this seed has at @i. */
static uint8_t byte_at(uint32_t seed, size_t i)
{
	return (uint8_t)((seed + i) * 2654435761u >> 24);
}

static bool is_right(const struct madring_mad *mad, size_t length, uint32_t seed)
{
	const uint8_t *data = (const uint8_t *)madring_mad_data(mad);

	for (size_t i = MADRING_SA_DATA; i < length; i++)
		if (data[i] != byte_at(seed, i))
			return false;
	return true;
}

static void on_long(const struct madring_completion *completion)
{
	last.count++;
	last.status = completion->status;
	last.length = completion->length;
	if (completion->status) {
		assert_null(completion->mad);
		return;
	}
	assert_true(is_right(completion->mad, completion->length,
			     (uint32_t)(uintptr_t)completion->user));
	if (last.keep) {
		assert_int_equal(madring_mad_keep(last.fixture->ring, completion->mad), 0);
		last.kept[last.kept_count++] = completion->mad;
	}
}

static void begin(struct fixture *fixture, const struct madring_config *config)
{
	memset(&last, 0, sizeof(last));
	last.fixture = fixture;
	fixture_open(fixture, config, &by_kernel);
}

/* A request that has reached the far side. */
static struct fake_umad ask(struct fixture *fixture, uint32_t seed)
{
	const struct madring_send_options send = {
		.callback = on_long,
		.user = (void *)(uintptr_t)seed,
	};
	struct fake_umad umad;

	assert_int_equal(madring_send(fixture->agent, fixture_request(fixture, 7, seed), &send), 0);
	while (!fake_take(&umad))
		assert_int_equal(madring_step(fixture->ring), 0);
	return umad;
}

static void put32(uint8_t *where, uint32_t value)
{
	value = htobe32(value);
	memcpy(where, &value, sizeof(value));
}

/* The reply to a request, with @length bytes of MAD; @told is what the umad header says. */
static void answer_as(struct fake_umad *request, size_t length, uint32_t told)
{
	size_t bytes = HEADER + length;
	uint8_t *message = malloc(bytes < FAKE_BYTES ? FAKE_BYTES : bytes);
	uint32_t seed = fixture_mark(request->mad);

	assert_non_null(message);
	fake_make_reply(request);
	request->umad.length = told;
	memcpy(message, request->bytes, FAKE_BYTES);
	message[HEADER + 24] = MADRING_RMPP_VERSION;
	message[HEADER + 25] = MADRING_RMPP_DATA;
	message[HEADER + 26] = MADRING_RMPP_ACTIVE | MADRING_RMPP_FIRST;
	if (length <= (request->mad[0] == 0x80 ? MADRING_LARGE_MAD_BYTES : MADRING_MAD_BYTES))
		message[HEADER + 26] |= MADRING_RMPP_LAST;
	put32(message + HEADER + 28, 1);
	put32(message + HEADER + 32, (uint32_t)length);
	for (size_t i = MADRING_SA_DATA; i < length; i++)
		message[HEADER + i] = byte_at(seed, i);
	fake_send_message(request->lane, message, bytes);
	free(message);
}

static void answer(struct fake_umad *request, size_t length)
{
	answer_as(request, length, (uint32_t)(HEADER + length));
}

static void wait_for(struct fixture *fixture, unsigned int count)
{
	while (last.count < count)
		assert_true(madring_run(fixture->ring, 1000) >= 0);
}

static void test_a_reply_of_any_length(void **state)
{
	static const size_t lengths[] = { 36,
					  MADRING_SA_DATA,
					  MADRING_SA_DATA + 1,
					  255,
					  256,
					  257,
					  MADRING_SA_DATA + 2 * SEGMENT,
					  2048,
					  2049,
					  MADRING_SA_DATA + 7 * SEGMENT - 1,
					  MADRING_SA_DATA + 1000 * SEGMENT,
					  MADRING_SA_DATA + 50000 * 112,
					  MADRING_SA_DATA + 40000 * SEGMENT,
					  16 << 20 };
	struct madring_ring_stats stats;
	struct fixture fixture;
	struct fake_umad umad;

	(void)state;
	begin(&fixture, NULL);
	for (uint32_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		umad = ask(&fixture, i);
		answer(&umad, lengths[i]);
		wait_for(&fixture, i + 1);
		assert_int_equal(last.status, 0);
		assert_int_equal(last.length, lengths[i]);
	}
	madring_stats(fixture.ring, &stats);
	assert_int_equal(stats.pool.message.in_use, 0);
	assert_true(stats.pool.message.peak >= 16 << 20);
	assert_int_equal(stats.malformed, 0);
	fixture_close(&fixture);
}

/* Without RMPP the shorter ones are no MADs. */
static void test_a_short_one_needs_rmpp(void **state)
{
	struct fixture fixture;
	struct madring_ring_stats stats;
	struct fake_umad umad;

	(void)state;
	memset(&last, 0, sizeof(last));
	fixture_open(&fixture, NULL, NULL);
	umad = ask(&fixture, 1);
	answer(&umad, 255);
	for (unsigned int turn = 0; turn < 3; turn++)
		assert_int_equal(madring_step(fixture.ring), 0);
	madring_stats(fixture.ring, &stats);
	assert_int_equal(stats.malformed, 1);
	fixture_close(&fixture);
}

static void test_plain_ones_before_and_behind(void **state)
{
	const struct madring_config config = { .lanes = 1 };
	struct outcomes outcomes = { 0 };
	struct fake_umad plain[100], umad;
	struct fixture fixture;

	(void)state;
	begin(&fixture, &config);
	for (unsigned int round = 1; round <= 3; round++) {
		fixture_send(&fixture, 100, &outcomes);
		for (unsigned int i = 0; i < 100; i++)
			while (!fake_take(&plain[i]))
				assert_int_equal(madring_step(fixture.ring), 0);
		umad = ask(&fixture, round);
		for (unsigned int i = 0; i < 50; i++)
			fake_answer(&plain[i]);
		answer(&umad, MADRING_SA_DATA + 1000 * SEGMENT);
		for (unsigned int i = 50; i < 100; i++)
			fake_answer(&plain[i]);
		fixture_wait(&fixture, &outcomes, 100 * round);
		wait_for(&fixture, round);
		assert_int_equal(last.status, 0);
		assert_int_equal(last.length, MADRING_SA_DATA + 1000 * SEGMENT);
	}
	fixture_close(&fixture);
}

static void test_many_at_once(void **state)
{
	struct fake_umad umad[64];
	struct fixture fixture;

	(void)state;
	begin(&fixture, NULL);
	for (uint32_t i = 0; i < 64; i++)
		umad[i] = ask(&fixture, i);
	for (uint32_t i = 0; i < 64; i++)
		answer(&umad[i], MADRING_SA_DATA + i % 5 * SEGMENT + 10);
	wait_for(&fixture, 64);
	assert_int_equal(last.status, 0);
	fixture_close(&fixture);
}

/* The lane waits until there is room, with what comes behind; the other lanes do not. */
static void test_it_waits_for_room(void **state)
{
	const struct madring_config config = { .lanes = 2, .message_bytes = 1 << 20 };
	struct madring_send_options send = { .callback = on_long };
	struct fake_umad umad, other;
	struct madring_ring_stats stats;
	struct madring_mad *held;
	struct fixture fixture;

	(void)state;
	begin(&fixture, &config);
	held = madring_mad_alloc(fixture.agent, 600000);
	assert_non_null(held);
	umad = ask(&fixture, 1);
	answer(&umad, 500000);
	do {
		assert_int_equal(madring_step(fixture.ring), 0);
		madring_stats(fixture.ring, &stats);
	} while (!stats.pool.message.exhausted);
	/* Two more, which go to the other lane. */
	for (uint32_t i = 0; i < 2; i++) {
		send.user = (void *)(uintptr_t)i;
		assert_int_equal(
			madring_send(fixture.agent, fixture_request(&fixture, 8, i), &send), 0);
	}
	for (unsigned int i = 0; i < 2; i++) {
		while (!fake_take(&other))
			assert_int_equal(madring_step(fixture.ring), 0);
		answer(&other, MADRING_MAD_BYTES);
	}
	wait_for(&fixture, 2);
	for (unsigned int turn = 0; turn < 20; turn++)
		assert_int_equal(madring_step(fixture.ring), 0);
	assert_int_equal(last.count, 2);
	assert_int_equal(last.length, MADRING_MAD_BYTES);
	madring_stats(fixture.ring, &stats);
	assert_true(stats.pool.message.exhausted < 10);
	madring_mad_put(fixture.ring, held);
	wait_for(&fixture, 3);
	assert_int_equal(last.status, 0);
	fixture_close(&fixture);
}

/* A foreign event loop learns that there is room. */
static void test_room_wakes_an_event_loop(void **state)
{
	const struct madring_config config = { .lanes = 1, .message_bytes = 1 << 20 };
	struct madring_mad *held;
	struct fake_umad umad;
	struct pollfd ready = { .events = POLLIN };
	struct fixture fixture;

	(void)state;
	begin(&fixture, &config);
	ready.fd = madring_fd(fixture.ring);
	held = madring_mad_alloc(fixture.agent, 600000);
	umad = ask(&fixture, 1);
	answer(&umad, 500000);
	for (unsigned int turn = 0; turn < 20; turn++)
		assert_int_equal(madring_step(fixture.ring), 0);
	while (poll(&ready, 1, 20))
		assert_int_equal(madring_step(fixture.ring), 0);
	madring_mad_put(fixture.ring, held);
	assert_int_equal(poll(&ready, 1, 10000), 1);
	while (!last.count)
		assert_true(madring_step(fixture.ring) >= 0);
	assert_int_equal(last.status, 0);
	fixture_close(&fixture);
}

static void test_what_never_fits_ends_its_transaction(void **state)
{
	const struct madring_config config = { .lanes = 1, .message_bytes = 64 << 10 };
	struct outcomes outcomes = { 0 };
	struct madring_ring_stats stats;
	struct fixture fixture;
	struct fake_umad umad;

	(void)state;
	begin(&fixture, &config);
	for (unsigned int i = 1; i <= 3; i++) {
		umad = ask(&fixture, i);
		answer(&umad, 100000 * i);
		wait_for(&fixture, i);
		assert_int_equal(last.status, -EMSGSIZE);
	}
	fixture_send(&fixture, 10, &outcomes);
	fixture_finish(&fixture);
	assert_int_equal(outcomes.last_status, 0);
	madring_stats(fixture.ring, &stats);
	assert_int_equal(stats.too_long, 3);
	assert_int_equal(stats.replies, 10);
	assert_int_equal(stats.completed, 13);
	assert_int_equal(stats.send_failed, 0);
	fixture_close(&fixture);
}

/* The limit is what the ring was opened with. */
static void test_more_than_16_mib(void **state)
{
	const struct madring_config config = {
		.lanes = 1,
		.message_bytes = 64 << 20,
		.pin = MADRING_PIN_BEST_EFFORT,
	};
	static const size_t lengths[] = { (16 << 20) + 1, 40 << 20, 50 << 20, 64 << 20 };
	struct fixture fixture;
	struct fake_umad umad;

	(void)state;
	begin(&fixture, &config);
	for (uint32_t i = 0; i < 4; i++) {
		umad = ask(&fixture, i);
		answer(&umad, lengths[i]);
		wait_for(&fixture, i + 1);
		assert_int_equal(last.status, i < 3 ? 0 : -EMSGSIZE);
		assert_int_equal(last.length, i < 3 ? lengths[i] : 0);
	}
	fixture_close(&fixture);
}

/* What nobody waits for any more is taken off the queue just so. */
static void test_nobodys_long_reply(void **state)
{
	const struct madring_config config = { .lanes = 1, .message_bytes = 64 << 10 };
	struct madring_ring_stats stats;
	struct fixture fixture;
	struct fake_umad umad;

	(void)state;
	begin(&fixture, &config);
	for (unsigned int i = 0; i < 2; i++) {
		umad = ask(&fixture, 1);
		madring_agent_cancel(fixture.agent);
		wait_for(&fixture, i + 1);
		answer(&umad, i ? 1000000 : 5000);
	}
	umad = ask(&fixture, 2);
	answer(&umad, 5000);
	wait_for(&fixture, 3);
	assert_int_equal(last.status, 0);
	madring_stats(fixture.ring, &stats);
	assert_int_equal(stats.unmatched, 2);
	assert_int_equal(stats.pool.message.in_use, 0);
	fixture_close(&fixture);
}

static void test_kept_ones_stay(void **state)
{
	const struct madring_config config = { .lanes = 1, .message_bytes = 1 << 20 };
	struct madring_ring_stats stats;
	struct fixture fixture;
	struct fake_umad umad;

	(void)state;
	begin(&fixture, &config);
	last.keep = true;
	for (uint32_t i = 0; i < 4; i++) {
		umad = ask(&fixture, i);
		answer(&umad, 10000 + i);
		wait_for(&fixture, i + 1);
	}
	for (uint32_t i = 0; i < 4; i++) {
		assert_true(is_right(last.kept[i], 10000 + i, i));
		assert_true(madring_mad_room(fixture.ring, last.kept[i]) >= 10000 + i);
		madring_mad_put(fixture.ring, last.kept[i]);
	}
	madring_stats(fixture.ring, &stats);
	assert_int_equal(stats.pool.message.in_use, 0);
	assert_int_equal(stats.pool.plain.in_use, 256);
	fixture_close(&fixture);
}

/* 2 KiB is what the larger of the slabs has, for an agent without RMPP, too. */
static void test_large_buffers_take_what_fits(void **state)
{
	const struct madring_config config = { .lanes = 1, .large_buffers = 2 };
	struct madring_ring_stats stats;
	struct fixture fixture;
	struct fake_umad umad;

	(void)state;
	memset(&last, 0, sizeof(last));
	last.fixture = &fixture;
	fixture_open(&fixture, &config, NULL);
	for (unsigned int i = 1; i <= 5; i++) {
		umad = ask(&fixture, i);
		umad.mad[0] = 0x80;
		answer(&umad, MADRING_LARGE_MAD_BYTES);
		wait_for(&fixture, i);
		assert_int_equal(last.status, 0);
		assert_int_equal(last.length, MADRING_LARGE_MAD_BYTES);
	}
	/* There is nothing that this would ever fit into. */
	umad = ask(&fixture, 6);
	answer(&umad, MADRING_LARGE_MAD_BYTES + 1);
	wait_for(&fixture, 6);
	assert_int_equal(last.status, -EMSGSIZE);
	madring_stats(fixture.ring, &stats);
	assert_int_equal(stats.pool.large.in_use, 0);
	assert_int_equal(stats.pool.message.capacity, 0);
	fixture_close(&fixture);
}

/* What the header says is only believed as far as the message is that long. */
static void test_a_wrong_length_is_not_believed(void **state)
{
	static const uint32_t told[] = { UINT32_MAX, 1u << 31, 1 << 30, 5000 + HEADER + 1 };
	const unsigned int count = sizeof(told) / sizeof(told[0]);
	const struct madring_config config = { .lanes = 1, .message_bytes = 64 << 10 };
	struct fixture fixture;
	struct fake_umad umad;

	(void)state;
	begin(&fixture, &config);
	for (unsigned int i = 0; i < count; i++) {
		umad = ask(&fixture, i);
		answer_as(&umad, 5000, told[i]);
		wait_for(&fixture, i + 1);
		assert_int_equal(last.status, i < 3 ? -EMSGSIZE : 0);
	}
	/* Less than there is: the file makes no sense, and is used no more. */
	umad = ask(&fixture, 9);
	answer_as(&umad, 5000, FAKE_BYTES + 1);
	wait_for(&fixture, count + 1);
	assert_int_equal(last.status, -ENODEV);
	fixture_close(&fixture);
}

/* A request of @length bytes, or a response. */
static struct madring_mad *long_mad(struct fixture *fixture, size_t length, uint32_t seed)
{
	struct madring_mad *mad = madring_mad_alloc(fixture->agent, length);
	uint8_t *data;

	assert_non_null(mad);
	madring_gmp_prepare(mad, 7, MADRING_GET, 0x11, 0);
	madring_rmpp_prepare(mad);
	data = madring_mad_data(mad);
	for (size_t i = MADRING_SA_DATA; i < length; i++)
		data[i] = byte_at(seed, i);
	return mad;
}

/* What is written next, on the only lane. */
static size_t take_message(struct fixture *fixture, uint8_t *message, size_t room)
{
	size_t length;

	while (!(length = fake_take_message(0, message, room)))
		assert_true(madring_step(fixture->ring) >= 0);
	return length;
}

static void on_end(const struct madring_completion *completion)
{
	last.count++;
	last.status = completion->status;
}

static void test_a_request_of_any_length(void **state)
{
	static const size_t lengths[] = { 60, 256, 257, 456, 2048, 2049, 100000, 3 << 20 };
	const struct madring_config config = { .lanes = 1 };
	struct madring_send_options send = { .callback = on_end };
	static uint8_t message[HEADER + (3 << 20)];
	struct madring_rmpp_hdr rmpp;
	struct ib_user_mad umad;
	struct fake_umad request = { .lane = 0 };
	struct fixture fixture;

	(void)state;
	begin(&fixture, &config);
	for (uint32_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		send.length = lengths[i];
		assert_int_equal(
			madring_send(fixture.agent, long_mad(&fixture, lengths[i], i), &send), 0);
		assert_int_equal(take_message(&fixture, message, sizeof(message)),
				 HEADER + lengths[i]);
		memcpy(&umad, message, sizeof(umad));
		memcpy(&rmpp, message + HEADER + sizeof(struct madring_mad_hdr), sizeof(rmpp));
		assert_int_equal(umad.length, HEADER + lengths[i]);
		assert_true(umad.retries > 0);
		assert_int_equal(rmpp.version, 1);
		assert_int_equal(rmpp.type, MADRING_RMPP_DATA);
		assert_int_equal(rmpp.flags, MADRING_RMPP_ACTIVE);
		assert_true(is_right((struct madring_mad *)message, lengths[i], i));
		memcpy(request.bytes, message, FAKE_BYTES);
		request.length = FAKE_BYTES;
		request.umad.length = FAKE_BYTES;
		fake_answer(&request);
		wait_for(&fixture, i + 1);
		assert_int_equal(last.status, 0);
	}
	fixture_close(&fixture);
}

static void test_what_cannot_go_in_segments(void **state)
{
	const struct madring_config config = { .message_bytes = 1 << 20, .large_buffers = 1 };
	struct madring_send_options send = { .length = 257 };
	struct madring_agent *plain;
	struct madring_mad *mad;
	struct fixture fixture;

	(void)state;
	begin(&fixture, &config);
	assert_int_equal(madring_agent_open(fixture.port,
					    &(struct madring_agent_config){ .mgmt_class = 4,
									    .class_version = 1 },
					    &plain),
			 0);
	mad = long_mad(&fixture, 1000, 1);
	assert_int_equal(madring_send(fixture.agent, mad, NULL), -EINVAL);
	assert_int_equal(madring_send(plain, mad, &send), -EMSGSIZE);
	madring_gmp_prepare(mad, 7, MADRING_GET, 0x11, 0);
	assert_int_equal(madring_send(fixture.agent, mad, &send), -EMSGSIZE);
	send.length = 1 << 20;
	assert_int_equal(madring_send(fixture.agent, mad, &send), -EINVAL);
	madring_mad_put(fixture.ring, mad);
	/* 2 KiB is a MAD of another base version. */
	mad = madring_mad_get_large(plain);
	send.length = 257;
	assert_int_equal(madring_send(plain, mad, &send), 0);
	mad = madring_mad_alloc(fixture.agent, 24);
	assert_true(madring_mad_room(fixture.ring, mad) >= MADRING_MAD_BYTES);
	madring_mad_put(fixture.ring, mad);
	assert_int_equal(madring_agent_open(fixture.port,
					    &(struct madring_agent_config){ .mgmt_class = 3,
									    .class_version = 2,
									    .rmpp = 3 },
					    &plain),
			 -EINVAL);
	fixture_close(&fixture);
}

/* The file has no room for all of them: they are written when it has. */
static void test_more_than_the_file_takes(void **state)
{
	enum { MESSAGES = 12, LENGTH = 1500000 };
	const struct madring_config config = { .lanes = 1, .message_bytes = 64 << 20 };
	struct madring_send_options send = { .callback = on_long,
					     .length = LENGTH,
					     .no_reply = true };
	static uint8_t message[HEADER + LENGTH];
	struct madring_mad_hdr header;
	struct fixture fixture;

	(void)state;
	memset(&last, 0, sizeof(last));
	fixture_open(&fixture, &config, &by_kernel);
	send.callback = NULL;
	for (uint32_t i = 0; i < MESSAGES; i++) {
		struct madring_mad *mad = long_mad(&fixture, LENGTH, i);

		madring_mad_header(mad)->method = MADRING_GET_RESP;
		madring_mad_header(mad)->tid = htobe64(1000 + i);
		assert_int_equal(madring_send(fixture.agent, mad, &send), 0);
	}
	for (unsigned int turn = 0; turn < 5; turn++)
		assert_true(madring_step(fixture.ring) >= 0);
	assert_in_range(madring_outstanding(fixture.ring), 1, MESSAGES - 1);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		assert_int_equal(take_message(&fixture, message, sizeof(message)), sizeof(message));
		memcpy(&header, message + HEADER, sizeof(header));
		assert_in_range(be64toh(header.tid), 1000, 1000 + MESSAGES - 1);
		assert_true(is_right((struct madring_mad *)message, LENGTH,
				     (uint32_t)be64toh(header.tid) - 1000));
	}
	while (madring_outstanding(fixture.ring))
		assert_true(madring_run(fixture.ring, 1000) >= 0);
	fixture_close(&fixture);
}

/* Whether this thread, as a privileged one, may lock more memory than the limit. */
static void exceed_memory_lock_limit(bool may)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	assert_int_equal(syscall(SYS_capget, &header, data), 0);
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	if (may)
		data[0].effective |= data[0].permitted & 1u << CAP_IPC_LOCK;
	assert_int_equal(syscall(SYS_capset, &header, data), 0);
}

/* A ring of the default size, and messages of what is left of 8 MiB. */
static void test_memory_lock_limit(void **state)
{
	const struct madring_config config = { .transactions = 16384, .reads = 4096 };
	struct madring_ring_stats stats;
	struct rlimit old, limit;
	struct fixture fixture;
	struct fake_umad umad;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &old), 0);
	limit = old;
	limit.rlim_cur = 8 << 20;
	if (limit.rlim_max < limit.rlim_cur)
		skip();
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	exceed_memory_lock_limit(false);
	begin(&fixture, &config);
	madring_stats(fixture.ring, &stats);
	/* Reserved huge pages are not limited. */
	if (!stats.pool.huge_bytes) {
		umad = ask(&fixture, 1);
		answer(&umad, 400000);
		wait_for(&fixture, 1);
		assert_int_equal(last.status, 0);
		errno = 0;
		assert_null(madring_mad_alloc(fixture.agent, 4 << 20));
		assert_int_equal(errno, ENOBUFS);
		assert_null(madring_mad_alloc(fixture.agent, 64 << 20));
		assert_int_equal(errno, ENOMEM);
		assert_null(madring_mad_alloc(fixture.agent, 23));
		assert_int_equal(errno, EINVAL);
		umad = ask(&fixture, 2);
		answer(&umad, 4 << 20);
		wait_for(&fixture, 2);
		assert_int_equal(last.status, -EMSGSIZE);
		assert_non_null(strstr(madring_strerror(last.status), "ulimit -l"));
		umad = ask(&fixture, 3);
		answer(&umad, 400000);
		wait_for(&fixture, 3);
		assert_int_equal(last.status, 0);
	}
	fixture_close(&fixture);
	exceed_memory_lock_limit(true);
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &old), 0);
}

/* The device is there, and the message waits. */
static void test_a_read_that_fails_is_made_again(void **state)
{
	static const int errors[] = { -ENOMEM, -EIO, -EINTR };
	struct fixture fixture;

	(void)state;
	begin(&fixture, NULL);
	for (uint32_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct fake_umad request = ask(&fixture, i);

		answer(&request, 20000);
		fake_fail_read(errors[i]);
		while (last.count <= i)
			assert_true(madring_run(fixture.ring, -1) >= 0);
		assert_int_equal(last.status, 0);
		assert_int_equal(last.length, 20000);
	}
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_request_of_any_length),
		cmocka_unit_test(test_what_cannot_go_in_segments),
		cmocka_unit_test(test_more_than_the_file_takes),
		cmocka_unit_test(test_a_reply_of_any_length),
		cmocka_unit_test(test_a_short_one_needs_rmpp),
		cmocka_unit_test(test_plain_ones_before_and_behind),
		cmocka_unit_test(test_many_at_once),
		cmocka_unit_test(test_it_waits_for_room),
		cmocka_unit_test(test_room_wakes_an_event_loop),
		cmocka_unit_test(test_what_never_fits_ends_its_transaction),
		cmocka_unit_test(test_more_than_16_mib),
		cmocka_unit_test(test_nobodys_long_reply),
		cmocka_unit_test(test_kept_ones_stay),
		cmocka_unit_test(test_large_buffers_take_what_fits),
		cmocka_unit_test(test_a_wrong_length_is_not_believed),
		cmocka_unit_test(test_memory_lock_limit),
		cmocka_unit_test(test_a_read_that_fails_is_made_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
