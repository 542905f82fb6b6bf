/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configurations that can be opened; and the memory, all of which is taken then except that of
 * messages received.
 */
#include <errno.h>
#include <stdlib.h>

#include "unit/failing.h"
#include "rmpp_fixture.h"

#define TRANSFERS 3000u

static int open_error(const struct rmpp_config *config)
{
	struct rmpp *rmpp = NULL;
	int error = rmpp_open(&rmpp, config);

	rmpp_close(rmpp);
	return error;
}

#define assert_refused(field, value)                                                               \
	do {                                                                                       \
		struct rmpp_config changed = fixture_config();                                     \
		changed.field = value;                                                             \
		assert_int_equal(open_error(&changed), -EINVAL);                                   \
	} while (0)

static void test_config(void **state)
{
	struct rmpp_config config = fixture_config();

	assert_int_equal(open_error(&config), 0);
	config.sends = config.receives = config.frames = config.window = 1;
	config.message_limit = 256;
	config.retries = 0;
	config.linger_ns = 0;
	config.total_ns = RMPP_NEVER;
	assert_int_equal(open_error(&config), 0);
	config.window = RMPP_MAX_WINDOW;
	config.message_limit = RMPP_MAX_MESSAGE;
	config.frames = RMPP_MAX_FRAMES;
	assert_int_equal(open_error(&config), 0);
	assert_refused(sends, 0);
	assert_refused(sends, RMPP_MAX_TRANSFERS + 1);
	assert_refused(receives, 0);
	assert_refused(receives, RMPP_MAX_TRANSFERS + 1);
	assert_refused(frames, 0);
	assert_refused(frames, RMPP_MAX_FRAMES + 1);
	assert_refused(window, 0);
	assert_refused(window, RMPP_MAX_WINDOW + 1);
	assert_refused(message_limit, 255);
	assert_refused(message_limit, (size_t)RMPP_MAX_MESSAGE + 1);
	assert_refused(tick_ns, 0);
	assert_refused(first_timeout_ns, 0);
	assert_refused(min_timeout_ns, 0);
	assert_refused(max_timeout_ns, 10 * MS - 1);
	assert_refused(idle_ns, 0);
	assert_refused(total_ns, 0);
	assert_refused(memory.take, NULL);
	assert_refused(memory.give, NULL);
}

static void test_no_memory(void **state)
{
	const struct rmpp_config config = fixture_config();
	unsigned int calls = 0;
	int error;

	do {
		fail_at = ++calls;
		error = open_error(&config);
		/* Each allocation has failed in turn, until none was left. */
		assert_int_equal(error, fail_at ? 0 : -ENOMEM);
	} while (error);
	fail_at = 0;
	assert_in_range(calls, 5, 20);
}

void *__real_malloc(size_t bytes);

/* Messages never fail to get memory. */
static struct ib_user_mad *take(void *context, size_t bytes)
{
	return __real_malloc(sizeof(struct ib_user_mad) + bytes);
}

static void give(void *context, struct ib_user_mad *message)
{
	free(message);
}

static void receive_many(struct rmpp *rmpp, unsigned int number, uint64_t now)
{
	struct rmpp_frame frame;
	struct mad mad;

	mad_segment(&mad, 1, FIRST | LAST, 120);
	mad.mad[14] = (uint8_t)(number >> 8);
	mad.mad[15] = (uint8_t)number;
	assert_int_equal(input(rmpp, &mad, true, now), RMPP_STARTED);
	assert_true(rmpp_next_frame(rmpp, now, &frame));
	rmpp_frame_done(rmpp, frame.slot, 0, now);
}

static void test_rmpp_allocates_no_memory(void **state)
{
	struct rmpp_config config = fixture_config();
	struct ib_user_mad *message[TRANSFERS];
	struct rmpp_outcome outcome;
	struct rmpp *rmpp;
	unsigned int received = 0;

	config.memory = (struct rmpp_memory){ .take = take, .give = give };
	config.sends = config.receives = TRANSFERS;
	rmpp = fixture_open(&config);
	for (uint32_t i = 0; i < TRANSFERS; i++) {
		message[i] = message_make(SA_CLASS, GET_TABLE_RESP, 1000);
		message[i]->data[14] = (uint8_t)(i >> 8);
		message[i]->data[15] = (uint8_t)i;
	}
	fail_at = 1;
	for (uint32_t i = 0; i < TRANSFERS; i++) {
		struct rmpp_frame frame;

		message_send(rmpp, message[i], 1000, 0, 0);
		assert_true(rmpp_next_frame(rmpp, 0, &frame));
		rmpp_frame_done(rmpp, frame.slot, 0, 0);
		receive_many(rmpp, i, 0);
	}
	/* All messages arrive at once; those that linger make room for as many. */
	while (rmpp_next_outcome(rmpp, &outcome)) {
		received++;
		give(NULL, outcome.message);
	}
	assert_int_equal(received, TRANSFERS);
	for (uint32_t i = 0; i < TRANSFERS; i++)
		receive_many(rmpp, TRANSFERS + i, MS);
	rmpp_advance(rmpp, 70000 * MS);
	assert_int_equal(fail_at, 1);
	fail_at = 0;
	fixture_close(rmpp);
	for (uint32_t i = 0; i < TRANSFERS; i++)
		free(message[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_config),
	cmocka_unit_test(test_no_memory),
	cmocka_unit_test(test_rmpp_allocates_no_memory),
};

TEST_MAIN(tests, NULL, NULL)
