/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How soon a request is repeated, and how long it may stay without a reply until it is given up.
 * All round trips take 100 us, and the shortest timeout is 1 ms.
 */
#include "cmocka_all.h"

#include <errno.h>

#include "engine_fixture.h"

#define US 1000ull

#define TICK_NS	    (100 * US)
#define RTT_NS	    (100 * US)
#define PATIENCE_NS (1000 * MS)
#define KNOWN	    1u /* a node that has answered */
#define UNKNOWN	    2u /* a node that has not */

#define MOST_WRITES 255u

struct scene {
	struct engine *engine;
	struct engine_agent_config config;
	unsigned int agent;
	uint64_t now;
	struct buffer request;
	/* The request that was played to its end. */
	uint64_t written_at[MOST_WRITES];
	unsigned int writes;
	int status;
	uint64_t took_ns; /* from its first write to its end */
};

static struct scene open_scene(void)
{
	struct scene scene = {
		.engine = fixture_open(16, TICK_NS, MS),
		.config = fixture_agent(),
		.now = MS,
	};

	scene.config.min_timeout_ns = MS;
	scene.config.patience_ns = PATIENCE_NS;
	return scene;
}

/* Sends a request of its own buffer and takes its reply after a round trip. */
static void exchange(struct scene *scene, uint16_t lid)
{
	fixture_exchange(scene->engine, scene->agent, lid, RTT_NS, &scene->now);
}

static void begin(struct scene *scene)
{
	scene->agent = (unsigned int)engine_agent_open(scene->engine, &scene->config);
	for (int i = 0; i < 64; i++)
		exchange(scene, KNOWN);
}

static struct engine_request request_to(struct scene *scene, uint16_t lid)
{
	fixture_request(&scene->request, lid, 0x12);
	return (struct engine_request){
		.umad = &scene->request.umad,
		.length = sizeof(scene->request.mad),
	};
}

static void send_request(struct scene *scene, const struct engine_request *request)
{
	uint64_t id;

	assert_int_equal(engine_send(scene->engine, scene->agent, request, &id), 0);
	scene->writes = 0;
}

/* Goes on by a tick. Returns false when the request has ended. */
static bool step(struct scene *scene)
{
	struct engine_completion completion;
	struct engine_write write;

	engine_advance(scene->engine, scene->now);
	if (engine_next_completion(scene->engine, &completion)) {
		scene->status = completion.status;
		assert_int_equal(completion.attempts, scene->writes);
		scene->took_ns = scene->now - scene->written_at[0];
		return false;
	}
	while (engine_next_write(scene->engine, scene->now, &write)) {
		assert_true(scene->writes < MOST_WRITES);
		scene->written_at[scene->writes++] = scene->now;
		engine_write_done(scene->engine, write.id, 0, scene->now);
	}
	scene->now += TICK_NS;
	return true;
}

/* Plays a request that nobody answers to its end. */
static void play(struct scene *scene, const struct engine_request *request)
{
	send_request(scene, request);
	while (step(scene))
		;
	assert_int_equal(scene->status, -ETIMEDOUT);
}

/* Asserts how long attempt @number, from 1 on, waited until the next one. */
static void assert_waited(const struct scene *scene, unsigned int number, uint64_t low,
			  uint64_t high)
{
	assert_in_range(scene->written_at[number] - scene->written_at[number - 1], low,
			high + TICK_NS);
}

/* A Get is repeated soon, and the first two retries are not backed off. */
static void test_gets_are_repeated_early(void **state)
{
	struct scene scene = open_scene();
	struct engine_request request;

	begin(&scene);
	request = request_to(&scene, KNOWN);
	play(&scene, &request);
	assert_int_equal(scene.writes, 8);
	assert_waited(&scene, 1, MS, MS);
	assert_waited(&scene, 2, MS, MS + MS / 8);
	assert_waited(&scene, 3, MS, MS + MS / 8);
	assert_waited(&scene, 4, 2 * MS - MS / 4, 2 * MS + MS / 4);
	assert_waited(&scene, 5, 4 * MS - MS / 2, 4 * MS + MS / 2);
	request = request_to(&scene, UNKNOWN);
	play(&scene, &request);
	assert_waited(&scene, 1, 2 * MS, 2 * MS);
	assert_waited(&scene, 3, 2 * MS - MS / 4, 2 * MS + MS / 4);
	assert_waited(&scene, 4, 4 * MS - MS / 2, 4 * MS + MS / 2);
	engine_close(scene.engine);
}

/* A Set, and what the caller marks, is repeated when it is certainly late, and backed off. */
static void test_careful_requests_wait(void **state)
{
	for (unsigned int i = 0; i < 3; i++) {
		struct scene scene = open_scene();
		struct engine_request request;

		/* An agent whose timeouts are that long repeats nothing early. */
		if (i == 2)
			scene.config.min_timeout_ns = 25 * MS;
		begin(&scene);
		request = request_to(&scene, KNOWN);
		if (i == 0)
			((struct madring_mad_hdr *)scene.request.mad)->method = MADRING_SET;
		request.careful = i == 1;
		play(&scene, &request);
		assert_waited(&scene, 1, 25 * MS, 25 * MS);
		assert_waited(&scene, 2, 43 * MS, 57 * MS);
		assert_waited(&scene, 3, 87 * MS, 113 * MS);
		engine_close(scene.engine);
	}
}

/* Late replies show that timeouts are too short. The next ones are longer. */
static void test_late_replies_lengthen_timeouts(void **state)
{
	struct scene scene = open_scene();
	struct engine_request request;
	struct buffer reply;

	begin(&scene);
	request = request_to(&scene, KNOWN);
	send_request(&scene, &request);
	assert_true(step(&scene));
	fixture_reply(&reply, &scene.request.umad);
	while (scene.writes < 2)
		assert_true(step(&scene));
	assert_int_equal(fixture_receive(scene.engine, &reply, scene.now), ENGINE_REPLY);
	assert_false(step(&scene));
	assert_int_equal(scene.status, 0);
	assert_int_equal(engine_stats(scene.engine)->late_replies, 1);
	for (int i = 0; i < 8; i++)
		exchange(&scene, KNOWN);
	request = request_to(&scene, KNOWN);
	play(&scene, &request);
	assert_waited(&scene, 1, 2 * MS, 6 * MS);
	engine_close(scene.engine);
}

/* With many attempts left, a request ends with patience, to a tick. */
static void test_patience_ends_requests(void **state)
{
	struct scene scene = open_scene();
	struct engine_request request;

	scene.config.attempts = 200;
	scene.config.max_timeout_ns = 10 * MS;
	begin(&scene);
	request = request_to(&scene, UNKNOWN);
	play(&scene, &request);
	assert_in_range(scene.writes, 80, 150);
	assert_in_range(scene.took_ns, PATIENCE_NS - TICK_NS, PATIENCE_NS + TICK_NS);
	engine_close(scene.engine);
}

/* The last attempt waits for all of patience, or for its own timeout only. */
static void test_last_attempt(void **state)
{
	for (unsigned int patient = 0; patient < 2; patient++) {
		struct scene scene = open_scene();
		struct engine_request request;

		scene.config.attempts = 3;
		scene.config.is_patient = patient;
		begin(&scene);
		request = request_to(&scene, KNOWN);
		play(&scene, &request);
		assert_int_equal(scene.writes, 3);
		assert_waited(&scene, 1, MS, MS);
		if (patient)
			assert_in_range(scene.took_ns, PATIENCE_NS, PATIENCE_NS + TICK_NS);
		else
			assert_in_range(scene.took_ns, 3 * MS, 4 * MS);
		engine_close(scene.engine);
	}
}

/* A node that was silent for all of patience is dead, until it answers. */
static void test_dead_node(void **state)
{
	struct scene scene = open_scene();
	struct engine_request request;

	scene.config.is_patient = true;
	begin(&scene);
	request = request_to(&scene, KNOWN);
	play(&scene, &request);
	assert_int_equal(scene.writes, 8);
	assert_in_range(scene.took_ns, PATIENCE_NS, PATIENCE_NS + TICK_NS);
	for (int i = 0; i < 3; i++) {
		request = request_to(&scene, KNOWN);
		request.attempts = 2;
		play(&scene, &request);
		assert_int_equal(scene.writes, 1);
		assert_in_range(scene.took_ns, PATIENCE_NS / 4, PATIENCE_NS / 4 + TICK_NS);
	}
	/* Other nodes have all attempts. */
	request = request_to(&scene, UNKNOWN);
	play(&scene, &request);
	assert_int_equal(scene.writes, 8);
	exchange(&scene, KNOWN);
	request = request_to(&scene, KNOWN);
	play(&scene, &request);
	assert_int_equal(scene.writes, 8);
	assert_in_range(scene.took_ns, PATIENCE_NS, PATIENCE_NS + TICK_NS);
	engine_close(scene.engine);
}

/* A node is not silent if its reply comes while the next attempt waits to be written. */
static void test_late_reply_is_heard(void **state)
{
	struct scene scene = open_scene();
	struct engine_completion completion;
	struct engine_request request;
	struct buffer reply;

	begin(&scene);
	request = request_to(&scene, KNOWN);
	send_request(&scene, &request);
	fixture_reply(&reply, fixture_write(scene.engine, scene.now).umad);
	scene.now += 3 * MS;
	engine_advance(scene.engine, scene.now);
	assert_true(engine_wants_write(scene.engine));
	assert_int_equal(fixture_receive(scene.engine, &reply, scene.now), ENGINE_REPLY);
	assert_true(engine_next_completion(scene.engine, &completion));
	scene.now += 2 * PATIENCE_NS;
	request = request_to(&scene, KNOWN);
	play(&scene, &request);
	assert_int_equal(scene.writes, 8);
	engine_close(scene.engine);
}

/* Timeouts that the caller or the configuration has fixed know no patience. */
static void test_fixed_timeouts(void **state)
{
	for (unsigned int pinned = 0; pinned < 2; pinned++) {
		struct scene scene = open_scene();
		struct engine_request request;

		scene.config.is_patient = true;
		scene.config.attempts = 5;
		scene.config.pin_timeout = pinned;
		scene.config.first_timeout_ns = 300 * MS;
		begin(&scene);
		for (int i = 0; i < 2; i++) {
			request = request_to(&scene, KNOWN);
			request.timeout_ns = pinned ? 0 : 300 * MS;
			play(&scene, &request);
			assert_int_equal(scene.writes, 5);
			for (unsigned int attempt = 1; attempt < 5; attempt++)
				assert_waited(&scene, attempt, 300 * MS, 300 * MS);
			assert_in_range(scene.took_ns, 1500 * MS, 1500 * MS + 5 * TICK_NS);
		}
		engine_close(scene.engine);
	}
}

/* The first timeout is as configured until a round trip is known, but within patience. */
static void test_first_timeout(void **state)
{
	struct scene scene = open_scene();
	struct engine_request request;

	scene.config.first_timeout_ns = 600 * MS;
	scene.agent = (unsigned int)engine_agent_open(scene.engine, &scene.config);
	request = request_to(&scene, UNKNOWN);
	play(&scene, &request);
	assert_int_equal(scene.writes, 2);
	assert_waited(&scene, 1, 600 * MS, 600 * MS);
	assert_in_range(scene.took_ns, PATIENCE_NS, PATIENCE_NS + TICK_NS);
	engine_close(scene.engine);
}

/* Without patience, a request has all of its attempts. */
static void test_no_patience(void **state)
{
	struct scene scene = open_scene();
	struct engine_request request;

	scene.config.patience_ns = 0;
	scene.config.is_patient = true;
	scene.config.min_timeout_ns = 400 * MS;
	begin(&scene);
	request = request_to(&scene, KNOWN);
	play(&scene, &request);
	assert_int_equal(scene.writes, 8);
	assert_true(scene.took_ns > 5000 * MS);
	request = request_to(&scene, KNOWN);
	play(&scene, &request);
	assert_int_equal(scene.writes, 8);
	engine_close(scene.engine);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_gets_are_repeated_early),
	cmocka_unit_test(test_careful_requests_wait),
	cmocka_unit_test(test_late_replies_lengthen_timeouts),
	cmocka_unit_test(test_patience_ends_requests),
	cmocka_unit_test(test_last_attempt),
	cmocka_unit_test(test_dead_node),
	cmocka_unit_test(test_late_reply_is_heard),
	cmocka_unit_test(test_fixed_timeouts),
	cmocka_unit_test(test_first_timeout),
	cmocka_unit_test(test_no_patience),
};

TEST_MAIN(tests, NULL, NULL)
