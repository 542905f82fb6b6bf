/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures on a device of the test's own, read again. */
#include "library/library_fixture.h"
#include "capture_folder.h"
#include "reader.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEADERS 28u /* without a GRH */
#define GRH	40u
#define SUMS	6u
#define KIB	1024u
#define BLOCK	512u /* bytes; a pcapng block with a MAD is shorter */
/*
 * The real time and the monotonic one are read one after the other, between which the thread may
 * not run. So a capture's times are exact only as a busy machine lets them be.
 */
#define MINUTE_NS (60 * (uint64_t)1000000000)

static uint64_t real_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t get(const uint8_t *from, unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *from++;
	return value;
}

/* Checks the headers of a packet without a GRH; the checksums are 0. */
static void expect_headers(const struct packet *packet, uint8_t vl, uint8_t sl, uint16_t slid,
			   uint16_t dlid, uint32_t dest_qp, uint32_t source_qp, uint32_t qkey,
			   uint16_t pkey)
{
	const uint8_t *lrh = packet->data, *bth = lrh + 8, *deth = bth + 12;

	assert_int_equal(lrh[0], vl << 4);
	assert_int_equal(lrh[1], sl << 4 | 2);
	assert_int_equal(get(lrh + 2, 2), dlid);
	assert_int_equal(get(lrh + 4, 2), (packet->bytes - 2) / 4);
	assert_int_equal(get(lrh + 6, 2), slid);
	assert_int_equal(bth[0], 0x64);
	assert_int_equal(bth[1], 0);
	assert_int_equal(get(bth + 2, 2), pkey);
	assert_int_equal(get(bth + 4, 4), dest_qp);
	assert_int_equal(get(bth + 8, 4), 0);
	assert_int_equal(get(deth, 4), qkey);
	assert_int_equal(get(deth + 4, 4), source_qp);
	assert_int_equal(get(packet->data + packet->bytes - SUMS, SUMS), 0);
}

/* Sends @mad and answers it; what was written is left in @umad. */
static void round_trip(struct fixture *fixture, struct madring_mad *mad, struct fake_umad *umad)
{
	struct outcomes outcomes = { 0 };
	struct madring_send_options send = {
		.callback = count_outcome,
		.user = &outcomes,
		.timeout_ms = MADRING_FOREVER,
	};
	struct fake_umad reply;

	assert_int_equal(madring_send(fixture->agent, mad, &send), 0);
	fixture_take(fixture, umad);
	reply = *umad;
	fake_answer(&reply);
	fixture_wait(fixture, &outcomes, 1);
}

static void test_sent_and_received_mads_are_captured(void **state)
{
	uint64_t start = real_ns();
	struct fixture fixture;
	struct fake_umad umad;
	struct madring_mad *mad;
	struct reader reader;

	fixture_open(&fixture, NULL, &fixture_patient);
	assert_int_equal(madring_capture_open(fixture.ring, path, NULL), 0);
	mad = fixture_request(&fixture, 7, 99);
	madring_mad_set_address(mad, 7, 0x123456, 5, 0x80010203);
	madring_mad_set_path_bits(mad, 3);
	madring_mad_set_pkey_index(mad, 1);
	round_trip(&fixture, mad, &umad);
	assert_int_equal(madring_capture_close(fixture.ring), 0);

	reader_open(&reader, path);
	assert_string_equal(reader.program, "madring " MADRING_VERSION);
	assert_int_equal(reader.interfaces, 1);
	assert_string_equal(reader.interface[0], "fake0:1");
	assert_int_equal(reader.packets, 2);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(reader.packet[i].interface, 0);
		assert_int_equal(reader.packet[i].bytes, HEADERS + MADRING_MAD_BYTES + SUMS);
		assert_int_equal(reader.packet[i].kept, reader.packet[i].bytes);
		assert_in_range(reader.packet[i].time_ns, start - MINUTE_NS, real_ns() + MINUTE_NS);
	}
	assert_true(reader.packet[0].sent);
	assert_false(reader.packet[1].sent);
	assert_true(reader.packet[0].time_ns <= reader.packet[1].time_ns);
	expect_headers(&reader.packet[0], 0, 5, FAKE_LID | 3, 7, 0x123456, 1, 0x80010203,
		       FAKE_PKEY);
	expect_headers(&reader.packet[1], 0, 5, 7, FAKE_LID | 3, 1, 0x123456, 0x80010000,
		       FAKE_PKEY);
	assert_memory_equal(reader.packet[0].data + HEADERS, umad.mad, MADRING_MAD_BYTES);
	fake_make_reply(&umad);
	assert_memory_equal(reader.packet[1].data + HEADERS, umad.mad, MADRING_MAD_BYTES);
	reader_close(&reader);
	fixture_close(&fixture);
}

static void test_smps(void **state)
{
	static const uint8_t route[] = { 0, 1, 2 };
	struct fixture fixture;
	struct fake_umad umad;
	struct madring_mad *mad;
	struct reader reader;

	fixture_open(&fixture, NULL, &fixture_smps);
	assert_int_equal(madring_capture_open(fixture.ring, path, NULL), 0);
	mad = madring_mad_alloc(fixture.agent);
	madring_smp_dr_prepare(mad, route, 2, MADRING_GET, 0x11, 0);
	round_trip(&fixture, mad, &umad);
	mad = madring_mad_alloc(fixture.agent);
	madring_smp_prepare(mad, 9, MADRING_GET, 0x11, 0);
	round_trip(&fixture, mad, &umad);
	assert_int_equal(madring_capture_close(fixture.ring), 0);
	reader_open(&reader, path);
	assert_int_equal(reader.packets, 4);
	expect_headers(&reader.packet[0], 15, 0, 0xffff, 0xffff, 0, 0, 0, 0xffff);
	expect_headers(&reader.packet[1], 15, 0, 0xffff, 0xffff, 0, 0, 0, 0xffff);
	expect_headers(&reader.packet[2], 15, 0, FAKE_LID, 9, 0, 0, 0, 0xffff);
	expect_headers(&reader.packet[3], 15, 0, 9, FAKE_LID, 0, 0, 0, 0xffff);
	reader_close(&reader);
	fixture_close(&fixture);
}

static void test_a_grh(void **state)
{
	struct madring_grh grh = {
		.gid = { 0xfe, 0x80, [15] = 0x77 },
		.flow_label = 0x12345,
		.traffic_class = 0x67,
		.hop_limit = 64,
	};
	struct fixture fixture;
	struct fake_umad umad;
	struct madring_mad *mad;
	struct reader reader;

	fixture_open(&fixture, NULL, &fixture_patient);
	assert_int_equal(madring_capture_open(fixture.ring, path, NULL), 0);
	mad = fixture_request(&fixture, 7, 1);
	madring_mad_set_grh(mad, &grh);
	round_trip(&fixture, mad, &umad);
	assert_int_equal(madring_capture_close(fixture.ring), 0);
	reader_open(&reader, path);
	assert_int_equal(reader.packets, 2);
	for (unsigned int i = 0; i < 2; i++) {
		const uint8_t *header = reader.packet[i].data + 8;
		const uint8_t *source = header + 8, *destination = header + 24;
		const uint8_t *own = i ? destination : source, *other = i ? source : destination;

		assert_int_equal(reader.packet[i].bytes, HEADERS + GRH + 256 + SUMS);
		assert_int_equal(reader.packet[i].data[1], 3);
		assert_int_equal(get(header, 4), 0x66712345);
		assert_int_equal(get(header + 4, 2), 20 + 256 + 4);
		assert_int_equal(header[6], 0x1b);
		assert_int_equal(header[7], 64);
		assert_int_equal(get(own, 8), FAKE_PREFIX);
		assert_int_equal(get(own + 8, 8), FAKE_GUID);
		assert_memory_equal(other, grh.gid, 16);
		assert_int_equal(reader.packet[i].data[8 + GRH], 0x64);
	}
	reader_close(&reader);
	fixture_close(&fixture);
}

/* The kernel's notices, and what is no MAD, were never on the wire, and are not captured. */
static void test_notices_and_noise_are_not_captured(void **state)
{
	struct outcomes outcomes = { 0 };
	struct madring_capture_state captured;
	struct fixture fixture;
	struct fake_umad umad, cut;
	struct reader reader;

	fixture_open(&fixture, NULL, &(struct madring_agent_config){ .timeout_ms = 60000 });
	assert_int_equal(madring_capture_open(fixture.ring, path, NULL), 0);
	fixture_send(&fixture, 1, &outcomes);
	fixture_take(&fixture, &umad);
	cut = umad;
	cut.length = sizeof(struct ib_user_mad) + 23;
	fake_send(&cut);
	fake_notice(&umad);
	fixture_take(&fixture, &umad);
	fake_answer(&umad);
	fixture_wait(&fixture, &outcomes, 1);
	assert_int_equal(madring_capture_get_state(fixture.ring, &captured), 0);
	assert_int_equal(captured.captured, 3);
	assert_int_equal(captured.missed, 0);
	assert_int_equal(captured.error, 0);
	assert_false(captured.full);
	/* The ring closes it, too. */
	fixture_close(&fixture);
	reader_open(&reader, path);
	assert_int_equal(reader.packets, 3);
	assert_int_equal(reader.size, captured.bytes);
	reader_close(&reader);
}

/* MADs before the capture is opened, and after it is closed, are not captured. */
static void test_mads_outside_the_capture_are_left_out(void **state)
{
	struct madring_capture_state captured;
	struct outcomes outcomes = { 0 };
	struct fixture fixture;
	struct reader reader;

	fixture_open(&fixture, NULL, &fixture_patient);
	assert_int_equal(madring_capture_get_state(fixture.ring, &captured), -ENOENT);
	fixture_send(&fixture, 10, &outcomes);
	fixture_finish(&fixture);
	assert_int_equal(madring_capture_open(fixture.ring, path, NULL), 0);
	fixture_send(&fixture, 5, &outcomes);
	fixture_finish(&fixture);
	assert_int_equal(madring_capture_close(fixture.ring), 0);
	fixture_send(&fixture, 10, &outcomes);
	fixture_finish(&fixture);
	assert_int_equal(outcomes.count, 25);
	reader_open(&reader, path);
	assert_int_equal(reader.packets, 10);
	reader_close(&reader);
	fixture_close(&fixture);
}

static void test_a_port_that_is_opened_later(void **state)
{
	struct outcomes outcomes = { 0 };
	struct madring_agent_config config = { .mgmt_class = 0x04, .class_version = 1 };
	struct madring_port *port;
	struct fixture fixture;
	struct reader reader;

	fixture_open(&fixture, NULL, &fixture_patient);
	assert_int_equal(madring_capture_open(fixture.ring, path, NULL), 0);
	fixture_send(&fixture, 1, &outcomes);
	fixture_finish(&fixture);
	assert_int_equal(madring_port_open(fixture.ring, "fake0", 1, NULL, &port), 0);
	assert_int_equal(madring_agent_open(port, &config, &fixture.agent), 0);
	fixture_send(&fixture, 1, &outcomes);
	fixture_finish(&fixture);
	fixture_close(&fixture);
	reader_open(&reader, path);
	assert_int_equal(reader.interfaces, 2);
	assert_int_equal(reader.packets, 4);
	assert_int_equal(reader.packet[1].interface, 0);
	assert_int_equal(reader.packet[2].interface, 1);
	assert_int_equal(reader.packet[3].interface, 1);
	reader_close(&reader);
}

static void test_capture_size_is_bounded(void **state)
{
	const struct madring_capture_config config = { .max_bytes = 128 * KIB };
	struct madring_capture_state captured;
	struct outcomes outcomes = { 0 };
	struct fixture fixture;
	struct reader reader;

	fixture_open(&fixture, NULL, &fixture_patient);
	assert_int_equal(madring_capture_open(fixture.ring, path, &config), 0);
	fixture_send(&fixture, 1000, &outcomes);
	fixture_finish(&fixture);
	assert_int_equal(madring_capture_get_state(fixture.ring, &captured), 0);
	assert_true(captured.full);
	assert_int_equal(captured.captured + captured.missed, 2000);
	assert_int_equal(captured.error, 0);
	assert_int_equal(madring_capture_close(fixture.ring), 0);
	reader_open(&reader, path);
	assert_int_equal(reader.packets, captured.captured);
	assert_in_range(reader.size, 127 * KIB, 128 * KIB);
	reader_close(&reader);
	fixture_close(&fixture);
}

static uint32_t mark_of(const struct packet *packet)
{
	return fixture_mark(packet->data + HEADERS);
}

/*
 * Returns the time of the first or last packet that was @sent or received. Returns @none if there
 * is no such packet. A reply may come before a write that began earlier is reported, so only times
 * of one kind are in the order of the packets.
 */
static uint64_t time_of(const struct reader *reader, bool sent, bool last, uint64_t none)
{
	uint64_t found = none;

	for (unsigned int i = 0; i < reader->packets; i++) {
		const struct packet *packet = &reader->packet[last ? i : reader->packets - 1 - i];

		if (packet->sent == sent)
			found = packet->time_ns;
	}
	return found;
}

static void expect_in_order(const struct reader *old, const struct reader *reader)
{
	for (int sent = 0; sent <= 1; sent++)
		assert_true(time_of(old, sent, true, 0) <=
			    time_of(reader, sent, false, UINT64_MAX));
}

/* The file holds the last MADs, and the previous file those before them. */
static void test_capture_file_is_rotated(void **state)
{
	const struct madring_capture_config config = { .max_bytes = 128 * KIB, .rotate = true };
	struct madring_capture_state captured;
	struct outcomes outcomes = { 0 };
	struct reader reader, old;
	struct fixture fixture;

	fixture_open(&fixture, NULL, &fixture_patient);
	assert_int_equal(madring_capture_open(fixture.ring, path, &config), 0);
	for (unsigned int i = 0; i < 3; i++) {
		fixture_send(&fixture, 700, &outcomes);
		fixture_finish(&fixture);
	}
	assert_int_equal(madring_capture_get_state(fixture.ring, &captured), 0);
	assert_int_equal(captured.captured, 4200);
	assert_int_equal(captured.missed, 0);
	assert_int_equal(madring_capture_close(fixture.ring), 0);
	reader_open(&reader, path);
	reader_open(&old, old_path);
	assert_string_equal(reader.interface[0], "fake0:1");
	assert_string_equal(old.interface[0], "fake0:1");
	assert_true(reader.size <= 128 * KIB);
	assert_in_range(old.size, 127 * KIB, 128 * KIB);
	assert_false(reader.packet[reader.packets - 1].sent);
	expect_in_order(&old, &reader);
	assert_int_equal(mark_of(&reader.packet[reader.packets - 1]), outcomes.last_mark);
	reader_close(&old);
	reader_close(&reader);
	fixture_close(&fixture);
}

/* A disk that is full ends the capture, and nothing else. */
static void test_a_full_disk(void **state)
{
	struct madring_capture_state captured;
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	fixture_open(&fixture, NULL, &fixture_patient);
	assert_int_equal(madring_capture_open(fixture.ring, "/dev/full", NULL), 0);
	for (unsigned int i = 0; i < 3; i++) {
		fixture_send(&fixture, 700, &outcomes);
		fixture_finish(&fixture);
	}
	assert_int_equal(outcomes.count, 2100);
	assert_int_equal(outcomes.last_status, 0);
	assert_int_equal(madring_capture_get_state(fixture.ring, &captured), 0);
	assert_int_equal(captured.error, -ENOSPC);
	assert_int_equal(captured.captured, 0);
	assert_int_equal(captured.missed, 4200);
	assert_int_equal(captured.bytes, 0);
	assert_int_equal(madring_capture_close(fixture.ring), -ENOSPC);
	assert_int_equal(madring_capture_close(fixture.ring), -ENOENT);
	fixture_close(&fixture);
}

/* The file keeps every block that was written whole; the MADs of the others count as missed. */
static void test_a_disk_that_becomes_full(void **state)
{
	struct madring_capture_state captured;
	struct rlimit limit, old;
	struct outcomes outcomes = { 0 };
	struct fixture fixture;
	struct reader reader;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){ .rlim_cur = 300001, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	fixture_open(&fixture, NULL, &fixture_patient);
	assert_int_equal(madring_capture_open(fixture.ring, path, NULL), 0);
	fixture_send(&fixture, 1000, &outcomes);
	fixture_finish(&fixture);
	assert_int_equal(madring_capture_get_state(fixture.ring, &captured), 0);
	assert_int_equal(captured.error, -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	/* There is room again, but the capture has ended. */
	fixture_send(&fixture, 10, &outcomes);
	fixture_finish(&fixture);
	assert_int_equal(madring_capture_close(fixture.ring), -EFBIG);
	assert_int_equal(outcomes.count, 1010);
	reader_open(&reader, path);
	assert_int_equal(reader.packets, captured.captured);
	assert_int_equal(reader.size, captured.bytes);
	assert_int_equal(captured.captured + captured.missed, 2000);
	/* No other MAD would have had room. */
	assert_in_range(reader.size, limit.rlim_cur - BLOCK, limit.rlim_cur);
	reader_close(&reader);
	fixture_close(&fixture);
}

static void test_what_cannot_be_opened(void **state)
{
	const struct madring_capture_config bad[] = {
		{ .max_bytes = 128 * KIB - 1 },
		{ .mad_bytes = 65001 },
	};
	struct fixture fixture;
	struct stat status;

	fixture_open(&fixture, NULL, &fixture_patient);
	assert_int_equal(madring_capture_close(fixture.ring), -ENOENT);
	assert_int_equal(madring_capture_open(fixture.ring, "/there/is/no/such/folder", NULL),
			 -ENOENT);
	assert_int_equal(madring_capture_open(fixture.ring, folder, NULL), -EISDIR);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(madring_capture_open(fixture.ring, path, &bad[i]), -EINVAL);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(madring_capture_open(fixture.ring, path, NULL), 0);
	assert_int_equal(madring_capture_open(fixture.ring, path, NULL), -EALREADY);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	fixture_close(&fixture);
}

/* A message in segments is one packet, of which the beginning is kept. */
static void test_long_messages(void **state)
{
	const struct madring_config ring_config = { .message_bytes = 1 << 20 };
	const struct madring_agent_config agent_config = {
		.rmpp = MADRING_RMPP_KERNEL,
		.timeout_ms = MADRING_FOREVER,
	};
	static const size_t lengths[] = { 456, 4096, 4256, 20056, 200056 };
	static uint8_t message[sizeof(struct ib_user_mad) + 200056];
	struct outcomes outcomes = { 0 };
	struct fixture fixture;
	struct reader reader;

	fixture_open(&fixture, &ring_config, &agent_config);
	assert_int_equal(madring_capture_open(fixture.ring, path, NULL), 0);
	for (unsigned int i = 0; i < 5; i++) {
		struct fake_umad umad;

		fixture_send(&fixture, 1, &outcomes);
		fixture_take(&fixture, &umad);
		fake_make_reply(&umad);
		umad.umad.length = (uint32_t)(sizeof(struct ib_user_mad) + lengths[i]);
		memset(message, (int)i + 1, sizeof(message));
		memcpy(message, umad.bytes, FAKE_BYTES);
		message[64 + 24] = MADRING_RMPP_VERSION;
		message[64 + 25] = MADRING_RMPP_DATA;
		message[64 + 26] = MADRING_RMPP_ACTIVE;
		fake_send_message(umad.lane, message, umad.umad.length);
		fixture_wait(&fixture, &outcomes, i + 1);
	}
	assert_int_equal(outcomes.last_status, 0);
	fixture_close(&fixture);
	reader_open(&reader, path);
	assert_int_equal(reader.packets, 10);
	for (unsigned int i = 0; i < 5; i++) {
		const struct packet *packet = &reader.packet[2 * i + 1];
		bool whole = lengths[i] <= 4096;

		assert_int_equal(packet->bytes, HEADERS + lengths[i] + SUMS);
		assert_int_equal(packet->kept, whole ? packet->bytes : HEADERS + 4096);
		assert_int_equal(packet->data[HEADERS + (whole ? lengths[i] : 4096) - 1], i + 1);
		assert_true(get(packet->data + 4, 2) <= 0x7ff);
	}
	reader_close(&reader);
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

static const struct CMUnitTest tests[] = {
	with_folder(test_sent_and_received_mads_are_captured),
	with_folder(test_smps),
	with_folder(test_a_grh),
	with_folder(test_notices_and_noise_are_not_captured),
	with_folder(test_mads_outside_the_capture_are_left_out),
	with_folder(test_a_port_that_is_opened_later),
	with_folder(test_capture_size_is_bounded),
	with_folder(test_capture_file_is_rotated),
	with_folder(test_a_full_disk),
	with_folder(test_a_disk_that_becomes_full),
	with_folder(test_what_cannot_be_opened),
	with_folder(test_long_messages),
};

TEST_MAIN(tests, NULL, NULL)
