/* SPDX-License-Identifier: BSD-2-Clause */
/* Subscriptions: how they begin, are renewed, are lost and end (src/sa/sa_subscription.c). */
#include "unit/sa/sa_world.h"

#include <errno.h>
#include <string.h>

#include "unit/failing.h"

#define MINUTE_MS   60000u
#define AGAIN_MS    5000u
#define PATIENCE_MS 10000u
#define OTHER_SM    0x0043

static const struct madring_gid some_gid = { { 0xfe, 0x80, [15] = 0x77 } };

/* Returns how many InformInfos were sent. */
static unsigned int informs(void)
{
	return sa_world_sent(MADRING_SET, MADRING_ATTR_INFORM_INFO);
}

/* Returns the last InformInfo that was sent. */
static struct madring_inform_info last_inform(void)
{
	struct madring_inform_info inform;

	madring_inform_info_decode(&inform,
				   sa_world_last(MADRING_SET, MADRING_ATTR_INFORM_INFO)->mad +
					   MADRING_SA_DATA);
	return inform;
}

static struct madring_subscription *subscribe(const struct madring_subscription_config *config,
					      struct sa_world_heard *heard)
{
	struct madring_subscription *subscription;

	memset(heard, 0, sizeof(*heard));
	assert_int_equal(madring_subscribe(world.sa, config, sa_world_hear, heard, &subscription),
			 0);
	return subscription;
}

/* Does as subscribe(), and has it confirmed. */
static struct madring_subscription *subscribed(const struct madring_subscription_config *config,
					       struct sa_world_heard *heard)
{
	struct madring_subscription *subscription = subscribe(config, heard);

	sa_world_pass(50);
	assert_int_equal(heard->subscribed, 1);
	assert_true(madring_subscription_is_active(subscription));
	return subscription;
}

static void test_sa_confirms_a_subscription(void **state)
{
	struct sa_world_heard heard;
	struct madring_subscription *subscription = subscribe(NULL, &heard);
	struct madring_inform_info inform;

	assert_int_equal(world.log_count, 0);
	assert_false(madring_subscription_is_active(subscription));
	sa_world_pass(50);
	assert_int_equal(informs(), 1);
	assert_int_equal(sa_world_last(MADRING_SET, MADRING_ATTR_INFORM_INFO)->lid, SM_LID);
	inform = last_inform();
	assert_memory_equal(&inform.gid, &(struct madring_gid){ { 0 } }, sizeof(inform.gid));
	assert_int_equal(inform.lid_range_begin, 0xffff);
	assert_int_equal(inform.lid_range_end, 0);
	assert_int_equal(inform.is_generic, 1);
	assert_int_equal(inform.subscribe, 1);
	assert_int_equal(inform.type, 0xffff);
	assert_int_equal(inform.trap_number, 0xffff);
	assert_int_equal(inform.producer_type, 0xffffff);
	assert_int_equal(heard.subscribed, 1);
	assert_int_equal(heard.lost, 0);
	assert_ptr_equal(heard.subscription, subscription);
	assert_true(madring_subscription_is_active(subscription));
}

static void test_subscription_sends_its_configuration(void **state)
{
	struct madring_subscription_config config = {
		.trap_number = 64,
		.producer = 4,
		.lid_begin = 5,
		.lid_end = 9,
	};
	struct madring_inform_info inform;
	struct sa_world_heard heard;

	subscribed(&config, &heard);
	inform = last_inform();
	assert_int_equal(inform.is_generic, 1);
	assert_int_equal(inform.trap_number, 64);
	assert_int_equal(inform.producer_type, 4);
	assert_int_equal(inform.lid_range_begin, 5);
	assert_int_equal(inform.lid_range_end, 9);
	config = (struct madring_subscription_config){
		.vendor = true,
		.trap_number = 0x1011,
		.producer = 0x0002c9,
		.gid = some_gid,
	};
	subscribed(&config, &heard);
	inform = last_inform();
	assert_int_equal(inform.is_generic, 0);
	assert_int_equal(inform.trap_number, 0x1011);
	assert_int_equal(inform.producer_type, 0x0002c9);
	assert_memory_equal(&inform.gid, &some_gid, sizeof(some_gid));
	assert_int_equal(inform.lid_range_begin, 0);
	assert_int_equal(inform.lid_range_end, 0);
}

static void test_subscription_is_renewed_each_minute(void **state)
{
	struct sa_world_heard heard;

	subscribed(NULL, &heard);
	sa_world_pass(MINUTE_MS - 500);
	assert_int_equal(informs(), 1);
	sa_world_pass(1000);
	assert_int_equal(informs(), 2);
	assert_int_equal(last_inform().subscribe, 1);
	sa_world_pass(MINUTE_MS);
	assert_int_equal(informs(), 3);
	/* A renewal changes nothing for the program. */
	assert_int_equal(heard.subscribed, 1);
	assert_int_equal(heard.lost, 0);
}

static void test_the_time_of_renewal_is_configured(void **state)
{
	const struct madring_sa_config config = { .renew_ms = 2000 };
	struct sa_world_heard heard;

	sa_world_open(&config);
	subscribed(NULL, &heard);
	sa_world_pass(1500);
	assert_int_equal(informs(), 1);
	sa_world_pass(1000);
	assert_int_equal(informs(), 2);
	sa_world_close();
}

static void test_silent_sa_loses_a_subscription(void **state)
{
	struct sa_world_heard heard;
	struct madring_subscription *subscription = subscribed(NULL, &heard);

	world.respond = NULL;
	sa_world_pass(MINUTE_MS);
	assert_int_equal(heard.lost, 0);
	assert_true(madring_subscription_is_active(subscription));
	sa_world_pass(PATIENCE_MS + 200);
	assert_int_equal(heard.lost, 1);
	assert_int_equal(heard.status, -ETIMEDOUT);
	assert_int_equal(heard.mad_status, 0);
	assert_false(madring_subscription_is_active(subscription));
	/* madring goes on trying, and says no more. */
	sa_world_pass(4 * (PATIENCE_MS + AGAIN_MS));
	assert_int_equal(heard.lost, 1);
	assert_int_equal(heard.subscribed, 1);
	world.respond = sa_world_confirm;
	sa_world_pass(PATIENCE_MS + AGAIN_MS);
	assert_int_equal(heard.subscribed, 2);
	assert_true(madring_subscription_is_active(subscription));
}

static void refuse(struct fake_umad *request)
{
	sa_world_answer(request, 0x0100, NULL, 0);
}

static void test_a_refusal_is_told_once(void **state)
{
	struct sa_world_heard heard;
	struct madring_subscription *subscription;

	world.respond = refuse;
	subscription = subscribe(NULL, &heard);
	sa_world_pass(50);
	assert_int_equal(heard.lost, 1);
	assert_int_equal(heard.subscribed, 0);
	assert_int_equal(heard.status, -EREMOTEIO);
	assert_int_equal(heard.mad_status, 0x0100);
	assert_false(madring_subscription_is_active(subscription));
	assert_int_equal(informs(), 1);
	sa_world_pass(AGAIN_MS - 500);
	assert_int_equal(informs(), 1);
	sa_world_pass(1000);
	assert_int_equal(informs(), 2);
	assert_int_equal(heard.lost, 1);
	world.respond = sa_world_confirm;
	sa_world_pass(AGAIN_MS);
	assert_int_equal(informs(), 3);
	assert_int_equal(heard.subscribed, 1);
	assert_true(madring_subscription_is_active(subscription));
	/* A later loss is told again. */
	world.respond = refuse;
	sa_world_pass(MINUTE_MS + 500);
	assert_int_equal(heard.lost, 2);
}

static void test_new_sm_gets_the_subscription_at_once(void **state)
{
	struct sa_world_heard heard;
	struct madring_subscription *subscription = subscribed(NULL, &heard);

	fake_port()->sm_lid = OTHER_SM;
	sa_world_pass(1100);
	assert_int_equal(informs(), 2);
	assert_int_equal(sa_world_last(MADRING_SET, MADRING_ATTR_INFORM_INFO)->lid, OTHER_SM);
	assert_int_equal(heard.lost, 0);
	/* The program has to look at the fabric anew. */
	assert_int_equal(heard.subscribed, 2);
	assert_true(madring_subscription_is_active(subscription));
}

static void test_subscription_waits_for_the_new_sm(void **state)
{
	struct sa_world_heard heard;
	struct madring_subscription *subscription = subscribed(NULL, &heard);

	world.respond = NULL;
	fake_port()->sm_lid = OTHER_SM;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	assert_false(madring_subscription_is_active(subscription));
	sa_world_pass(100);
	assert_int_equal(sa_world_last(MADRING_SET, MADRING_ATTR_INFORM_INFO)->lid, OTHER_SM);
	assert_false(madring_subscription_is_active(subscription));
}

static void test_a_port_that_was_down_subscribes_again(void **state)
{
	struct sa_world_heard heard;

	subscribed(NULL, &heard);
	fake_port()->state = 2;
	sa_world_pass(1100);
	assert_int_equal(informs(), 2);
	fake_port()->state = 4;
	sa_world_pass(1100);
	assert_int_equal(informs(), 3);
}

static struct fake_umad old_request;

static void leave_to_the_old_sm(struct fake_umad *request)
{
	if (request->umad.addr.lid == htobe16(SM_LID))
		old_request = *request;
	else
		sa_world_confirm(request);
}

static void test_old_sm_cannot_confirm_a_subscription(void **state)
{
	struct sa_world_heard heard;
	struct madring_subscription *subscription;

	world.respond = leave_to_the_old_sm;
	subscription = subscribe(NULL, &heard);
	sa_world_pass(50);
	assert_int_equal(informs(), 1);
	fake_port()->sm_lid = OTHER_SM;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	sa_world_confirm(&old_request);
	assert_true(madring_run(world.ring, 0) >= 0);
	assert_false(madring_subscription_is_active(subscription));
	assert_int_equal(heard.subscribed, 0);
	sa_world_pass(50);
	assert_int_equal(heard.subscribed, 1);
	assert_int_equal(heard.lost, 0);
	assert_int_equal(informs(), 2);
	assert_int_equal(sa_world_last(MADRING_SET, MADRING_ATTR_INFORM_INFO)->lid, OTHER_SM);
	assert_true(madring_subscription_is_active(subscription));
}

static void test_subscription_survives_a_time_without_sm(void **state)
{
	struct sa_world_heard heard;
	struct madring_subscription *subscription = subscribed(NULL, &heard);

	fake_port()->sm_lid = 0;
	sa_world_pass(1100);
	assert_int_equal(heard.lost, 1);
	assert_int_equal(heard.status, -ENETUNREACH);
	assert_false(madring_subscription_is_active(subscription));
	sa_world_pass(MINUTE_MS);
	assert_int_equal(heard.lost, 1);
	assert_int_equal(informs(), 1);
	fake_port()->sm_lid = SM_LID;
	sa_world_pass(1100);
	assert_int_equal(heard.subscribed, 2);
	assert_int_equal(informs(), 2);
}

static void test_subscription_waits_for_the_first_sm(void **state)
{
	struct sa_world_heard heard;

	fake_port()->sm_lid = 0;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	subscribe(NULL, &heard);
	sa_world_pass(100);
	assert_int_equal(heard.lost, 1);
	assert_int_equal(heard.status, -ENETUNREACH);
	fake_port()->sm_lid = SM_LID;
	sa_world_pass(1100);
	assert_int_equal(heard.subscribed, 1);
	assert_int_equal(informs(), 1);
}

static void test_empty_pool_delays_a_subscription(void **state)
{
	struct sa_world_heard heard;

	sa_world_take_buffers();
	subscribe(NULL, &heard);
	sa_world_pass(500);
	assert_int_equal(informs(), 0);
	assert_int_equal(heard.lost, 0);
	sa_world_give_buffers();
	sa_world_pass(200);
	assert_int_equal(informs(), 1);
	assert_int_equal(heard.subscribed, 1);
}

static void on_no_notification(const struct madring_notification *notification)
{
	fail_msg("a subscription that was refused hears nothing");
}

/* Checks that a subscription is refused, and leaves nothing. */
static void check_refused(struct madring_sa *sa, const struct madring_subscription_config *config,
			  int error)
{
	long allocations = living_allocations;
	unsigned int agents = fake_agents(), sent = informs();
	struct madring_subscription *subscription;

	assert_int_equal(madring_subscribe(sa, config, on_no_notification, NULL, &subscription),
			 error);
	assert_int_equal(living_allocations, allocations);
	assert_int_equal(fake_agents(), agents);
	sa_world_pass(100);
	assert_int_equal(informs(), sent);
}

static void test_another_sa_may_have_the_reports(void **state)
{
	struct sa_world_heard heard;
	struct madring_sa *other;
	struct madring_subscription *subscription;

	subscribed(NULL, &heard);
	assert_int_equal(madring_sa_open(world.subnet, NULL, &other), 0);
	check_refused(other, NULL, -EADDRINUSE);
	assert_int_equal(madring_sa_close(world.sa), 0);
	world.sa = other;
	/* Once that is closed, the Reports are free. */
	assert_int_equal(madring_subscribe(other, NULL, sa_world_hear, &heard, &subscription), 0);
	sa_world_pass(100);
	assert_true(madring_subscription_is_active(subscription));
}

static void on_request(const struct madring_received *received)
{
}

static void test_another_agent_may_have_the_traps(void **state)
{
	const struct madring_agent_config config = {
		.mgmt_class = MADRING_CLASS_PMA,
		.method_mask = { 1ull << MADRING_TRAP },
		.receive = on_request,
	};
	const struct madring_subscription_config traps = { .trap_class = MADRING_CLASS_PMA };
	const struct madring_subscription_config others = { .trap_class = MADRING_CLASS_BM };
	struct madring_subscription *subscription;
	struct madring_agent *agent;
	struct sa_world_heard heard;

	assert_int_equal(madring_subnet_agent_open(world.subnet, &config, &agent), 0);
	check_refused(world.sa, &traps, -EADDRINUSE);
	subscription = subscribe(&others, &heard);
	assert_int_equal(madring_agent_close(agent), 0);
	subscribe(&traps, &heard);
	madring_unsubscribe(subscription);
}

static void test_wrong_subscription_is_refused(void **state)
{
	static const uint8_t classes[] = { 0x02, 0x03, 0x07, 0x10, 0x21, 0x30, 0x81, 0xff };
	struct madring_subscription_config config;

	for (size_t i = 0; i < sizeof(classes); i++) {
		config = (struct madring_subscription_config){ .trap_class = classes[i] };
		check_refused(world.sa, &config, -EINVAL);
	}
	config = (struct madring_subscription_config){ .lid_begin = 9, .lid_end = 5 };
	check_refused(world.sa, &config, -EINVAL);
	config = (struct madring_subscription_config){ .lid_begin = 9 };
	check_refused(world.sa, &config, -EINVAL);
	config = (struct madring_subscription_config){ .lid_end = 9 };
	check_refused(world.sa, &config, -EINVAL);
	config = (struct madring_subscription_config){ .producer = 0x1000000 };
	check_refused(world.sa, &config, -EINVAL);
}

static void test_memory_may_be_exhausted(void **state)
{
	struct madring_subscription *subscription;
	struct sa_world_heard heard = { 0 };
	long allocations = living_allocations;
	unsigned int failures = 0;

	for (;;) {
		int error;

		fail_at = failures + 1;
		error = madring_subscribe(world.sa, NULL, sa_world_hear, &heard, &subscription);
		if (fail_at || !error)
			break;
		assert_int_equal(error, -ENOMEM);
		assert_int_equal(living_allocations, allocations);
		failures++;
	}
	fail_at = 0;
	assert_true(failures > 1);
	/* If only the first InformInfo had no memory, the timer sends another. */
	sa_world_pass(200);
	assert_int_equal(heard.subscribed, 1);
	assert_int_equal(informs(), 1);
}

static void test_subscription_without_agent_fails(void **state)
{
	const struct madring_agent_config config = { .mgmt_class = MADRING_CLASS_PMA,
						     .class_version = 1 };
	struct madring_agent *agents[128];
	unsigned int count = 0;
	int error;

	while (!(error = madring_subnet_agent_open(world.subnet, &config, &agents[count])))
		assert_true(++count < 128);
	assert_true(error == -EUSERS || error == -ENOSPC);
	check_refused(world.sa, NULL, error);
	while (count)
		assert_int_equal(madring_agent_close(agents[--count]), 0);
}

static void test_end_of_a_subscription_is_sent(void **state)
{
	const struct madring_subscription_config config = { .trap_number = 64, .producer = 4 };
	struct madring_inform_info first, last;
	struct sa_world_heard heard;
	struct madring_subscription *subscription = subscribed(&config, &heard);
	long allocations;

	first = last_inform();
	madring_unsubscribe(subscription);
	assert_int_equal(informs(), 1);
	sa_world_pass(50);
	assert_int_equal(informs(), 2);
	last = last_inform();
	assert_int_equal(last.subscribe, 0);
	last.subscribe = 1;
	assert_memory_equal(&last, &first, sizeof(first));
	sa_world_pass(2 * MINUTE_MS);
	assert_int_equal(informs(), 2);
	assert_int_equal(heard.lost, 0);
	assert_int_equal(heard.subscribed, 1);
	madring_unsubscribe(NULL);
	/* The agent is kept for the next one, and nothing else. */
	allocations = living_allocations;
	madring_unsubscribe(subscribed(&config, &heard));
	sa_world_pass(50);
	assert_int_equal(living_allocations, allocations);
}

static void test_subscription_ends_before_its_confirmation(void **state)
{
	struct madring_subscription *subscription;
	struct sa_world_heard heard;

	/* At once, before anything was sent. */
	madring_unsubscribe(subscribe(NULL, &heard));
	sa_world_pass(50);
	assert_int_equal(informs(), 1);
	assert_int_equal(last_inform().subscribe, 0);
	/* While the SA is to answer: it may have taken the InformInfo. */
	world.respond = leave_to_the_old_sm;
	subscription = subscribe(NULL, &heard);
	sa_world_pass(50);
	assert_int_equal(informs(), 2);
	world.respond = sa_world_confirm;
	madring_unsubscribe(subscription);
	sa_world_confirm(&old_request);
	sa_world_pass(50);
	assert_int_equal(informs(), 3);
	assert_int_equal(last_inform().subscribe, 0);
	assert_int_equal(heard.subscribed, 0);
	assert_int_equal(heard.lost, 0);
	sa_world_check_buffers();
}

static void test_last_of_equal_subscriptions_ends_them(void **state)
{
	const struct madring_subscription_config config = { .trap_number = 64 };
	struct madring_subscription *one, *two, *other;
	struct sa_world_heard heard;

	one = subscribed(NULL, &heard);
	two = subscribed(NULL, &heard);
	other = subscribed(&config, &heard);
	world.log_count = 0;
	madring_unsubscribe(one);
	sa_world_pass(50);
	assert_int_equal(informs(), 0);
	madring_unsubscribe(two);
	sa_world_pass(50);
	assert_int_equal(informs(), 1);
	assert_int_equal(last_inform().subscribe, 0);
	assert_int_equal(last_inform().trap_number, 0xffff);
	madring_unsubscribe(other);
	sa_world_pass(50);
	assert_int_equal(informs(), 2);
	assert_int_equal(last_inform().trap_number, 64);
}

/* Ends the subscription that it is called for. */
static void on_notification_that_ends(const struct madring_notification *notification)
{
	struct sa_world_heard *heard = notification->user;

	sa_world_hear(notification);
	assert_int_equal(heard->subscribed, 1);
	madring_unsubscribe(notification->subscription);
}

static struct madring_subscription *all[2];

static void on_loss_that_ends_all(const struct madring_notification *notification)
{
	sa_world_hear(notification);
	madring_unsubscribe(all[0]);
	madring_unsubscribe(all[1]);
}

static void test_callback_ends_its_subscription(void **state)
{
	struct madring_subscription *subscription;
	struct sa_world_heard heard = { 0 };

	assert_int_equal(
		madring_subscribe(world.sa, NULL, on_notification_that_ends, &heard, &subscription),
		0);
	sa_world_pass(50);
	assert_int_equal(heard.subscribed, 1);
	assert_int_equal(informs(), 2);
	assert_int_equal(last_inform().subscribe, 0);
}

static void test_a_callback_of_the_timer_may_end_all(void **state)
{
	struct madring_subscription *first, *second;
	struct sa_world_heard heard = { 0 };

	fake_port()->sm_lid = 0;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	assert_int_equal(madring_subscribe(world.sa, NULL, on_loss_that_ends_all, &heard, &first),
			 0);
	assert_int_equal(madring_subscribe(world.sa, NULL, on_loss_that_ends_all, &heard, &second),
			 0);
	all[0] = first;
	all[1] = second;
	sa_world_pass(100);
	/* That which is told first ends the other, too, whose callback is not called any more. */
	assert_int_equal(heard.lost, 1);
	sa_world_pass(100);
	assert_int_equal(informs(), 0);
}

static void test_traps_need_no_sa(void **state)
{
	static const uint8_t classes[] = { 0x01, 0x04, 0x05, 0x06 };
	struct madring_subscription *subscriptions[4];
	struct sa_world_heard heard;

	fake_port()->sm_lid = 0;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	for (size_t i = 0; i < sizeof(classes); i++) {
		const struct madring_subscription_config config = { .trap_class = classes[i] };

		subscriptions[i] = subscribe(&config, &heard);
		assert_true(madring_subscription_is_active(subscriptions[i]));
	}
	fake_port()->sm_lid = SM_LID;
	sa_world_pass(2 * MINUTE_MS);
	assert_int_equal(world.log_count, 0);
	assert_int_equal(heard.lost, 0);
	for (size_t i = 0; i < sizeof(classes); i++) {
		assert_true(madring_subscription_is_active(subscriptions[i]));
		madring_unsubscribe(subscriptions[i]);
	}
	sa_world_pass(100);
	assert_int_equal(world.log_count, 0);
}

static const struct CMUnitTest tests[] = {
	SA_TEST(test_sa_confirms_a_subscription),
	SA_TEST(test_subscription_sends_its_configuration),
	SA_TEST(test_subscription_is_renewed_each_minute),
	cmocka_unit_test(test_the_time_of_renewal_is_configured),
	SA_TEST(test_silent_sa_loses_a_subscription),
	SA_TEST(test_a_refusal_is_told_once),
	SA_TEST(test_new_sm_gets_the_subscription_at_once),
	SA_TEST(test_subscription_waits_for_the_new_sm),
	SA_TEST(test_a_port_that_was_down_subscribes_again),
	SA_TEST(test_old_sm_cannot_confirm_a_subscription),
	SA_TEST(test_subscription_survives_a_time_without_sm),
	SA_TEST(test_subscription_waits_for_the_first_sm),
	SA_TEST(test_empty_pool_delays_a_subscription),
	SA_TEST(test_another_sa_may_have_the_reports),
	SA_TEST(test_another_agent_may_have_the_traps),
	SA_TEST(test_wrong_subscription_is_refused),
	SA_TEST(test_memory_may_be_exhausted),
	SA_TEST(test_subscription_without_agent_fails),
	SA_TEST(test_end_of_a_subscription_is_sent),
	SA_TEST(test_subscription_ends_before_its_confirmation),
	SA_TEST(test_last_of_equal_subscriptions_ends_them),
	SA_TEST(test_callback_ends_its_subscription),
	SA_TEST(test_a_callback_of_the_timer_may_end_all),
	SA_TEST(test_traps_need_no_sa),
};

TEST_MAIN(tests, NULL, NULL)
