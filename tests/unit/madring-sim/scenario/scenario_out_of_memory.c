/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands with their first, second, third... allocation failing: they say so, or do it. */
#include <errno.h>
#include <stdlib.h>

#include "unit/failing.h"
#include "scenario_fixture.h"
#include "fabric/routing.h"

/* Repeats a command until it has no allocation left to fail. Returns the count of allocations. */
static unsigned int do_until_it_works(const char *line)
{
	struct world world;
	unsigned int step;
	int ret;

	world_open(&world, read_data("two-switches.net"), 1);
	assert_int_equal(fabric_route(world.fabric, fabric_topology(world.fabric)->nodes[0], 1), 0);
	for (step = 1;; step++) {
		fail_at = step;
		ret = scenario_do(world.scenario, 0, line, NULL, &world.error);
		if (!ret)
			break;
		assert_int_equal(ret, -ENOMEM);
		assert_string_equal(world.error.text, "Cannot allocate memory");
	}
	assert_true(fail_at);
	fail_at = 0;
	fabric_run(world.fabric, 10 * MS);
	world_close(&world);
	return step - 1;
}

static void commands(void **state)
{
	assert_int_equal(do_until_it_works("set hop 1us"), 0);
	assert_true(do_until_it_works("node '*' dead") > 1);
	assert_true(do_until_it_works("node 2 of '*' flap 1ms") > 3);
	assert_true(do_until_it_works("at 1ms link 'left:*' down") > 3);
	assert_true(do_until_it_works("every 1ms link left:2 flap 400us 100us 1") > 2);
	assert_true(do_until_it_works("count '*:*' SymbolErrorCounter 1") > 3);
	assert_true(do_until_it_works("flow host:1 dual:1 1k") > 2);
}

static void files(void **state)
{
	static const char text[] = "set hop 1us\n1ms node '*' dead\n+1ms node '*' well\n";
	struct world world;
	unsigned int step;
	int ret;

	for (step = 1;; step++) {
		world_open(&world, read_data("two-switches.net"), 1);
		fail_at = step;
		ret = read_scenario(&world, text, sizeof(text) - 1);
		if (!ret)
			break;
		assert_int_equal(ret, -ENOMEM);
		assert_string_equal(world.error.text, "Cannot allocate memory");
		assert_true(world.error.line >= 1 && world.error.line <= 3);
		world_close(&world);
	}
	assert_true(step > 6);
	fail_at = 0;
	fabric_run(world.fabric, 1 * MS);
	assert_int_equal(count_health(&world, FABRIC_DEAD), 5);
	world_close(&world);
}

/* A command that fails at its time is remembered; the others go on. */
static void later(void **state)
{
	struct world world;

	world_open(&world, read_data("two-switches.net"), 1);
	tell(&world, "at 1ms node host flap 1ms");
	tell(&world, "at 2ms node router dead");
	fail_at = 1;
	fabric_run(world.fabric, 3 * MS);
	assert_int_equal(fail_at, 0);
	assert_int_equal(scenario_failure(world.scenario), -ENOMEM);
	assert_int_equal(health_of(&world, "host"), FABRIC_WELL);
	assert_int_equal(health_of(&world, "router"), FABRIC_DEAD);
	scenario_close(world.scenario);
	fabric_close(world.fabric);
}

static void opening(void **state)
{
	struct scenario_config config = { 0 };
	struct scenario *scenario;

	fail_at = 1;
	assert_int_equal(scenario_open(&scenario, &config), -ENOMEM);
	assert_int_equal(fail_at, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(commands),
	cmocka_unit_test(files),
	cmocka_unit_test(later),
	cmocka_unit_test(opening),
};

TEST_MAIN(tests, NULL, NULL)
