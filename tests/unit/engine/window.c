/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows keep their size when pinned; else they grow on replies, shrink on loss, and keep their
 * bounds.
 */
#include "unit/cmocka_all.h"

#include <stdlib.h>

#include "engine/window.h"
#include "model/common/prng.h"

static void lose(struct window *window)
{
	window_silent(window);
	window_lost(window);
}

/* Sends a window's worth of attempts, of which @lost of a thousand are lost. */
static void send_window(struct window *window, struct prng *prng, uint32_t lost)
{
	while (window_has_room(window))
		window_take(window);
	while (window->in_flight) {
		if (prng_chance(prng, 1000 * lost))
			lose(window);
		else
			window_answered(window);
	}
}

static void test_pinned(void **state)
{
	struct window window;
	struct prng prng;

	(void)state;
	prng_seed(&prng, 1);
	window_open(&window, 4, 100, true);
	for (uint32_t i = 0; i < 100; i++) {
		assert_int_equal(window.size, 100);
		send_window(&window, &prng, 10 * i);
	}
}

static void test_starts_and_grows(void **state)
{
	struct window window;
	struct prng prng;
	uint32_t before;

	(void)state;
	prng_seed(&prng, 1);
	window_open(&window, 4, 1000, false);
	assert_int_equal(window.size, 4);
	for (int i = 0; i < 20 && window.size < 1000; i++) {
		before = window.size;
		send_window(&window, &prng, 0);
		assert_true(window.size > before);
	}
	assert_int_equal(window.size, 1000);
}

/* Attempts that are answered one by one, however many, do not widen the window for a burst. */
static void test_unused_stays(void **state)
{
	struct window window;
	struct prng prng;

	(void)state;
	prng_seed(&prng, 1);
	window_open(&window, 64, 4096, false);
	for (int i = 0; i < 1000; i++) {
		window_take(&window);
		window_answered(&window);
	}
	assert_int_equal(window.size, 64);
	/* The window does not widen once the slow start is over, either. */
	send_window(&window, &prng, 100);
	send_window(&window, &prng, 100);
	assert_true(window.started);
	for (int i = 0; i < 1000; i++) {
		uint32_t before = window.size;

		window_take(&window);
		window_answered(&window);
		assert_true(window.size <= before);
	}
	send_window(&window, &prng, 0);
	send_window(&window, &prng, 0);
	assert_true(window.size > 64);
}

static void test_slow_answers(void **state)
{
	struct window window;
	struct prng prng;

	(void)state;
	prng_seed(&prng, 1);
	window_open(&window, 64, 4096, false);
	for (int i = 0; i < 10; i++) {
		while (window_has_room(&window))
			window_take(&window);
		while (window.in_flight)
			window_answered_slowly(&window, 64);
		assert_int_equal(window.size, 64);
	}
	send_window(&window, &prng, 0);
	assert_true(window.size > 64);
	/* The window grows back to its first size. */
	for (int i = 0; i < 100; i++)
		send_window(&window, &prng, 1000);
	for (int i = 0; i < 1000; i++) {
		while (window_has_room(&window))
			window_take(&window);
		while (window.in_flight)
			window_answered_slowly(&window, 64);
	}
	assert_int_equal(window.size, 64);
}

static void test_first_above_maximum(void **state)
{
	struct window window;

	(void)state;
	window_open(&window, 64, 3, false);
	assert_int_equal(window.size, 3);
}

static void test_shrinks_when_all_is_lost(void **state)
{
	struct window window;
	struct prng prng;

	(void)state;
	prng_seed(&prng, 1);
	window_open(&window, 512, 512, false);
	for (int i = 0; i < 100; i++) {
		send_window(&window, &prng, 1000);
		assert_true(window.size >= 1);
	}
	assert_in_range(window.size, 1, 2);
}

/* Attempts without a reply do not change the window: nobody knows whether they were lost. */
static void test_silence_tells_nothing(void **state)
{
	struct window window;
	struct prng prng;

	(void)state;
	prng_seed(&prng, 1);
	window_open(&window, 64, 4096, false);
	for (int i = 0; i < 200000; i++) {
		window_take(&window);
		window_silent(&window);
		assert_int_equal(window.size, 64);
	}
	/* Attempts that are answered meanwhile widen the window, and those found lost narrow it. */
	for (int i = 0; i < 1000; i++) {
		while (window_has_room(&window))
			window_take(&window);
		window_answered(&window);
		while (window.in_flight)
			window_silent(&window);
	}
	assert_true(window.size > 1000);
	for (int i = 0; i < 100; i++) {
		while (window_has_room(&window))
			window_take(&window);
		while (window.in_flight > window.size / 8)
			window_silent(&window);
		for (uint32_t lost = window.in_flight; lost; lost--)
			window_lost(&window);
		while (window.in_flight)
			window_answered(&window);
	}
	assert_in_range(window.size, 1, 64);
}

/* One dead host among a thousand costs almost nothing. */
static void test_rare_loss(void **state)
{
	struct window window;
	struct prng prng;

	(void)state;
	prng_seed(&prng, 1);
	window_open(&window, 1000, 1000, false);
	for (int i = 0; i < 500; i++) {
		send_window(&window, &prng, 1);
		assert_true(window.size >= 950);
	}
}

static void test_recovers(void **state)
{
	struct window window;
	struct prng prng;

	(void)state;
	prng_seed(&prng, 1);
	window_open(&window, 256, 256, false);
	for (int i = 0; i < 50; i++)
		send_window(&window, &prng, 1000);
	for (int i = 0; i < 1000; i++)
		send_window(&window, &prng, 0);
	assert_int_equal(window.size, 256);
}

static void test_bounds(void **state)
{
	struct prng prng;

	(void)state;
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct window window;
		uint32_t maximum, flying = 0;

		prng_seed(&prng, seed);
		maximum = (uint32_t)prng_log_range(&prng, 1, 1u << 20);
		window_open(&window, (uint32_t)prng_log_range(&prng, 1, 64), maximum, false);
		for (int i = 0; i < 2000; i++) {
			if (window_has_room(&window) && prng_chance(&prng, 600000)) {
				window_take(&window);
				flying++;
			} else if (flying) {
				flying--;
				if (prng_chance(&prng, 200000))
					lose(&window);
				else if (prng_chance(&prng, 200000))
					window_silent(&window);
				else if (prng_chance(&prng, 100000))
					window_give(&window);
				else
					window_answered(&window);
			}
			assert_int_equal(window.in_flight, flying);
			assert_in_range(window.size, 1, maximum);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pinned),
		cmocka_unit_test(test_starts_and_grows),
		cmocka_unit_test(test_unused_stays),
		cmocka_unit_test(test_slow_answers),
		cmocka_unit_test(test_first_above_maximum),
		cmocka_unit_test(test_shrinks_when_all_is_lost),
		cmocka_unit_test(test_silence_tells_nothing),
		cmocka_unit_test(test_rare_loss),
		cmocka_unit_test(test_recovers),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
