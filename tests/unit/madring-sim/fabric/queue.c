/* SPDX-License-Identifier: BSD-2-Clause */
/* Events come out by time, and in the order of their pushes when the times are equal. */
#include <stdlib.h>

#include "fabric/queue.h"
#include "support.h"

struct numbered {
	struct event event;
	int number;
};

static void push(struct queue *queue, uint64_t time, int number)
{
	struct numbered *numbered = calloc(1, sizeof(*numbered));

	assert_non_null(numbered);
	numbered->number = number;
	assert_int_equal(queue_push(queue, &numbered->event, time), 0);
}

static int pop(struct queue *queue)
{
	const struct event *next = queue_peek(queue);
	struct numbered *numbered = (struct numbered *)queue_pop(queue);
	int number;

	assert_ptr_equal(numbered, next);
	if (!numbered)
		return -1;
	number = numbered->number;
	free(numbered);
	return number;
}

static void equal_times_keep_their_order(void **state)
{
	struct queue queue;

	queue_open(&queue);
	push(&queue, 9, 1000);
	for (int i = 0; i < 1000; i++)
		push(&queue, 5, i);
	for (int i = 0; i <= 1000; i++)
		assert_int_equal(pop(&queue), i);
	assert_int_equal(pop(&queue), -1);
	queue_close(&queue);
}

/* The queue is compared with a plain search for the smallest time, first of its equals. */
static void any_order(void **state)
{
	enum { EVENTS = 2000, PENDING = 500 };
	uint64_t times[EVENTS];
	bool out[EVENTS] = { false };
	unsigned int seed = 3;
	struct queue queue;
	int pushed = 0, best;

	queue_open(&queue);
	for (int popped = 0; popped < EVENTS; popped++) {
		while (pushed < EVENTS && pushed - popped < PENDING) {
			times[pushed] = (uint64_t)(rand_r(&seed) % 300);
			push(&queue, times[pushed], pushed);
			pushed++;
		}
		best = -1;
		for (int i = 0; i < pushed; i++)
			if (!out[i] && (best < 0 || times[i] < times[best]))
				best = i;
		assert_int_equal(pop(&queue), best);
		out[best] = true;
	}
	assert_null(queue_peek(&queue));
	queue_close(&queue);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(equal_times_keep_their_order),
	cmocka_unit_test(any_order),
};

TEST_MAIN(tests, NULL, NULL)
