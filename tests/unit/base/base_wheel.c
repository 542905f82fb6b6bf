/* SPDX-License-Identifier: BSD-2-Clause */
/* The timing wheel against a binary heap. */
#include "cmocka_all.h"

#include <stdlib.h>

#include "base/wheel.h"
#include "model/common/agenda.h"
#include "model/common/prng.h"

#define ENTRIES 4096
#define UNSET	UINT64_MAX

/* The reference: each entry's tick, and a heap of the entries, which may hold stale items. */
struct reference {
	uint64_t tick[ENTRIES];
	struct agenda agenda;
};

static void drop_stale(struct reference *reference)
{
	const struct agenda_item *first;
	struct agenda_item item;

	while ((first = agenda_first(&reference->agenda)) &&
	       reference->tick[first->tag] != first->time)
		agenda_take(&reference->agenda, UINT64_MAX, &item);
}

static uint64_t earliest(struct reference *reference)
{
	drop_stale(reference);
	return reference->agenda.count ? reference->agenda.item[0].time : WHEEL_NEVER;
}

static uint64_t draw_distance(struct prng *prng)
{
	switch (prng_below(prng, 4)) {
	case 0:
		return prng_range(prng, 0, 3);
	case 1:
		return prng_range(prng, 1, 200);
	case 2:
		return prng_log_range(prng, 1, 1ull << 30);
	default:
		return prng_log_range(prng, 1, 1ull << 62);
	}
}

static void set(struct wheel *wheel, struct reference *reference, uint32_t entry, uint64_t tick)
{
	wheel_set(wheel, entry, tick);
	assert_true(wheel_holds(wheel, entry));
	/* An entry whose tick is past expires at the next tick. */
	reference->tick[entry] = tick > wheel->now ? tick : wheel->now + 1;
	assert_int_equal(wheel_tick(wheel, entry), reference->tick[entry]);
	agenda_put(&reference->agenda, reference->tick[entry], NULL, entry);
}

/* Takes out all that is due, and nothing else; some are set again at once. */
static uint64_t pop_all(struct wheel *wheel, struct reference *reference, struct prng *prng,
			uint64_t now)
{
	uint64_t popped = 0;
	uint32_t entry;

	while ((entry = wheel_pop(wheel, now)) != WHEEL_NONE) {
		assert_true(entry < ENTRIES);
		assert_int_equal(reference->tick[entry], earliest(reference));
		assert_true(reference->tick[entry] <= now);
		assert_false(wheel_holds(wheel, entry));
		reference->tick[entry] = UNSET;
		popped++;
		if (prng_chance(prng, 200000))
			set(wheel, reference, entry, now + draw_distance(prng) % (1ull << 40));
	}
	assert_true(earliest(reference) > now);
	assert_int_equal(wheel->now, now);
	return popped;
}

static uint64_t draw_now(struct wheel *wheel, struct reference *reference, struct prng *prng)
{
	uint64_t next = wheel_next(wheel);

	assert_true(next <= earliest(reference));
	if (next == WHEEL_NEVER || prng_chance(prng, 300000))
		return wheel->now + prng_log_range(prng, 1, 1ull << 20);
	assert_true(next > wheel->now);
	if (prng_chance(prng, 20000))
		return wheel->now + prng_log_range(prng, 1, 1ull << 50);
	return next;
}

static uint64_t play(uint64_t seed, uint64_t timers)
{
	static struct wheel wheel;
	struct reference reference = { 0 };
	struct prng prng;
	uint64_t sets = 0, now;

	prng_seed(&prng, seed);
	now = seed % 3 ? prng_log_range(&prng, 1, 1ull << 60) : 0;
	assert_int_equal(wheel_open(&wheel, ENTRIES, now), 0);
	for (uint32_t i = 0; i < ENTRIES; i++)
		reference.tick[i] = UNSET;
	while (sets < timers && now < 1ull << 61) {
		for (uint64_t burst = prng_below(&prng, 40); burst; burst--) {
			uint32_t entry = (uint32_t)prng_below(&prng, ENTRIES);

			if (reference.tick[entry] != UNSET) {
				wheel_remove(&wheel, entry);
				assert_false(wheel_holds(&wheel, entry));
				reference.tick[entry] = UNSET;
				continue;
			}
			set(&wheel, &reference, entry, now + draw_distance(&prng));
			sets++;
		}
		now = draw_now(&wheel, &reference, &prng);
		sets += pop_all(&wheel, &reference, &prng, now) / 5;
	}
	wheel_close(&wheel);
	agenda_free(&reference.agenda);
	return sets;
}

static void test_million_timers(void **state)
{
	uint64_t sets = 0;

	for (uint64_t seed = 1; sets < 1000000; seed++)
		sets += play(seed, 50000);
}

/* A timer at each power of two, from positions of every kind, expires at its own tick. */
static void test_each_level(void **state)
{
	static const uint64_t starts[] = { 0, 1, 63, 64, 4095, 4096, (1ull << 36) - 1, 1ull << 59 };
	static struct wheel wheel;

	for (unsigned int i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		for (unsigned int bit = 0; bit < 63; bit++) {
			uint64_t tick = starts[i] + (1ull << bit);

			assert_int_equal(wheel_open(&wheel, 1, starts[i]), 0);
			wheel_set(&wheel, 0, tick);
			assert_int_equal(wheel_pop(&wheel, tick - 1), WHEEL_NONE);
			assert_int_equal(wheel_next(&wheel), tick);
			assert_int_equal(wheel_pop(&wheel, tick), 0);
			assert_int_equal(wheel_pop(&wheel, tick), WHEEL_NONE);
			assert_int_equal(wheel_next(&wheel), WHEEL_NEVER);
			wheel_close(&wheel);
		}
	}
}

/* A timer at the end of time costs few steps. */
static void test_far_future(void **state)
{
	static struct wheel wheel;
	unsigned int steps = 0;

	assert_int_equal(wheel_open(&wheel, 1, 12345), 0);
	wheel_set(&wheel, 0, UINT64_MAX - 1);
	while (wheel_holds(&wheel, 0)) {
		uint64_t next = wheel_next(&wheel);

		assert_true(next > wheel.now);
		assert_true(next <= UINT64_MAX - 1);
		wheel_pop(&wheel, next);
		assert_true(++steps <= WHEEL_LEVELS);
	}
	assert_int_equal(wheel.now, UINT64_MAX - 1);
	wheel_close(&wheel);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_each_level),
	cmocka_unit_test(test_far_future),
	cmocka_unit_test(test_million_timers),
};

TEST_MAIN(tests, NULL, NULL)
