/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a callback of an SA may do: each function of the SA in each callback, while the ring runs
 * and while the SA is being closed. The sanitizers see what a callback touches after it was freed.
 */
#include "unit/sa/sa_world.h"

#include <errno.h>
#include <string.h>

#define SUBSCRIPTIONS	  3u
#define NODE_RECORD_BYTES 112u
#define ERR_REQ_INVALID	  0x0200

/* The callbacks. Those from IN_CLOSE on are run by madring_sa_close(). */
enum place {
	ANSWER,
	NOTICE,
	SUBSCRIBED,
	LOST_BY_ANSWER,
	LOST_WITHOUT_SM,
	CHANGE_BY_TIMER,
	CHANGE_BY_REFRESH,
	NODE,
	IN_CLOSE,
	ANSWER_IN_CLOSE = IN_CLOSE,
	CANCELLED_IN_CLOSE,
	CHANGE_IN_CLOSE,
	PLACES,
};

static struct {
	enum place place;
	void (*act)(void);
	bool is_armed;
	unsigned int acted;
	struct madring_subscription *subscriptions[SUBSCRIPTIONS];
	struct fake_umad query; /* the one that is answered while the SA is being closed */
	uint64_t reported_at;	/* when the SM has reported something meanwhile */
} pair;

static const struct madring_sa_request get_path = {
	.attr_id = MADRING_ATTR_PATH_RECORD,
	.method = MADRING_GET,
};

static bool is_closing(void)
{
	return pair.place >= IN_CLOSE;
}

/* Acts in the first call of the callback that is tested. */
static void act_in(enum place place)
{
	if (!pair.is_armed || place != pair.place || pair.acted++)
		return;
	pair.act();
}

static void on_answer(struct madring_sa_answer *answer)
{
	if (pair.place == CHANGE_IN_CLOSE) {
		fake_port()->lid++;
		assert_int_equal(madring_sa_refresh(world.sa), 0);
		return;
	}
	act_in(is_closing() && answer->status == -ECANCELED ? CANCELLED_IN_CLOSE
	       : is_closing()				    ? ANSWER_IN_CLOSE
							    : ANSWER);
}

static void ignore_answer(struct madring_sa_answer *answer)
{
}

static void hear(const struct madring_notification *notification)
{
	assert_false(is_closing() && pair.is_armed);
	switch (notification->kind) {
	case MADRING_NOTIFICATION_NOTICE:
		act_in(NOTICE);
		break;
	case MADRING_NOTIFICATION_SUBSCRIBED:
		act_in(SUBSCRIBED);
		break;
	case MADRING_NOTIFICATION_LOST:
		act_in(notification->status == -ENETUNREACH ? LOST_WITHOUT_SM : LOST_BY_ANSWER);
		break;
	}
}

static void on_change(void *user, const struct madring_sa_state *before,
		      const struct madring_sa_state *now)
{
	assert_false(before->lid == now->lid && before->sm_lid == now->sm_lid);
	act_in(pair.place == CHANGE_BY_TIMER || pair.place == CHANGE_BY_REFRESH ? pair.place
										: CHANGE_IN_CLOSE);
}

static void on_node(void *user, const struct madring_node_record *record)
{
	act_in(NODE);
}

/* The actions of callbacks. */

static void end_subscription(unsigned int i)
{
	madring_unsubscribe(pair.subscriptions[i]);
	pair.subscriptions[i] = NULL;
}

static void end_the_first(void)
{
	end_subscription(0);
}

static void end_the_last(void)
{
	end_subscription(SUBSCRIPTIONS - 1);
}

static void end_all(void)
{
	for (unsigned int i = 0; i < SUBSCRIPTIONS; i++)
		end_subscription(i);
}

static void close_sa(void)
{
	assert_int_equal(madring_sa_close(world.sa), -EBUSY);
}

static void query_sa(void)
{
	const int error = is_closing()			  ? -ESHUTDOWN
			  : pair.place == LOST_WITHOUT_SM ? -ENETUNREACH
							  : 0;

	assert_int_equal(madring_sa_query(world.sa, &get_path, ignore_answer, NULL), error);
}

static void call_sa(void)
{
	const bool runs_ring = pair.place != CHANGE_BY_REFRESH && pair.place != NODE;
	struct madring_sa_answer answer;

	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer),
			 runs_ring ? -EBUSY : -ETIMEDOUT);
	madring_sa_answer_release(world.sa, &answer);
}

static void subscribe_again(void)
{
	const int error = is_closing() ? -ESHUTDOWN : 0;
	struct madring_subscription *subscription;

	assert_int_equal(madring_subscribe(world.sa, NULL, hear, NULL, &subscription), error);
}

static void refresh_sa(void)
{
	fake_port()->lid++;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
}

static void end_and_subscribe_and_close(void)
{
	end_all();
	subscribe_again();
	refresh_sa();
	close_sa();
}

static const struct {
	const char *name;
	void (*act)(void);
} actions[] = {
	{ "ends the first subscription", end_the_first },
	{ "ends the last subscription", end_the_last },
	{ "ends all subscriptions", end_all },
	{ "closes the SA", close_sa },
	{ "sends a query", query_sa },
	{ "waits for a query", call_sa },
	{ "subscribes", subscribe_again },
	{ "refreshes the state", refresh_sa },
	{ "does several of these", end_and_subscribe_and_close },
};

/* Answers requests: .respond of the world. */

static void refuse(struct fake_umad *request)
{
	sa_world_answer(request, ERR_REQ_INVALID, NULL, 0);
}

static void answer_with_nodes(struct fake_umad *request)
{
	static const uint8_t records[2 * NODE_RECORD_BYTES];

	if (mad_header_of(request->mad)->attr_id == htobe16(MADRING_ATTR_NODE_RECORD))
		sa_world_answer_table(request, MADRING_GET_TABLE_RESP, records, sizeof(records),
				      NODE_RECORD_BYTES);
	else
		sa_world_confirm(request);
}

/*
 * Keeps a query until subscriptions have ended. The SM reports something in between: it answers the
 * second attempt of an InformInfo, once the Report was handled.
 */
static void answer_at_the_end(struct fake_umad *request)
{
	const struct madring_notice notice = { .is_generic = 1, .trap_number = 64 };

	if (mad_header_of(request->mad)->attr_id == htobe16(MADRING_ATTR_PATH_RECORD)) {
		pair.query = *request;
		return;
	}
	if (!pair.reported_at)
		pair.reported_at = sa_world_ms();
	if (pair.reported_at == sa_world_ms()) {
		sa_world_report(sa_world_ms(), SM_LID, &notice);
		return;
	}
	if (pair.place != CANCELLED_IN_CLOSE && pair.query.length)
		sa_world_answer(&pair.query, ERR_REQ_INVALID, NULL, 0);
	pair.query.length = 0;
	sa_world_confirm(request);
}

/* Has the callback called. */
static void reach_place(void)
{
	const struct madring_sa_request inform = { .attr_id = MADRING_ATTR_INFORM_INFO,
						   .method = MADRING_SET };
	const struct madring_notice notice = { .is_generic = 1, .trap_number = 64 };

	switch (pair.place) {
	case ANSWER:
		assert_int_equal(madring_sa_query(world.sa, &inform, on_answer, NULL), 0);
		break;
	case NOTICE:
		sa_world_report(1, SM_LID, &notice);
		break;
	case LOST_BY_ANSWER:
		world.respond = refuse;
		fake_port()->lid++;
		break;
	case LOST_WITHOUT_SM:
		fake_port()->sm_lid = 0;
		break;
	case SUBSCRIBED:
	case CHANGE_BY_TIMER:
		fake_port()->lid++;
		break;
	case CHANGE_BY_REFRESH:
		fake_port()->lid++;
		assert_int_equal(madring_sa_refresh(world.sa), 0);
		break;
	case NODE:
		world.respond = answer_with_nodes;
		assert_int_equal(madring_sa_nodes(world.sa, on_node, NULL), 2);
		break;
	default:
		assert_int_equal(madring_sa_query(world.sa, &get_path, on_answer, NULL), 0);
		sa_world_pass(20);
		world.respond = answer_at_the_end;
		assert_int_equal(madring_sa_close(world.sa), 0);
		world.sa = NULL;
		break;
	}
	sa_world_pass(1200);
}

/* Has an SA with different subscriptions do something in a callback, and closes it. */
static void check_pair(enum place place, void (*act)(void))
{
	static const struct madring_subscription_config subscriptions[SUBSCRIPTIONS] = {
		{ 0 }, { .trap_number = 64 }, { .trap_class = MADRING_CLASS_PMA }
	};
	const struct madring_sa_config config = { .change = on_change };
	const struct madring_notice notice = { .is_generic = 1, .trap_number = 64 };

	memset(&pair, 0, sizeof(pair));
	pair.place = place;
	pair.act = act;
	sa_world_open(&config);
	for (unsigned int i = 0; i < SUBSCRIPTIONS; i++)
		assert_int_equal(madring_subscribe(world.sa, &subscriptions[i], hear, NULL,
						   &pair.subscriptions[i]),
				 0);
	sa_world_pass(50);
	pair.is_armed = true;
	reach_place();
	assert_true(pair.acted);
	pair.is_armed = false;
	if (world.sa) {
		world.respond = sa_world_confirm;
		sa_world_report(2, SM_LID, &notice);
		sa_world_pass(20);
		/* A query without an answer ends. */
		sa_world_pass(11000);
	}
	sa_world_close();
}

static void check_place(enum place place)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		print_message("a callback %s\n", actions[i].name);
		check_pair(place, actions[i].act);
	}
}

#define PLACE_TEST(name, place)                                                                    \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		check_place(place);                                                                \
	}

PLACE_TEST(an_answer, ANSWER)
PLACE_TEST(a_notice, NOTICE)
PLACE_TEST(a_confirmation, SUBSCRIBED)
PLACE_TEST(a_refusal, LOST_BY_ANSWER)
PLACE_TEST(a_loss_of_the_sm, LOST_WITHOUT_SM)
PLACE_TEST(a_change_that_the_timer_finds, CHANGE_BY_TIMER)
PLACE_TEST(a_change_that_the_program_finds, CHANGE_BY_REFRESH)
PLACE_TEST(a_node, NODE)
PLACE_TEST(an_answer_in_a_close, ANSWER_IN_CLOSE)
PLACE_TEST(a_query_that_a_close_cancels, CANCELLED_IN_CLOSE)
PLACE_TEST(a_change_in_a_close, CHANGE_IN_CLOSE)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_an_answer),
	cmocka_unit_test(test_a_notice),
	cmocka_unit_test(test_a_confirmation),
	cmocka_unit_test(test_a_refusal),
	cmocka_unit_test(test_a_loss_of_the_sm),
	cmocka_unit_test(test_a_change_that_the_timer_finds),
	cmocka_unit_test(test_a_change_that_the_program_finds),
	cmocka_unit_test(test_a_node),
	cmocka_unit_test(test_an_answer_in_a_close),
	cmocka_unit_test(test_a_query_that_a_close_cancels),
	cmocka_unit_test(test_a_change_in_a_close),
};

TEST_MAIN(tests, NULL, NULL)
