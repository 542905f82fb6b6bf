/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/sa/sa_world.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/driver.h"
#include "unit/failing.h"
#include "library/library_fixture.h"

#define NS_PER_MS 1000000u
#define START_NS  (1000 * (uint64_t)1000000000)
/* No test needs that much time. A ring that waits forever would not end. */
#define MOST_NS (START_NS + 7200 * (uint64_t)1000000000)

#define RMPP_OFFSET	sizeof(struct madring_mad_hdr)
#define STRIDE_OFFSET	44u /* of the AttributeOffset in a MAD (IBA 15.2.1.1) */
#define MASK_OFFSET	48u /* of the ComponentMask */
#define SA_HEADER_BYTES 20u /* of a segment's payload length */
#define SEGMENT_BYTES	(MADRING_MAD_BYTES - MADRING_SA_DATA)

struct sa_world world = { .now_ns = START_NS };

struct madring_mad_hdr *mad_header_of(uint8_t *mad)
{
	return (struct madring_mad_hdr *)mad;
}

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker has these names */
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __real_driver_turn(struct driver *driver, uint64_t until);
int __wrap_driver_turn(struct driver *driver, uint64_t until);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	if (clock != CLOCK_MONOTONIC)
		return __real_clock_gettime(clock, now);
	now->tv_sec = (time_t)(world.now_ns / 1000000000u);
	now->tv_nsec = (long)(world.now_ns % 1000000000u);
	return 0;
}

static void log_mad(struct fake_umad *umad)
{
	struct sa_world_mad *entry;

	if (world.is_log_full)
		return;
	entry = &world.log[world.log_count++];
	assert_true(world.log_count <= SA_WORLD_LOG);
	entry->at_ms = sa_world_ms();
	entry->lid = be16toh(umad->umad.addr.lid);
	entry->sl = umad->umad.addr.sl;
	entry->pkey_index = umad->umad.addr.pkey_index;
	memcpy(entry->mad, umad->mad, sizeof(entry->mad));
}

static bool is_acknowledgement(const struct fake_umad *umad)
{
	struct madring_rmpp_hdr header;

	memcpy(&header, umad->mad + RMPP_OFFSET, sizeof(header));
	return umad->mad[1] == MADRING_CLASS_SA && header.flags & MADRING_RMPP_ACTIVE;
}

/* Logs what was written, and answers it. Returns whether there was anything. */
static bool take_written(void)
{
	struct fake_umad umad;
	bool any = false;

	while (fake_take(&umad)) {
		any = true;
		if (is_acknowledgement(&umad))
			continue;
		log_mad(&umad);
		if (world.respond && umad.mad[1] == MADRING_CLASS_SA &&
		    !(umad.mad[3] & MADRING_RESPONSE_BIT))
			world.respond(&umad);
		if (world.respond_smp &&
		    (umad.mad[1] == MADRING_CLASS_SMP || umad.mad[1] == MADRING_CLASS_SMP_DIRECTED))
			world.respond_smp(&umad);
	}
	return any;
}

int __wrap_driver_turn(struct driver *driver, uint64_t until)
{
	int count, error = world.turn_error;
	bool is_idle;

	if (error && until > world.now_ns) {
		world.turn_error = 0;
		return error;
	}
	is_idle = !fake_unread();
	count = __real_driver_turn(driver, 0);
	is_idle = !take_written() && is_idle && count <= 0;
	while (count >= 0 && fake_unread())
		assert_true(__real_driver_turn(driver, 0) >= 0);
	if (is_idle && until > world.now_ns)
		world.now_ns += SA_WORLD_TICK_MS * NS_PER_MS;
	assert_true(world.now_ns < MOST_NS);
	return count;
}
/* NOLINTEND(bugprone-reserved-identifier) */

uint64_t sa_world_ms(void)
{
	return world.now_ns / NS_PER_MS;
}

void sa_world_pass(unsigned int ms)
{
	uint64_t end = world.now_ns + (uint64_t)ms * NS_PER_MS;

	while (world.now_ns < end) {
		int left = (int)((end - world.now_ns) / NS_PER_MS);
		uint64_t before = world.now_ns;
		int count = madring_run(world.ring, left);

		assert_true(count >= 0);
		/* A ring that waits for nothing returns at once. */
		if (!count && world.now_ns == before)
			world.now_ns = end;
	}
	/* Two more turns write and answer the MADs that the last one has sent. */
	assert_true(madring_run(world.ring, 0) >= 0);
	assert_true(madring_run(world.ring, 0) >= 0);
}

static uint64_t buffers_in_use(void)
{
	struct madring_stats stats;

	madring_get_stats(world.ring, &stats);
	return stats.pool_plain_in_use;
}

void sa_world_check_buffers(void)
{
	struct madring_stats stats;

	madring_get_stats(world.ring, &stats);
	assert_int_equal(madring_outstanding(world.ring), 0);
	assert_int_equal(buffers_in_use(), world.buffers);
	assert_int_equal(stats.pool_message_in_use, 0);
}

void sa_world_open(const struct madring_sa_config *config)
{
	const struct madring_config ring = {
		.transactions = 32,
		.buffers = 48,
		.lanes = 2,
		.reads = 64,
		.message_bytes = 1 << 20,
		.pin = MADRING_PIN_BEST_EFFORT,
		.receive = fixture_receive(),
		.spin_us = MADRING_NO_SPIN,
		.seed = 1,
	};
	const struct madring_subnet_config subnet = {
		.ca_name = fake_name(),
		.port = 1,
		.ring = &ring,
		.pkey_index = 1,
	};

	fake_reset(0, 0);
	memset(&world, 0, sizeof(world));
	world.now_ns = START_NS;
	world.respond = sa_world_confirm;
	world.allocations = living_allocations;
	fake_port()->sm_lid = SM_LID;
	fake_port()->sm_sl = SM_SL;
	fake_port()->state = 4;
	assert_int_equal(madring_subnet_open(&subnet, &world.subnet), 0);
	world.ring = madring_subnet_ring(world.subnet);
	if (config)
		assert_int_equal(madring_sa_open(world.subnet, config, &world.sa), 0);
	assert_true(madring_run(world.ring, 0) >= 0);
	world.buffers = buffers_in_use();
}

void sa_world_close(void)
{
	assert_int_equal(madring_sa_close(world.sa), 0);
	sa_world_check_buffers();
	if (!world.taker)
		assert_int_equal(fake_agents(), 0);
	assert_int_equal(madring_subnet_close(world.subnet), 0);
	assert_int_equal(fake_lanes(), 0);
	assert_int_equal(living_allocations, world.allocations);
	fake_reset(0, 0);
}

int sa_world_setup(void **state)
{
	const struct madring_sa_config defaults = { 0 };

	sa_world_open(&defaults);
	return 0;
}

int sa_world_teardown(void **state)
{
	sa_world_close();
	return 0;
}

int sa_world_teardown_agents(void **state)
{
	assert_int_equal(madring_sa_close(world.sa), 0);
	assert_int_equal(madring_subnet_close(world.subnet), 0);
	fake_reset(0, 0);
	return 0;
}

static bool is_like(const struct sa_world_mad *entry, uint8_t method, uint16_t attr_id)
{
	struct madring_mad_hdr header;

	memcpy(&header, entry->mad, sizeof(header));
	return header.method == method && header.attr_id == htobe16(attr_id);
}

unsigned int sa_world_sent(uint8_t method, uint16_t attr_id)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < world.log_count; i++)
		count += is_like(&world.log[i], method, attr_id);
	return count;
}

const struct sa_world_mad *sa_world_last(uint8_t method, uint16_t attr_id)
{
	unsigned int i = world.log_count;

	while (i && !is_like(&world.log[i - 1], method, attr_id))
		i--;
	assert_true(i);
	return &world.log[i - 1];
}

uint64_t sa_world_mask(const struct sa_world_mad *asked)
{
	uint64_t mask;

	memcpy(&mask, asked->mad + MASK_OFFSET, sizeof(mask));
	return be64toh(mask);
}

void sa_world_answer(struct fake_umad *request, uint16_t status, const void *record, size_t bytes)
{
	struct madring_mad_hdr *header = mad_header_of(request->mad);

	header->method = header->method == MADRING_SET ? MADRING_GET_RESP
						       : header->method | MADRING_RESPONSE_BIT;
	header->status = htobe16(status);
	if (record)
		memcpy(request->mad + MADRING_SA_DATA, record, bytes);
	fake_send(request);
}

void sa_world_answer_table(struct fake_umad *request, uint8_t method, const void *records,
			   size_t bytes, size_t stride)
{
	size_t segments = bytes ? (bytes + SEGMENT_BYTES - 1) / SEGMENT_BYTES : 1;
	uint16_t words = htobe16((uint16_t)(stride / 8));

	mad_header_of(request->mad)->method = method;
	memcpy(request->mad + STRIDE_OFFSET, &words, sizeof(words));
	for (size_t i = 0; i < segments; i++) {
		size_t left = bytes - i * SEGMENT_BYTES;
		size_t part = left < SEGMENT_BYTES ? left : SEGMENT_BYTES;
		uint8_t flags = i ? 0 : MADRING_RMPP_FIRST;
		size_t length = 0;

		if (i == 0)
			length = segments * SA_HEADER_BYTES + bytes;
		if (i + 1 == segments) {
			flags |= MADRING_RMPP_LAST;
			length = SA_HEADER_BYTES + part;
		}
		memset(request->mad + MADRING_SA_DATA, 0, SEGMENT_BYTES);
		if (part)
			memcpy(request->mad + MADRING_SA_DATA,
			       (const uint8_t *)records + i * SEGMENT_BYTES, part);
		fixture_set_rmpp(request->mad, flags, (uint32_t)i + 1, (uint32_t)length);
		fake_send(request);
	}
}

void sa_world_confirm(struct fake_umad *request)
{
	const struct madring_mad_hdr *header = mad_header_of(request->mad);

	if (header->method == MADRING_SET && header->attr_id == htobe16(MADRING_ATTR_INFORM_INFO))
		sa_world_answer(request, 0, NULL, 0);
}

void sa_world_hear(const struct madring_notification *notification)
{
	struct sa_world_heard *heard = notification->user;

	heard->subscription = notification->subscription;
	switch (notification->kind) {
	case MADRING_NOTIFICATION_SUBSCRIBED:
		heard->subscribed++;
		assert_int_equal(notification->status, 0);
		break;
	case MADRING_NOTIFICATION_LOST:
		heard->lost++;
		heard->status = notification->status;
		heard->mad_status = notification->mad_status;
		assert_int_not_equal(notification->status, 0);
		break;
	case MADRING_NOTIFICATION_NOTICE:
		heard->notices++;
		heard->notice = *notification->notice;
		heard->lid = notification->lid;
		assert_non_null(notification->mad);
		return;
	}
	assert_null(notification->notice);
	assert_null(notification->mad);
}

void sa_world_take_buffers(void)
{
	struct madring_mad *mad;

	assert_int_equal(madring_subnet_agent(world.subnet, MADRING_CLASS_CC, &world.taker), 0);
	while ((mad = madring_mad_alloc(world.taker))) {
		assert_true(world.taken_count < sizeof(world.taken) / sizeof(world.taken[0]));
		world.taken[world.taken_count++] = mad;
	}
}

void sa_world_give_buffers(void)
{
	while (world.taken_count)
		madring_mad_free(world.ring, world.taken[--world.taken_count]);
}

void sa_world_make_report(struct fake_umad *umad, uint64_t tid, uint16_t lid,
			  const struct madring_notice *notice)
{
	struct madring_mad_hdr *header;

	assert_true(fake_request(umad, MADRING_CLASS_SA, MADRING_REPORT, tid));
	header = mad_header_of(umad->mad);
	header->class_version = 2;
	header->attr_id = htobe16(MADRING_ATTR_NOTICE);
	umad->umad.addr.lid = htobe16(lid);
	assert_int_equal(madring_notice_encode(umad->mad + MADRING_SA_DATA,
					       MADRING_NOTICE_GID_BYTES, notice),
			 0);
}

void sa_world_report(uint64_t tid, uint16_t lid, const struct madring_notice *notice)
{
	struct fake_umad umad;

	sa_world_make_report(&umad, tid, lid, notice);
	fake_send(&umad);
}
