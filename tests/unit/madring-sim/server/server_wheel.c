/* SPDX-License-Identifier: BSD-2-Clause */
/* The server's timing wheel against a plain list of timers, from seeds. */
#include "cmocka_all.h"

#include <stdlib.h>

#include "server/wheel.h"

#define TIMERS 200
#define STEPS  2000
#define SEEDS  20

struct model {
	struct wheel wheel;
	struct wheel_timer timer[TIMERS];
	uint64_t due[TIMERS]; /* 0: not armed */
	unsigned int seed;
	uint64_t tick;
};

static uint64_t random_below(struct model *model, uint64_t bound)
{
	return (uint64_t)rand_r(&model->seed) % bound;
}

/* Delays of all sizes, now and then of several turns of the wheel. */
static uint64_t random_delay(struct model *model)
{
	return random_below(model, UINT64_C(1) << random_below(model, 18));
}

static void arm_one(struct model *model)
{
	size_t i = random_below(model, TIMERS);
	uint64_t tick = model->tick + random_delay(model);

	wheel_arm(&model->wheel, &model->timer[i], tick);
	model->due[i] = tick > model->tick ? tick : model->tick + 1;
}

static void disarm_one(struct model *model)
{
	size_t i = random_below(model, TIMERS);

	wheel_disarm(&model->wheel, &model->timer[i]);
	model->due[i] = 0;
}

static uint64_t first_due(const struct model *model)
{
	uint64_t first = WHEEL_NEVER;

	for (size_t i = 0; i < TIMERS; i++) {
		if (model->due[i] && model->due[i] < first)
			first = model->due[i];
	}
	return first;
}

static void advance(struct model *model)
{
	struct wheel_timer *timer;
	size_t i;

	assert_true(wheel_next(&model->wheel) <= first_due(model));
	model->tick += random_delay(model);
	for (timer = wheel_take_expired(&model->wheel, model->tick); timer; timer = timer->next) {
		i = (size_t)(timer - model->timer);
		assert_true(model->due[i] && model->due[i] <= model->tick);
		model->due[i] = 0;
	}
	assert_true(first_due(model) > model->tick);
}

static void run_seed(unsigned int seed)
{
	struct model *model = calloc(1, sizeof(*model));

	assert_non_null(model);
	model->seed = seed;
	model->tick = random_delay(model);
	wheel_init(&model->wheel, model->tick);
	for (int step = 0; step < STEPS; step++) {
		arm_one(model);
		if (random_below(model, 3) == 0)
			disarm_one(model);
		if (random_below(model, 4) == 0)
			advance(model);
	}
	free(model);
}

static void test_against_a_list(void **state)
{
	for (unsigned int seed = 1; seed <= SEEDS; seed++)
		run_seed(seed);
}

static void test_sleeps_when_idle(void **state)
{
	struct wheel *wheel = malloc(sizeof(*wheel));
	struct wheel_timer timer = { 0 };

	assert_non_null(wheel);
	wheel_init(wheel, 1000);
	assert_true(wheel_next(wheel) == WHEEL_NEVER);
	wheel_arm(wheel, &timer, 1500);
	assert_int_equal(wheel_next(wheel), 1500);
	wheel_disarm(wheel, &timer);
	assert_true(wheel_next(wheel) == WHEEL_NEVER);
	free(wheel);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_against_a_list),
	cmocka_unit_test(test_sleeps_when_idle),
};

TEST_MAIN(tests, NULL, NULL)
