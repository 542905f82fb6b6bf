/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening and closing an SA, and following the attributes of its port (src/sa/sa.c). */
#include "unit/sa/sa_world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/failing.h"

#define HOUR_MS 3600000u

static const struct madring_sa_request get_path = {
	.attr_id = MADRING_ATTR_PATH_RECORD,
	.method = MADRING_GET,
};

/* Counts changes of the state, and holds the last one. */
struct changes {
	unsigned int count;
	struct madring_sa_state before, now;
};

static void on_change(void *user, const struct madring_sa_state *before,
		      const struct madring_sa_state *now)
{
	struct changes *changes = user;

	changes->count++;
	changes->before = *before;
	changes->now = *now;
}

static struct changes changes;
static const struct madring_sa_config watching = { .change = on_change, .user = &changes };

static int watching_setup(void **state)
{
	memset(&changes, 0, sizeof(changes));
	sa_world_open(&watching);
	return 0;
}

/* A test whose SA tells of changes. */
#define WATCHING_TEST(test) cmocka_unit_test_setup_teardown(test, watching_setup, sa_world_teardown)

static void test_the_state_is_that_of_the_port(void **state)
{
	static const struct madring_gid local_gid = { { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x00, 0x02,
							0xc9, 0x03, 0x00, 0x00, 0x12, 0x34 } };
	struct madring_sa_state now;

	madring_sa_get_state(world.sa, &now);
	assert_int_equal(now.sm_lid, SM_LID);
	assert_int_equal(now.sm_sl, SM_SL);
	assert_int_equal(now.lid, FAKE_LID);
	assert_int_equal(now.lmc, 0);
	assert_int_equal(now.port_state, 4);
	assert_memory_equal(&now.gid, &local_gid, sizeof(local_gid));
}

/*
 * Closing the port cancels the timer, whose .watch is called once more. By then the time has come
 * to look at the port, which is gone.
 */
static void test_the_port_is_closed_before(void **state)
{
	struct madring_port *port;

	memset(&changes, 0, sizeof(changes));
	sa_world_open(&watching);
	port = madring_subnet_port(world.subnet, MADRING_CLASS_SA);
	fake_port()->sm_lid = SM_LID + 1;
	world.now_ns += UINT64_C(2000000000);
	assert_int_equal(madring_port_close(port), 0);
	assert_true(madring_run(world.ring, 0) >= 0);
	assert_int_equal(changes.count, 0);
	assert_int_equal(madring_subnet_close(world.subnet), 0);
	/* Nothing of the SA can be closed any more. */
	free(world.sa);
	assert_int_equal(living_allocations, world.allocations);
	fake_reset(0, 0);
}

static void test_a_change_is_seen_within_a_second(void **state)
{
	struct madring_sa_state now;

	fake_port()->sm_lid = SM_LID + 1;
	sa_world_pass(900);
	assert_int_equal(changes.count, 0);
	madring_sa_get_state(world.sa, &now);
	assert_int_equal(now.sm_lid, SM_LID);
	sa_world_pass(200);
	assert_int_equal(changes.count, 1);
	assert_int_equal(changes.before.sm_lid, SM_LID);
	assert_int_equal(changes.now.sm_lid, SM_LID + 1);
	madring_sa_get_state(world.sa, &now);
	assert_int_equal(now.sm_lid, SM_LID + 1);
	sa_world_pass(5000);
	assert_int_equal(changes.count, 1);
}

static void test_no_pkey_is_read_to_see_a_change(void **state)
{
	unsigned int before = fake_port()->pkey_tables;

	fake_port()->lid++;
	sa_world_pass(5000);
	assert_int_equal(changes.count, 1);
	assert_int_equal(fake_port()->pkey_tables, before);
}

static void test_the_time_of_reading_is_configured(void **state)
{
	struct madring_sa_config config = watching;

	memset(&changes, 0, sizeof(changes));
	config.watch_ms = 100;
	sa_world_open(&config);
	fake_port()->sm_lid = SM_LID + 1;
	sa_world_pass(150);
	assert_int_equal(changes.count, 1);
	sa_world_close();
	config.watch_ms = HOUR_MS;
	sa_world_open(&config);
	fake_port()->sm_lid = SM_LID + 1;
	sa_world_pass(10000);
	assert_int_equal(changes.count, 1);
	sa_world_close();
}

static void test_each_attribute_is_followed(void **state)
{
	unsigned int count = 0;

	fake_port()->sm_lid++;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	assert_int_equal(changes.count, ++count);
	fake_port()->sm_sl++;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	assert_int_equal(changes.count, ++count);
	fake_port()->lid++;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	assert_int_equal(changes.count, ++count);
	fake_port()->lmc++;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	assert_int_equal(changes.count, ++count);
	fake_port()->state--;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	assert_int_equal(changes.count, ++count);
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	assert_int_equal(changes.count, count);
	assert_int_equal(changes.now.sm_lid, SM_LID + 1);
	assert_int_equal(changes.now.sm_sl, SM_SL + 1);
	assert_int_equal(changes.now.lid, FAKE_LID + 1);
	assert_int_equal(changes.now.lmc, 1);
	assert_int_equal(changes.now.port_state, 3);
}

static void test_a_port_that_cannot_be_read_is_read_again(void **state)
{
	struct madring_sa_state now;

	fake_port()->sm_lid = SM_LID + 1;
	fake_port()->error = -EIO;
	assert_int_equal(madring_sa_refresh(world.sa), -EIO);
	sa_world_pass(3000);
	assert_int_equal(changes.count, 0);
	madring_sa_get_state(world.sa, &now);
	assert_int_equal(now.sm_lid, SM_LID);
	fake_port()->error = 0;
	sa_world_pass(1100);
	assert_int_equal(changes.count, 1);
}

static void test_queries_go_to_the_new_sm(void **state)
{
	const struct madring_sa_config defaults = { 0 };
	struct madring_sa_answer answer;
	const struct sa_world_mad *asked;

	sa_world_open(&defaults);
	fake_port()->sm_lid = SM_LID + 1;
	fake_port()->sm_sl = 9;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), -ETIMEDOUT);
	asked = sa_world_last(MADRING_GET, MADRING_ATTR_PATH_RECORD);
	assert_int_equal(asked->lid, SM_LID + 1);
	assert_int_equal(asked->sl, 9);
	sa_world_close();
}

/* Checks that an SA cannot be opened, and leaves nothing. */
static void check_not_opened(const struct madring_sa_config *config, int error)
{
	long allocations = living_allocations;
	unsigned int agents = fake_agents();
	struct madring_sa *sa = NULL;

	assert_int_equal(madring_sa_open(world.subnet, config, &sa), error);
	assert_null(sa);
	assert_int_equal(living_allocations, allocations);
	assert_int_equal(fake_agents(), agents);
	assert_true(madring_run(world.ring, 0) >= 0);
}

static int subnet_setup(void **state)
{
	sa_world_open(NULL);
	return 0;
}

/* A test with an open subnet and no SA. */
#define SUBNET_TEST(test) cmocka_unit_test_setup_teardown(test, subnet_setup, sa_world_teardown)

static void test_wrong_sa_configuration_is_refused(void **state)
{
	struct madring_sa_config config;

	config = (struct madring_sa_config){ .watch_ms = HOUR_MS + 1 };
	check_not_opened(&config, -EINVAL);
	config = (struct madring_sa_config){ .renew_ms = HOUR_MS + 1 };
	check_not_opened(&config, -EINVAL);
	config = (struct madring_sa_config){ .close_ms = HOUR_MS + 1 };
	check_not_opened(&config, -EINVAL);
	config = (struct madring_sa_config){ .watch_ms = HOUR_MS,
					     .renew_ms = HOUR_MS,
					     .close_ms = HOUR_MS };
	assert_int_equal(madring_sa_open(world.subnet, &config, &world.sa), 0);
}

static void test_the_port_may_be_unreadable(void **state)
{
	fake_port()->error = -EIO;
	check_not_opened(NULL, -EIO);
}

static void test_refused_agent_fails_the_sa(void **state)
{
	const struct madring_agent_config agent = { .timeout_ms = -2 };
	const struct madring_sa_config config = { .agent = &agent };

	check_not_opened(&config, -EINVAL);
}

static void test_memory_may_be_exhausted(void **state)
{
	unsigned int failures = 0;
	struct madring_sa *first;

	/* The first one has the ring allocate what it keeps. */
	assert_int_equal(madring_sa_open(world.subnet, NULL, &first), 0);
	for (;;) {
		long allocations = living_allocations;
		int error;

		fail_at = failures + 1;
		error = madring_sa_open(world.subnet, NULL, &world.sa);
		if (fail_at || !error)
			break;
		assert_int_equal(error, -ENOMEM);
		assert_int_equal(living_allocations, allocations);
		assert_null(world.sa);
		failures++;
	}
	fail_at = 0;
	assert_true(failures > 3);
	assert_non_null(world.sa);
	assert_int_equal(madring_sa_close(first), 0);
}

static void test_sa_opens_without_sm(void **state)
{
	struct madring_sa_state now;

	fake_port()->sm_lid = 0;
	assert_int_equal(madring_sa_open(world.subnet, NULL, &world.sa), 0);
	madring_sa_get_state(world.sa, &now);
	assert_int_equal(now.sm_lid, 0);
	fake_port()->sm_lid = SM_LID;
	sa_world_pass(1100);
	madring_sa_get_state(world.sa, &now);
	assert_int_equal(now.sm_lid, SM_LID);
}

static void test_no_sa_can_be_closed(void **state)
{
	assert_int_equal(madring_sa_close(NULL), 0);
}

/* Returns how many InformInfos have ended subscriptions since the log began. */
static unsigned int farewells(void)
{
	struct madring_inform_info inform;
	unsigned int count = 0;

	for (unsigned int i = 0; i < world.log_count; i++) {
		struct madring_mad_hdr header;

		memcpy(&header, world.log[i].mad, sizeof(header));
		if (header.attr_id != htobe16(MADRING_ATTR_INFORM_INFO))
			continue;
		madring_inform_info_decode(&inform, world.log[i].mad + MADRING_SA_DATA);
		count += !inform.subscribe;
	}
	return count;
}

/* Subscribes to different notices. */
static void subscribe_to_two(struct sa_world_heard *heard)
{
	const struct madring_subscription_config config = { .trap_number = 64 };
	struct madring_subscription *subscription;

	memset(heard, 0, sizeof(*heard));
	assert_int_equal(madring_subscribe(world.sa, NULL, sa_world_hear, heard, &subscription), 0);
	assert_int_equal(madring_subscribe(world.sa, &config, sa_world_hear, heard, &subscription),
			 0);
	sa_world_pass(50);
	assert_int_equal(heard->subscribed, 2);
}

static void test_a_close_ends_all_subscriptions(void **state)
{
	struct sa_world_heard heard;
	uint64_t began;

	subscribe_to_two(&heard);
	began = sa_world_ms();
	assert_int_equal(madring_sa_close(world.sa), 0);
	world.sa = NULL;
	assert_int_equal(farewells(), 2);
	assert_in_range(sa_world_ms() - began, 0, 50);
	assert_int_equal(heard.subscribed, 2);
	assert_int_equal(heard.lost, 0);
	sa_world_check_buffers();
	assert_int_equal(fake_agents(), 0);
}

/* Closes an SA whose SM is silent. Returns the ms that it took. */
static uint64_t close_without_answer(uint32_t close_ms)
{
	const struct madring_sa_config config = { .close_ms = close_ms };
	struct sa_world_heard heard;
	uint64_t began;

	sa_world_open(&config);
	subscribe_to_two(&heard);
	world.respond = NULL;
	began = sa_world_ms();
	assert_int_equal(madring_sa_close(world.sa), 0);
	world.sa = NULL;
	began = sa_world_ms() - began;
	assert_true(farewells() >= 2);
	sa_world_close();
	return began;
}

static void test_close_waits_for_a_silent_sa(void **state)
{
	assert_in_range(close_without_answer(200), 200, 250);
	/* The attempts of an InformInfo that ends a subscription take 900 ms. */
	assert_in_range(close_without_answer(0), 900, 950);
	assert_in_range(close_without_answer(HOUR_MS), 900, 950);
}

static void test_a_signal_does_not_end_a_close(void **state)
{
	struct sa_world_heard heard;

	subscribe_to_two(&heard);
	world.turn_error = -EINTR;
	assert_int_equal(madring_sa_close(world.sa), 0);
	world.sa = NULL;
	assert_int_equal(world.turn_error, 0);
	assert_int_equal(farewells(), 2);
}

/* Counts outcomes of queries that a close has canceled, and tries what is not possible then. */
static void on_canceled(struct madring_sa_answer *answer)
{
	unsigned int *count = answer->user;
	struct madring_subscription *subscription;

	assert_int_equal(answer->status, -ECANCELED);
	assert_null(answer->mad);
	++*count;
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_canceled, count), -ESHUTDOWN);
	assert_int_equal(madring_subscribe(world.sa, NULL, sa_world_hear, NULL, &subscription),
			 -ESHUTDOWN);
}

static void test_a_close_cancels_queries(void **state)
{
	struct sa_world_heard heard;
	unsigned int count = 0;

	world.respond = sa_world_confirm;
	subscribe_to_two(&heard);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(madring_sa_query(world.sa, &get_path, on_canceled, &count), 0);
	sa_world_pass(50);
	assert_int_equal(count, 0);
	/* One more, which is not written yet. */
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_canceled, &count), 0);
	assert_int_equal(madring_sa_close(world.sa), 0);
	assert_int_equal(count, 4);
	world.sa = NULL;
	assert_int_equal(farewells(), 2);
	sa_world_pass(100);
	sa_world_check_buffers();
}

/* Answers a query only together with the end of a subscription. */
static void answer_at_the_end(struct fake_umad *request)
{
	static struct fake_umad query;
	struct madring_inform_info inform;

	if (mad_header_of(request->mad)->attr_id == htobe16(MADRING_ATTR_PATH_RECORD)) {
		query = *request;
		return;
	}
	madring_inform_info_decode(&inform, request->mad + MADRING_SA_DATA);
	if (!inform.subscribe)
		sa_world_answer(&query, 0x0100, NULL, 0);
	sa_world_answer(request, 0, NULL, 0);
}

static void on_answer_while_closing(struct madring_sa_answer *answer)
{
	unsigned int *count = answer->user;
	struct madring_subscription *subscription;

	assert_int_equal(answer->status, -EREMOTEIO);
	++*count;
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_answer_while_closing, count),
			 -ESHUTDOWN);
	assert_int_equal(madring_subscribe(world.sa, NULL, sa_world_hear, NULL, &subscription),
			 -ESHUTDOWN);
}

static void test_closing_sa_refuses_work(void **state)
{
	struct sa_world_heard heard;
	unsigned int count = 0;

	world.respond = answer_at_the_end;
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_answer_while_closing, &count), 0);
	subscribe_to_two(&heard);
	assert_int_equal(madring_sa_close(world.sa), 0);
	world.sa = NULL;
	assert_int_equal(count, 1);
	sa_world_check_buffers();
}

static void on_change_that_closes(void *user, const struct madring_sa_state *before,
				  const struct madring_sa_state *now)
{
	on_change(user, before, now);
	assert_int_equal(madring_sa_close(world.sa), -EBUSY);
}

static void on_answer_that_closes(struct madring_sa_answer *answer)
{
	unsigned int *count = answer->user;

	assert_int_equal(madring_sa_close(world.sa), -EBUSY);
	++*count;
}

static void test_callback_cannot_close_the_sa(void **state)
{
	const struct madring_sa_config config = { .change = on_change_that_closes,
						  .user = &changes };
	const struct madring_sa_request set = { .attr_id = MADRING_ATTR_INFORM_INFO,
						.method = MADRING_SET };
	struct sa_world_heard heard;
	unsigned int count = 0;

	memset(&changes, 0, sizeof(changes));
	sa_world_open(&config);
	subscribe_to_two(&heard);
	assert_int_equal(madring_sa_query(world.sa, &set, on_answer_that_closes, &count), 0);
	fake_port()->lid++;
	sa_world_pass(1100);
	assert_int_equal(changes.count, 1);
	assert_int_equal(count, 1);
	/* It is still open, and still subscribed. */
	assert_int_equal(heard.subscribed, 4);
	fake_port()->lid++;
	sa_world_pass(1100);
	assert_int_equal(changes.count, 2);
	assert_int_equal(heard.subscribed, 6);
	sa_world_close();
}

static void count_answer(struct madring_sa_answer *answer)
{
	unsigned int *count = answer->user;

	++*count;
}

/* Tries in a child what it may not. Returns 0, or the number of what went wrong. */
static int misuse(const unsigned int *count)
{
	struct madring_sa_answer answer;

	if (madring_sa_call(world.sa, &get_path, &answer) != -EREMOTE)
		return 1;
	if (answer.status != -EREMOTE || answer.mad)
		return 2;
	if (madring_sa_close(world.sa) != -EREMOTE)
		return 3;
	return *count ? 4 : 0;
}

static void test_child_cannot_use_the_sa(void **state)
{
	const struct madring_sa_request set = { .attr_id = MADRING_ATTR_INFORM_INFO,
						.method = MADRING_SET };
	struct sa_world_heard heard;
	unsigned int count = 0;
	int status;
	pid_t child;

	subscribe_to_two(&heard);
	/* The answer has come, and waits to be called back by the parent. */
	assert_int_equal(madring_sa_query(world.sa, &set, count_answer, &count), 0);
	while (madring_submit(world.ring) > 0)
		;
	assert_int_equal(fake_unread(), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(misuse(&count));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(madring_dispatch(world.ring, 0), 1);
	assert_int_equal(count, 1);
	assert_int_equal(farewells(), 1); /* the query above, which is all zeros */
	fake_port()->lid++;
	sa_world_pass(1100);
	assert_int_equal(heard.subscribed, 4);
}

static void test_the_device_may_be_gone(void **state)
{
	struct madring_sa_answer answer;
	struct sa_world_heard heard;

	subscribe_to_two(&heard);
	fake_remove();
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), -ENODEV);
	madring_sa_answer_release(world.sa, &answer);
	assert_int_equal(madring_sa_close(world.sa), 0);
	world.sa = NULL;
}

static const struct CMUnitTest tests[] = {
	SA_TEST(test_the_state_is_that_of_the_port),
	cmocka_unit_test(test_the_port_is_closed_before),
	WATCHING_TEST(test_a_change_is_seen_within_a_second),
	WATCHING_TEST(test_no_pkey_is_read_to_see_a_change),
	cmocka_unit_test(test_the_time_of_reading_is_configured),
	WATCHING_TEST(test_each_attribute_is_followed),
	WATCHING_TEST(test_a_port_that_cannot_be_read_is_read_again),
	cmocka_unit_test(test_queries_go_to_the_new_sm),
	SUBNET_TEST(test_wrong_sa_configuration_is_refused),
	SUBNET_TEST(test_the_port_may_be_unreadable),
	SUBNET_TEST(test_refused_agent_fails_the_sa),
	SUBNET_TEST(test_memory_may_be_exhausted),
	SUBNET_TEST(test_sa_opens_without_sm),
	SUBNET_TEST(test_no_sa_can_be_closed),
	SA_TEST(test_a_close_ends_all_subscriptions),
	cmocka_unit_test(test_close_waits_for_a_silent_sa),
	SA_TEST(test_a_signal_does_not_end_a_close),
	SA_TEST(test_a_close_cancels_queries),
	SA_TEST(test_closing_sa_refuses_work),
	cmocka_unit_test(test_callback_cannot_close_the_sa),
	SA_TEST(test_child_cannot_use_the_sa),
	SA_TEST(test_the_device_may_be_gone),
};

TEST_MAIN(tests, NULL, NULL)
