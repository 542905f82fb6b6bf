/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many requests behind one slow queue that loses nothing, however long it grows: none is sent
 * twice. All go the same way, and are answered in order, one after the other.
 */
#include "cmocka_all.h"

#include <stdlib.h>

#include "engine_fixture.h"

#define US	 1000ull
#define REQUESTS 6000u

struct fifo {
	struct engine *engine;
	unsigned int agent;
	uint64_t service_ns;
	uint64_t far_ns; /* on the way, all at once */
	uint64_t now;
	uint64_t idle_at; /* when the last that was taken has been answered */
	uint32_t sent, answered;
	struct buffer *request;
	struct waiting {
		struct ib_user_mad *umad;
		uint64_t written, answer;
	} waiting[REQUESTS];
	uint32_t head, tail;
};

static void open_fifo(struct fifo *fifo, uint64_t service_ns, uint64_t max_timeout_ns)
{
	struct engine_agent_config config = fixture_agent();

	*fifo = (struct fifo){ .service_ns = service_ns, .now = MS };
	fifo->engine = fixture_open(REQUESTS, MS, fifo->now);
	fifo->request = calloc(REQUESTS, sizeof(*fifo->request));
	assert_non_null(fifo->request);
	config.max_timeout_ns = max_timeout_ns;
	fifo->agent = (unsigned int)engine_agent_open(fifo->engine, &config);
}

static void close_fifo(struct fifo *fifo)
{
	engine_close(fifo->engine);
	free(fifo->request);
}

/* Sends @count requests, each to a destination of its own; they share only the path. */
static void ask(struct fifo *fifo, uint32_t count)
{
	for (; count && fifo->sent < REQUESTS; count--, fifo->sent++) {
		struct buffer *request = &fifo->request[fifo->sent];

		fixture_request(request, (uint16_t)(1 + fifo->sent), 0x12);
		fixture_send(fifo->engine, fifo->agent, request);
	}
}

static void take_writes(struct fifo *fifo)
{
	struct engine_write write;

	while (engine_next_write(fifo->engine, fifo->now, &write)) {
		assert_true(fifo->tail < REQUESTS);
		if (fifo->idle_at < fifo->now)
			fifo->idle_at = fifo->now;
		fifo->idle_at += fifo->service_ns;
		fifo->waiting[fifo->tail++] = (struct waiting){
			.umad = (struct ib_user_mad *)write.umad,
			.written = fifo->now,
			.answer = fifo->idle_at + fifo->far_ns,
		};
		engine_write_done(fifo->engine, write.id, 0, fifo->now);
	}
}

/* The kernel lets an answer through only as long as it was told to wait for one. */
static void answer(struct fifo *fifo)
{
	const struct waiting *next = &fifo->waiting[fifo->head++];
	struct engine_completion completion;
	struct buffer reply;

	fifo->now = next->answer;
	assert_true(next->answer - next->written <= next->umad->timeout_ms * MS);
	fixture_reply(&reply, next->umad);
	assert_int_equal(fixture_receive(fifo->engine, &reply, fifo->now), ENGINE_REPLY);
	while (engine_next_completion(fifo->engine, &completion)) {
		assert_int_equal(completion.status, 0);
		fifo->answered++;
	}
}

/* Runs until all are answered; each answer leads to @more requests, up to REQUESTS. */
static void run(struct fifo *fifo, uint32_t more)
{
	while (fifo->answered < fifo->sent) {
		uint64_t deadline;

		take_writes(fifo);
		deadline = engine_next_deadline(fifo->engine);
		if (fifo->head < fifo->tail && fifo->waiting[fifo->head].answer <= deadline) {
			answer(fifo);
			ask(fifo, more);
		} else {
			assert_true(deadline != ENGINE_NEVER);
			fifo->now = deadline;
		}
		engine_advance(fifo->engine, fifo->now);
		assert_int_equal(engine_stats(fifo->engine)->retried, 0);
	}
	assert_int_equal(fifo->answered, REQUESTS);
}

/* The requests are sent all at once, and as a discovery finds more to ask. */
static void test_queue_grows(void **state)
{
	static const uint64_t service[] = { 2 * US, 20 * US, 50 * US, 100 * US, 300 * US };
	static struct fifo fifo;

	for (size_t i = 0; i < sizeof(service) / sizeof(*service); i++) {
		open_fifo(&fifo, service[i], 4000 * MS);
		ask(&fifo, REQUESTS);
		run(&fifo, 0);
		close_fifo(&fifo);
		for (uint32_t more = 2; more <= 40; more += 19) {
			open_fifo(&fifo, service[i], 4000 * MS);
			ask(&fifo, 1);
			run(&fifo, more);
			close_fifo(&fifo);
		}
	}
}

/* Unbounded, the queue would grow beyond the longest timeout. */
static void test_shorter_than_timeouts(void **state)
{
	static const uint64_t service[] = { 100 * US, 500 * US, 1500 * US };
	static struct fifo fifo;

	for (size_t i = 0; i < sizeof(service) / sizeof(*service); i++) {
		open_fifo(&fifo, service[i], 250 * MS);
		ask(&fifo, REQUESTS);
		run(&fifo, 0);
		close_fifo(&fifo);
	}
}

/* The window grows to a distant node's round trip when nothing queues. */
static void test_far_away(void **state)
{
	struct engine_agent_state agent;
	static struct fifo fifo;

	open_fifo(&fifo, US, 500 * MS);
	fifo.far_ns = 240 * MS;
	ask(&fifo, REQUESTS);
	run(&fifo, 0);
	engine_agent_state(fifo.engine, fifo.agent, &agent);
	assert_true(agent.window > REQUESTS / 6);
	close_fifo(&fifo);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_queue_grows),
	cmocka_unit_test(test_shorter_than_timeouts),
	cmocka_unit_test(test_far_away),
};

TEST_MAIN(tests, NULL, NULL)
