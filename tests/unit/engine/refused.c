/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel refuses some writes for now: it has no memory, or it still sends another MAD of the
 * same TID. The engine repeats them a bounded number of times, with pauses that grow.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/tid.h"
#include "engine_fixture.h"

#define US   1000ull
#define MADS 500u

#define CALLERS_TID 7u

struct buffers {
	struct buffer buffer[MADS];
} __attribute__((aligned(64)));

static uint64_t send_one(struct engine *engine, unsigned int agent, struct buffer *buffer,
			 bool no_reply, uint64_t timeout_ns)
{
	struct engine_request request = {
		.umad = &buffer->umad,
		.length = sizeof(buffer->mad),
		.user = buffer,
		.no_reply = no_reply,
		.timeout_ns = timeout_ns,
	};
	uint64_t id;

	assert_int_equal(engine_send(engine, agent, &request, &id), 0);
	return id;
}

/*
 * `write_all` plays the kernel of Linux 6.17 and later: it refuses a write while another MAD of the
 * same TID is being sent. Sending goes on for a while after a write was reported. Returns how
 * many writes were refused.
 */
static unsigned int write_all(struct engine *engine, uint64_t sending_ns)
{
	struct engine_completion completion;
	struct engine_write write;
	uint64_t now = MS, busy_until = 0;
	unsigned int refused = 0, ended = 0;

	while (engine_outstanding(engine)) {
		assert_true(now < 3600 * 1000 * MS);
		/* All writes of one submission are done at once. */
		while (engine_next_write(engine, now, &write)) {
			bool is_duplicate = now < busy_until;

			if (!is_duplicate)
				busy_until = now + sending_ns;
			refused += is_duplicate;
			engine_write_done(engine, write.id, is_duplicate ? -EINVAL : 0, now);
		}
		while (engine_next_completion(engine, &completion)) {
			assert_int_equal(completion.status, 0);
			assert_int_equal(completion.attempts, 1);
			ended++;
		}
		now += 100 * US;
		engine_advance(engine, now);
	}
	assert_int_equal(ended, MADS);
	return refused;
}

static void one_tid(const struct engine_agent_config *config, uint32_t destinations)
{
	struct engine *engine = fixture_open(MADS, MS, MS);
	struct buffers *buffers = aligned_alloc(64, sizeof(*buffers));
	unsigned int agent = (unsigned int)engine_agent_open(engine, config);

	assert_non_null(buffers);
	for (uint32_t i = 0; i < MADS; i++) {
		fixture_request(&buffers->buffer[i], (uint16_t)(1 + i % destinations), 0x12);
		tid_write(buffers->buffer[i].mad, CALLERS_TID);
		send_one(engine, agent, &buffers->buffer[i], true, 0);
	}
	assert_in_range(write_all(engine, 300 * US), 1, 10 * MADS);
	assert_int_equal(engine_stats(engine)->send_failed, 0);
	assert_int_equal(engine_stats(engine)->retried, 0);
	engine_close(engine);
	free(buffers);
}

static void test_many_mads_of_one_tid(void **state)
{
	struct engine_agent_config config = fixture_agent();

	one_tid(&config, 1);
	one_tid(&config, MADS);
	config.window = MADS;
	config.pin_window = true;
	one_tid(&config, 1);
}

/* Sends the MAD without a reply. Returns the TID that it is written with. */
static uint32_t written_tid(struct engine *engine, unsigned int agent, struct buffer *buffer)
{
	struct engine_completion completion;
	uint32_t tid;

	send_one(engine, agent, buffer, true, 0);
	tid = fixture_tid(fixture_write(engine, MS).umad);
	assert_true(engine_next_completion(engine, &completion));
	assert_int_equal(completion.status, 0);
	assert_ptr_equal(completion.request, &buffer->umad);
	return tid;
}

static void test_a_tid_for_each_mad_without_one(void **state)
{
	struct engine *engine = fixture_open(1, MS, MS);
	struct engine_agent_config config = fixture_agent();
	unsigned int agent = (unsigned int)engine_agent_open(engine, &config);
	struct buffer buffer __attribute__((aligned(64)));
	uint32_t last = 0;

	fixture_request(&buffer, 7, 0x12);
	tid_write(buffer.mad, 0);
	/* The program sends a MAD again without a change after it got it back. */
	for (int i = 0; i < 3; i++) {
		uint32_t tid = written_tid(engine, agent, &buffer);

		assert_true(tid_is_own(tid));
		assert_true(tid != last);
		assert_int_equal(tid_read(buffer.mad), 0);
		last = tid;
	}
	engine_close(engine);
}

static void test_the_callers_tid_stays(void **state)
{
	static const uint8_t responses[] = { MADRING_GET_RESP, MADRING_TRAP_REPRESS };
	struct engine *engine = fixture_open(1, MS, MS);
	struct engine_agent_config config = fixture_agent();
	unsigned int agent = (unsigned int)engine_agent_open(engine, &config);
	struct buffer buffer __attribute__((aligned(64)));

	fixture_request(&buffer, 7, 0x12);
	tid_write(buffer.mad, CALLERS_TID);
	assert_int_equal(written_tid(engine, agent, &buffer), CALLERS_TID);
	assert_int_equal(tid_read(buffer.mad), CALLERS_TID);
	for (size_t i = 0; i < sizeof(responses); i++) {
		tid_write(buffer.mad, 0);
		buffer.mad[offsetof(struct madring_mad_hdr, method)] = responses[i];
		assert_int_equal(written_tid(engine, agent, &buffer), 0);
	}
	engine_close(engine);
}

/* A write that was refused is repeated with the TID that it had. */
static void test_a_refused_mad_has_a_tid(void **state)
{
	struct engine *engine = fixture_open(1, MS, MS);
	struct engine_agent_config config = fixture_agent();
	unsigned int agent = (unsigned int)engine_agent_open(engine, &config);
	struct buffer buffer __attribute__((aligned(64)));
	struct engine_completion completion;
	struct engine_write write;
	uint64_t now = MS;
	uint32_t tid;

	fixture_request(&buffer, 7, 0x12);
	tid_write(buffer.mad, 0);
	send_one(engine, agent, &buffer, true, 0);
	assert_true(engine_next_write(engine, now, &write));
	tid = fixture_tid(write.umad);
	engine_write_done(engine, write.id, -EINVAL, now);
	while (!engine_wants_write(engine)) {
		now = engine_next_deadline(engine);
		engine_advance(engine, now);
	}
	assert_int_equal(fixture_tid(fixture_write(engine, now).umad), tid);
	assert_true(engine_next_completion(engine, &completion));
	assert_int_equal(completion.status, 0);
	engine_close(engine);
}

/*
 * Makes the writes of one request until it is given up, and refuses each of them. Returns how many
 * there were.
 */
static unsigned int refuse(const struct engine_agent_config *config, int error, bool no_reply,
			   uint64_t timeout_ns, uint64_t *took)
{
	struct engine *engine = fixture_open(4, MS, MS);
	unsigned int agent = (unsigned int)engine_agent_open(engine, config);
	struct buffer buffer __attribute__((aligned(64)));
	struct engine_completion completion;
	struct engine_write write;
	unsigned int writes = 0;
	uint64_t now = MS, last = 0;

	fixture_request(&buffer, 7, 0x12);
	send_one(engine, agent, &buffer, no_reply, timeout_ns);
	while (!engine_next_completion(engine, &completion)) {
		if (!engine_next_write(engine, now, &write)) {
			now = engine_next_deadline(engine);
			assert_true(now < ENGINE_NEVER);
			engine_advance(engine, now);
			continue;
		}
		writes++;
		/* Each pause is at least half as long as the longest pause of its number. */
		if (writes > 1)
			assert_true(now - last >= (1ull << (writes - 2)) * MS / 2);
		last = now;
		engine_write_done(engine, write.id, error, now);
	}
	assert_int_equal(completion.status, error);
	assert_int_equal(engine_stats(engine)->send_failed, 1);
	engine_close(engine);
	*took = now - MS;
	return writes;
}

static void test_in_the_end_the_error_is_told(void **state)
{
	static const int no_memory[] = { -ENOMEM, -ENOBUFS };
	struct engine_agent_config config = fixture_agent();
	uint64_t took;

	assert_int_equal(refuse(&config, -EINVAL, true, 0, &took), 11);
	assert_in_range(took, 500 * MS, 1023 * MS);
	assert_int_equal(refuse(&config, -EINVAL, false, 0, &took), 1);
	assert_int_equal(refuse(&config, -EIO, true, 0, &took), 1);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(refuse(&config, no_memory[i], true, 0, &took), 11);
		assert_int_equal(refuse(&config, no_memory[i], false, ENGINE_NEVER, &took), 11);
		/* The request is given up within the timeout of its first attempt. */
		assert_int_equal(refuse(&config, no_memory[i], false, 0, &took), 5);
		assert_true(took <= config.min_timeout_ns);
		assert_int_equal(refuse(&config, no_memory[i], false, 100 * MS, &took), 7);
		assert_true(took <= 100 * MS);
		assert_int_equal(refuse(&config, no_memory[i], false, MS / 2, &took), 1);
	}
}

/* Once there is memory again, the request goes on as if nothing had happened. */
static void test_memory_comes_back(void **state)
{
	struct engine *engine = fixture_open(4, MS, MS);
	struct engine_agent_config config = fixture_agent();
	unsigned int agent = (unsigned int)engine_agent_open(engine, &config);
	struct buffer request __attribute__((aligned(64)));
	struct buffer reply __attribute__((aligned(64)));
	struct engine_completion completion;
	struct engine_write write;
	uint64_t now = MS;

	fixture_request(&request, 7, 0x12);
	fixture_send(engine, agent, &request);
	for (int i = 0; i < 3; i++) {
		assert_true(engine_next_write(engine, now, &write));
		engine_write_done(engine, write.id, -ENOMEM, now);
		while (!engine_wants_write(engine)) {
			now = engine_next_deadline(engine);
			engine_advance(engine, now);
		}
	}
	fixture_reply(&reply, fixture_write(engine, now).umad);
	assert_int_equal(fixture_receive(engine, &reply, now + MS), ENGINE_REPLY);
	assert_true(engine_next_completion(engine, &completion));
	assert_int_equal(completion.status, 0);
	assert_int_equal(completion.attempts, 1);
	assert_true(completion.rtt_ns == MS);
	engine_close(engine);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_many_mads_of_one_tid),
	cmocka_unit_test(test_a_tid_for_each_mad_without_one),
	cmocka_unit_test(test_the_callers_tid_stays),
	cmocka_unit_test(test_a_refused_mad_has_a_tid),
	cmocka_unit_test(test_in_the_end_the_error_is_told),
	cmocka_unit_test(test_memory_comes_back),
};

TEST_MAIN(tests, NULL, NULL)
