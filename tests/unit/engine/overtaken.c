/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attempts that later ones have overtaken, by the engine's interface. They give up their agent's
 * place after 250 us here, because all round trips take 100 us, or after twice that if nothing
 * that was sent later has been answered.
 */
#include "cmocka_all.h"

#include <errno.h>

#include "engine/engine_state.h"
#include "engine_fixture.h"

#define US 1000ull

#define RTT_NS	  (100 * US)
#define ANSWER_NS (250 * US)
#define AFTER_NS  (2 * ANSWER_NS + 1)
#define NODE	  7u
#define REQUESTS  64u

struct scene {
	struct engine *engine;
	struct engine_agent_config config;
	unsigned int agent;
	uint64_t now;
	struct buffer request[REQUESTS]; /* of one node each, from NODE on */
};

/* Sends a request and takes its reply after a round trip. */
static void exchange(struct scene *scene, uint16_t lid)
{
	fixture_exchange(scene->engine, scene->agent, lid, RTT_NS, &scene->now);
}

/* Opens an agent and plays two rounds, so that its round trips are known. */
static void begin(struct scene *scene)
{
	scene->agent = (unsigned int)engine_agent_open(scene->engine, &scene->config);
	for (int i = 0; i < 16; i++)
		exchange(scene, 1);
	/* The timers of what was answered expire without effect. */
	engine_advance(scene->engine, scene->now += 1000 * MS);
}

static struct scene open_scene(uint32_t transactions)
{
	return (struct scene){
		.engine = fixture_open(transactions, MS, MS),
		.config = fixture_agent(),
		.now = MS,
	};
}

static void send_to(struct scene *scene, unsigned int number, uint16_t lid)
{
	fixture_request(&scene->request[number], lid, 0x12);
	fixture_send(scene->engine, scene->agent, &scene->request[number]);
}

/* Writes what the windows admit, and reports it as done. Returns how many. */
static unsigned int write_all(struct scene *scene)
{
	struct engine_write write;
	unsigned int count = 0;

	while (engine_next_write(scene->engine, scene->now, &write)) {
		engine_write_done(scene->engine, write.id, 0, scene->now);
		count++;
	}
	return count;
}

/* Goes on to a time after @since. Returns how many attempts take no place in the agent's window. */
static uint32_t overtaken_at(struct scene *scene, uint64_t since, uint64_t ns)
{
	struct engine_agent_state state;

	scene->now = since + ns;
	engine_advance(scene->engine, scene->now);
	engine_check(scene->engine);
	engine_agent_state(scene->engine, scene->agent, &state);
	return state.overtaken;
}

/* The window of 8 is full of attempts without a reply. Once overtaken, they make room. */
static void test_overtaken_attempts_make_room(void **state)
{
	struct scene scene = open_scene(REQUESTS);
	struct engine_completion completion;
	struct buffer reply;
	uint64_t sent_at;

	begin(&scene);
	sent_at = scene.now;
	for (unsigned int i = 0; i < 8; i++)
		send_to(&scene, i, (uint16_t)(NODE + i));
	assert_int_equal(write_all(&scene), 8);
	/* Nobody waits for a place, so the engine need not wake for it. */
	assert_true(engine_next_deadline(scene.engine) > sent_at + 2 * AFTER_NS);
	for (unsigned int i = 8; i < 17; i++)
		send_to(&scene, i, (uint16_t)(NODE + i));
	assert_int_equal(write_all(&scene), 0);
	assert_int_equal(engine_next_deadline(scene.engine), sent_at + AFTER_NS + 1);
	assert_int_equal(overtaken_at(&scene, sent_at, AFTER_NS), 0);
	assert_int_equal(write_all(&scene), 0);
	assert_int_equal(overtaken_at(&scene, sent_at, AFTER_NS + 1), 8);
	assert_int_equal(engine_in_flight(scene.engine), 8);
	assert_int_equal(write_all(&scene), 8);
	assert_int_equal(engine_in_flight(scene.engine), 16);
	/* The reply to what was overtaken is taken as any other. */
	fixture_reply(&reply, &scene.request[0].umad);
	assert_int_equal(fixture_receive(scene.engine, &reply, scene.now), ENGINE_REPLY);
	assert_true(engine_next_completion(scene.engine, &completion));
	assert_ptr_equal(completion.user, &scene.request[0]);
	assert_int_equal(overtaken_at(&scene, scene.now, 0), 7);
	assert_int_equal(engine_in_flight(scene.engine), 15);
	engine_close(scene.engine);
}

/* A reply to what was sent later shows sooner that an attempt is overtaken. */
static void test_later_reply(void **state)
{
	struct scene scene = open_scene(REQUESTS);
	uint64_t sent_at;

	begin(&scene);
	sent_at = scene.now;
	send_to(&scene, 0, NODE);
	assert_int_equal(write_all(&scene), 1);
	/* A reply to what was sent at the same time shows nothing. */
	exchange(&scene, 1);
	assert_int_equal(overtaken_at(&scene, sent_at, ANSWER_NS + 1), 0);
	exchange(&scene, 1);
	assert_int_equal(overtaken_at(&scene, scene.now, 0), 1);
	assert_int_equal(overtaken_at(&scene, scene.now, MS), 1);
	sent_at = scene.now;
	send_to(&scene, 1, NODE);
	assert_int_equal(write_all(&scene), 1);
	scene.now++;
	exchange(&scene, 1);
	for (unsigned int i = 2; i < 9; i++)
		send_to(&scene, i, (uint16_t)(NODE + i));
	assert_int_equal(write_all(&scene), 7);
	send_to(&scene, 9, NODE + 9);
	assert_int_equal(engine_next_deadline(scene.engine), sent_at + ANSWER_NS + 1);
	assert_int_equal(overtaken_at(&scene, sent_at, ANSWER_NS), 1);
	assert_int_equal(overtaken_at(&scene, sent_at, ANSWER_NS + 1), 2);
	engine_close(scene.engine);
}

/* A slow node is not asked for more: the first attempts keep their places in its flow. */
static void test_flow_keeps_first_attempts(void **state)
{
	struct scene scene = open_scene(REQUESTS);
	uint64_t sent_at;

	begin(&scene);
	sent_at = scene.now;
	for (unsigned int i = 0; i < 6; i++)
		send_to(&scene, i, NODE);
	assert_int_equal(write_all(&scene), 4);
	assert_int_equal(overtaken_at(&scene, sent_at, AFTER_NS + 1), 4);
	assert_int_equal(write_all(&scene), 0);
	/* The agent's window has room for other nodes. */
	send_to(&scene, 6, NODE + 1);
	assert_int_equal(write_all(&scene), 1);
	engine_close(scene.engine);
}

/* Lets an attempt time out, and writes the next one. Returns when. */
static uint64_t write_retry(struct scene *scene, uint64_t sent_at)
{
	uint64_t until = sent_at + 3000 * MS;

	while (scene->now < until) {
		scene->now += MS;
		engine_advance(scene->engine, scene->now);
		if (write_all(scene))
			return scene->now;
	}
	fail();
	return 0;
}

/* A flow of one place: its second request waits for the first, but not for a retry of it. */
static void test_retry_gives_up_its_flow(void **state)
{
	struct scene scene = open_scene(REQUESTS);
	uint64_t sent_at;

	scene.config.flow_first = 1;
	begin(&scene);
	sent_at = scene.now;
	send_to(&scene, 0, NODE);
	send_to(&scene, 1, NODE);
	assert_int_equal(write_all(&scene), 1);
	assert_int_equal(overtaken_at(&scene, sent_at, AFTER_NS + 1), 1);
	assert_int_equal(write_all(&scene), 0);
	sent_at = write_retry(&scene, sent_at);
	assert_int_equal(engine_stats(scene.engine)->retried, 1);
	assert_int_equal(overtaken_at(&scene, sent_at, AFTER_NS), 0);
	assert_int_equal(write_all(&scene), 0);
	assert_int_equal(overtaken_at(&scene, sent_at, AFTER_NS + 1), 1);
	assert_int_equal(write_all(&scene), 1);
	engine_close(scene.engine);
}

/* A node that has not answered three attempts in a row gets no others beside a retry. */
static void test_silent_node_keeps_its_flow(void **state)
{
	struct scene scene = open_scene(REQUESTS);
	uint64_t sent_at;

	scene.config.flow_first = 1;
	begin(&scene);
	sent_at = scene.now;
	send_to(&scene, 0, NODE);
	assert_int_equal(write_all(&scene), 1);
	for (int i = 0; i < 3; i++)
		sent_at = write_retry(&scene, sent_at);
	assert_int_equal(engine_stats(scene.engine)->retried, 3);
	send_to(&scene, 1, NODE);
	assert_int_equal(overtaken_at(&scene, sent_at, AFTER_NS + 1), 1);
	assert_int_equal(write_all(&scene), 0);
	engine_close(scene.engine);
}

/* Every attempt keeps its place in a window that the program chose. */
static void test_pinned_windows(void **state)
{
	struct scene scene = open_scene(REQUESTS);
	uint64_t sent_at;

	scene.config.window = 8;
	scene.config.pin_window = true;
	begin(&scene);
	sent_at = scene.now;
	for (unsigned int i = 0; i < 9; i++)
		send_to(&scene, i, (uint16_t)(NODE + i));
	assert_int_equal(write_all(&scene), 8);
	assert_true(engine_next_deadline(scene.engine) > sent_at + 2 * AFTER_NS);
	assert_int_equal(overtaken_at(&scene, sent_at, 20 * MS), 0);
	assert_int_equal(write_all(&scene), 0);
	engine_close(scene.engine);

	scene = open_scene(REQUESTS);
	scene.config.flow_window = 1;
	scene.config.pin_flow_window = true;
	begin(&scene);
	sent_at = scene.now;
	send_to(&scene, 0, NODE);
	send_to(&scene, 1, NODE);
	assert_int_equal(write_all(&scene), 1);
	sent_at = write_retry(&scene, sent_at);
	assert_int_equal(overtaken_at(&scene, sent_at, 20 * MS), 1);
	assert_int_equal(write_all(&scene), 0);
	engine_close(scene.engine);
}

/* Sends one request, and then others that are answered at once. Returns what was overtaken. */
static uint32_t overtaken_after_others(unsigned int others)
{
	struct scene scene = open_scene(REQUESTS);
	uint32_t overtaken;
	uint64_t sent_at;

	scene.config.window = 8; /* so the engine remembers 16 attempts */
	begin(&scene);
	sent_at = scene.now;
	send_to(&scene, 0, NODE);
	write_all(&scene);
	for (unsigned int i = 0; i < others; i++)
		exchange(&scene, 1);
	overtaken = overtaken_at(&scene, scene.now, AFTER_NS + 1);
	write_retry(&scene, sent_at);
	assert_int_equal(engine_stats(scene.engine)->retried, 1);
	engine_close(scene.engine);
	return overtaken;
}

/*
 * The engine remembers twice the window, and forgets what has been answered before anything else.
 */
static void test_answered_attempts_are_forgotten_first(void **state)
{
	assert_int_equal(overtaken_after_others(0), 1);
	assert_int_equal(overtaken_after_others(15), 1);
	assert_int_equal(overtaken_after_others(16), 1);
	assert_int_equal(overtaken_after_others(40), 1);
}

/* A new agent has the number of a closed one, and nothing of its attempts. */
static void test_agent_closes(void **state)
{
	struct scene scene = open_scene(REQUESTS);
	struct engine_completion completion;
	unsigned int before;
	uint64_t sent_at;

	begin(&scene);
	before = scene.agent;
	sent_at = scene.now;
	for (unsigned int i = 0; i < 8; i++)
		send_to(&scene, i, (uint16_t)(NODE + i));
	assert_int_equal(write_all(&scene), 8);
	engine_agent_close(scene.engine, scene.agent);
	engine_advance(scene.engine, sent_at + AFTER_NS + 1);
	assert_int_equal(engine_next_deadline(scene.engine) > sent_at + AFTER_NS + 1, 1);
	for (unsigned int i = 0; i < 8; i++)
		assert_true(engine_next_completion(scene.engine, &completion));
	scene.now += MS;
	begin(&scene);
	assert_int_equal(scene.agent, before);
	assert_int_equal(overtaken_at(&scene, scene.now, MS), 0);
	engine_close(scene.engine);
}

/* A write that the device did not take was never sent. The next one has its TID, and its time. */
static void test_taken_back(void **state)
{
	struct scene scene = open_scene(REQUESTS);
	struct engine_write write;
	uint64_t sent_at;
	uint32_t tid;

	begin(&scene);
	sent_at = scene.now;
	send_to(&scene, 0, NODE);
	assert_true(engine_next_write(scene.engine, scene.now, &write));
	tid = fixture_tid(write.umad);
	engine_write_done(scene.engine, write.id, -EAGAIN, scene.now);
	assert_int_equal(overtaken_at(&scene, sent_at, AFTER_NS + 1), 0);
	sent_at += MS;
	assert_int_equal(overtaken_at(&scene, sent_at, 0), 0);
	assert_true(engine_next_write(scene.engine, scene.now, &write));
	assert_int_equal(fixture_tid(write.umad), tid);
	/* While the driver has the write, the attempt keeps its place. */
	engine_write_done(scene.engine, write.id, 0, scene.now);
	assert_int_equal(overtaken_at(&scene, sent_at, AFTER_NS), 0);
	assert_int_equal(overtaken_at(&scene, sent_at, AFTER_NS + 1), 1);
	engine_close(scene.engine);
}

/* The driver may still have the write when the attempt is due. Then it keeps its place. */
static void test_attempt_being_written_keeps_its_place(void **state)
{
	struct scene scene = open_scene(REQUESTS);
	struct engine_write write;
	uint64_t sent_at;

	begin(&scene);
	sent_at = scene.now;
	send_to(&scene, 0, NODE);
	assert_true(engine_next_write(scene.engine, scene.now, &write));
	assert_int_equal(overtaken_at(&scene, sent_at, AFTER_NS + 1), 0);
	engine_write_done(scene.engine, write.id, 0, scene.now);
	assert_int_equal(overtaken_at(&scene, sent_at, 20 * MS), 0);
	engine_close(scene.engine);
}

/* One slot: a TID that was taken back is used again at the same time, by another agent. */
static void test_slot_of_another_agent(void **state)
{
	struct scene scene = open_scene(1);
	struct engine_agent_config config = scene.config;
	struct engine_completion completion;
	struct engine_agent_state agent_state;
	struct engine_write write;
	unsigned int other;
	uint64_t id, sent_at;
	uint32_t tid;

	begin(&scene);
	config.lane[0].agent_id = 6;
	other = (unsigned int)engine_agent_open(scene.engine, &config);
	sent_at = scene.now;
	fixture_request(&scene.request[0], NODE, 0x12);
	id = fixture_send(scene.engine, scene.agent, &scene.request[0]);
	assert_true(engine_next_write(scene.engine, scene.now, &write));
	tid = fixture_tid(write.umad);
	engine_write_done(scene.engine, write.id, -EAGAIN, scene.now);
	assert_int_equal(engine_cancel(scene.engine, id), 0);
	assert_true(engine_next_completion(scene.engine, &completion));
	fixture_request(&scene.request[1], NODE, 0x12);
	fixture_send(scene.engine, other, &scene.request[1]);
	assert_int_equal(fixture_tid(fixture_write(scene.engine, scene.now).umad), tid);
	assert_int_equal(overtaken_at(&scene, sent_at, AFTER_NS + 1), 0);
	engine_agent_state(scene.engine, other, &agent_state);
	assert_int_equal(agent_state.overtaken, 0);
	assert_int_equal(agent_state.in_flight, 1);
	engine_close(scene.engine);
}

/*
 * An attempt counts as lost once: when it is overtaken, if its node is new or has more than its
 * own timeout, and else at its end.
 */
static void test_losses_are_counted_once(void **state)
{
	struct scene scene = open_scene(REQUESTS);
	const struct pace_epoch *epoch;
	uint64_t sent_at;

	begin(&scene);
	epoch = &scene.engine->agent[scene.agent].pace.epoch;
	sent_at = scene.now;
	send_to(&scene, 0, 1);
	send_to(&scene, 1, NODE);
	assert_int_equal(write_all(&scene), 2);
	assert_int_equal(epoch->losses, 0);
	/* The known node has 1.1 ms, by the granularity of 1 ms. */
	assert_int_equal(overtaken_at(&scene, sent_at, AFTER_NS + 1), 2);
	assert_int_equal(epoch->losses, 1);
	write_retry(&scene, sent_at);
	assert_int_equal(epoch->losses, 2);
	/* The node is silent by now, so that what it does not answer is no loss. */
	scene.now += 200 * MS;
	engine_advance(scene.engine, scene.now);
	send_to(&scene, 2, NODE);
	write_all(&scene);
	overtaken_at(&scene, scene.now, 2 * MS);
	assert_int_equal(epoch->losses, 2);
	engine_close(scene.engine);

	scene = open_scene(REQUESTS);
	begin(&scene);
	epoch = &scene.engine->agent[scene.agent].pace.epoch;
	sent_at = scene.now;
	send_to(&scene, 0, 1);
	assert_int_equal(write_all(&scene), 1);
	assert_int_equal(overtaken_at(&scene, sent_at, 10 * MS), 1);
	assert_int_equal(epoch->losses, 1);
	write_retry(&scene, sent_at);
	assert_int_equal(epoch->losses, 1);
	engine_close(scene.engine);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_overtaken_attempts_make_room),
	cmocka_unit_test(test_later_reply),
	cmocka_unit_test(test_flow_keeps_first_attempts),
	cmocka_unit_test(test_retry_gives_up_its_flow),
	cmocka_unit_test(test_silent_node_keeps_its_flow),
	cmocka_unit_test(test_pinned_windows),
	cmocka_unit_test(test_answered_attempts_are_forgotten_first),
	cmocka_unit_test(test_agent_closes),
	cmocka_unit_test(test_taken_back),
	cmocka_unit_test(test_attempt_being_written_keeps_its_place),
	cmocka_unit_test(test_slot_of_another_agent),
	cmocka_unit_test(test_losses_are_counted_once),
};

TEST_MAIN(tests, NULL, NULL)
