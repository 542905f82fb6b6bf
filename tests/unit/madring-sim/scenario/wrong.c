/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever is no command is refused with a reason, and changes nothing. */
#include <errno.h>
#include <stdlib.h>

#include "scenario_fixture.h"

static struct world world;

static int open_world(void **state)
{
	world_open(&world, read_data("two-switches.net"), 1);
	return 0;
}

static int close_world(void **state)
{
	world_close(&world);
	return 0;
}

static const struct {
	const char *line, *why;
} wrong_lines[] = {
	{ "", "missing" },
	{ "  # nothing", "missing" },
	{ "frobnicate host", "frobnicate: no such command" },
	{ "\033[2J", "?[2J: no such command" },
	{ "set", "usage: set NAME VALUE" },
	{ "set hop", "usage: set NAME VALUE" },
	{ "set hope 1us", "hope: no such number" },
	{ "set hop 1us 2us", "2us: too much" },
	{ "set hop 1", "1: not a duration" },
	{ "set hop us", "us: not a duration" },
	{ "set hop -1us", "not a duration" },
	{ "set hop +1us", "not a duration" },
	{ "set hop 1.us", "digits are missing" },
	{ "set hop .5us", "not a duration" },
	{ "set hop 1.2.3us", "two points" },
	{ "set hop 0.5ns", "finer" },
	{ "set hop 0.00000000001min", "finer" },
	{ "set hop 0.000000000001min", "finer" },
	{ "set hop 1e9s", "not a duration" },
	{ "set hop 31000000s", "30 days" },
	{ "set hop 18446744073709551617ns", "30 days" },
	{ "set hop 99999999999999999999999999999999min", "30 days" },
	{ "set loss 1.5", "1.5: not a probability" },
	{ "set loss -0.1", "not a probability" },
	{ "set loss nan", "not a probability" },
	{ "set loss 0.1x", "not a probability" },
	{ "set loss ''", "not a probability" },
	{ "set queue -1", "not a whole number" },
	{ "set queue 4294967296", "not a whole number" },
	{ "set queue 99999999999999999999999", "not a whole number" },
	{ "set queue 1.5", "not a whole number" },
	{ "profile", "usage: profile" },
	{ "profile fast", "fast: unknown" },
	{ "node", "usage: node" },
	{ "node host", "usage: node" },
	{ "node host asleep", "asleep: unknown" },
	{ "node nobody dead", "nobody: no such node" },
	{ "node 'nobody*' dead", "no node has such a name" },
	{ "node 2 of nobody dead", "nobody: no such node" },
	{ "node 2 of 'host*' dead", "only 1 match" },
	{ "node 0 of '*' dead", "not a whole number" },
	{ "node -1 of '*' dead", "not a whole number" },
	{ "node host service", "usage: node" },
	{ "node host service fast", "not a duration" },
	{ "node host dead now", "too much" },
	{ "node host flap", "usage: node" },
	{ "node host flap 1us", "at least 100us" },
	{ "node host flap 1ms 1ms", "shorter" },
	{ "node host flap 1ms 0", "shorter" },
	{ "node host flap 1ms 100us 0", "not a whole number" },
	{ "node host flap 1ms 100us 3 4", "too much" },
	{ "node host mkey", "usage: node" },
	{ "node host mkey secret", "not a key from 0 to 0xffffffffffffffff" },
	{ "node host mkey 0x", "not a key" },
	{ "node host mkey 0x10000000000000000", "not a key" },
	{ "node host mkey 1 4", "not a whole number" },
	{ "node host mkey 1 3 1", "too much" },
	{ "node host pkey 1", "usage: node" },
	{ "node host pkey 64 1", "not a whole number" },
	{ "node host pkey 1 0x10000", "not a key from 0 to 0xffff" },
	{ "link left down", "left: not NODE:PORT" },
	{ "link left: down", "not NODE:PORT" },
	{ "link :1 down", "not NODE:PORT" },
	{ "link left:4 down", "no such port has a cable" },
	{ "link left:0 down", "no such port has a cable" },
	{ "link left:999 down", "no such port has a cable" },
	{ "link 'left:9*' down", "no such port has a cable" },
	{ "link nobody:1 down", "nobody: no such node" },
	{ "link left:1 sideways", "sideways: unknown" },
	{ "node 'host dead", "quote" },
	{ "node \"host dead", "quote" },
	{ "at", "missing" },
	{ "at noon node host dead", "noon: not a duration" },
	{ "at 31000000s node host dead", "30 days" },
	{ "at 5ms", "missing" },
	{ "every", "missing" },
	{ "every 1us node host dead", "at least 100us" },
	{ "every 1ms", "missing" },
	{ "at 5ms every 1ms until 4ms node host dead", "before it begins" },
	{ "every 1ms until 0 node host dead", "before it begins" },
	{ "5ms node host dead", "5ms: no such command" },
	{ "cancel all", "too much" },
	{ "traffic", "usage: traffic" },
	{ "traffic host:1", "usage: traffic" },
	{ "traffic host:2 off", "no such port" },
	{ "traffic host:1 off now", "too much" },
	{ "traffic host:1 bytes 1", "bytes: unknown" },
	{ "traffic host:1 xmit-bytes", "usage: traffic" },
	{ "traffic host:1 xmit-bytes 1T", "not a number up to" },
	{ "traffic host:1 xmit-bytes 1kk", "not a number up to" },
	{ "traffic host:1 xmit-bytes 2000G", "not a number up to" },
	{ "traffic host:1 xmit-bytes 99999999999999999999", "not a number up to" },
	{ "traffic host:1 sl 16 1", "not a whole number" },
	{ "traffic host:1 sl 1 256", "not a whole number" },
	{ "traffic host:1 xmit-packets 1 xmit-multicasts 2", "more multicasts" },
	{ "error host:1 SymbolErrors 1", "SymbolErrors: no such counter" },
	{ "error host:1 SymbolErrorCounter -1", "not a number" },
	{ "error host:1 SymbolErrorCounter inf", "not a number" },
	{ "error host:1 SymbolErrorCounter 1e300", "not a number" },
	{ "error host:1 SymbolErrorCounter 1e-9", "2^24" },
	{ "count host:1 SymbolErrorCounter", "usage: count" },
	{ "count host:1 SymbolErrorCounter 1 2", "too much" },
	{ "counter host:1 SymbolErrorCounter x", "not a number" },
	{ "counter nobody:1 SymbolErrorCounter 1", "nobody: no such node" },
	{ "flow host:1", "usage: flow" },
	{ "flow host:1 router:1", "usage: flow" },
	{ "flow host:1 '*:1' 1k", "one end" },
	{ "flow right:1 host:1 1k", "right:1: no flow can begin here" },
	{ "flow host:1 router:1 1k sl", "usage: flow" },
	{ "flow host:1 router:1 1k packet 1", "not a whole number" },
	{ "flow host:1 router:1 1k fast", "fast: too much" },
	{ "flows", "usage: flows" },
	{ "flows ebb", "ebb: unknown" },
	{ "show model", "use it with madring-sim ctl" },
	{ "walk", "use it with madring-sim ctl" },
	{ "at 5ms show model", "use it with madring-sim ctl" },
};

static void wrong_commands(void **state)
{
	for (size_t i = 0; i < sizeof(wrong_lines) / sizeof(wrong_lines[0]); i++)
		tell_wrong(&world, wrong_lines[i].line, wrong_lines[i].why);
	assert_memory_equal(fabric_model(world.fabric), &fabric_ideal, sizeof(fabric_ideal));
	assert_int_equal(count_health(&world, FABRIC_WELL), 5);
	assert_int_equal(fabric_next_event(world.fabric), FABRIC_NEVER);
}

/* An error that shows only at a command's time is an error at once, and a failure later. */
static void failures(void **state)
{
	assert_int_equal(
		scenario_do(world.scenario, 0, "flow host:1 router:1 1k", NULL, &world.error),
		-EHOSTUNREACH);
	assert_non_null(strstr(world.error.text, "route"));
	tell(&world, "at 1ms flow host:1 router:1 1k");
	fabric_run(world.fabric, 1 * MS);
	assert_int_equal(scenario_failure(world.scenario), -EHOSTUNREACH);
}

static int close_failed(void **state)
{
	scenario_close(world.scenario);
	fabric_close(world.fabric);
	return 0;
}

static void wrong_questions(void **state)
{
	static const char *const wrong[] = { "show",	       "show nothing",
					     "show node",      "show node nobody",
					     "show stats",     "show links left",
					     "show model all", "every 1ms walk",
					     "walk away",      "show links 'x*:1'" };
	struct scenario_answer answer = { .out = stdout };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(scenario_do(world.scenario, 0, wrong[i], &answer, &world.error),
				 -EINVAL);
}

static void wrong_files(void **state)
{
	static const char nul[] = "set hop 1us\nnode\0 host dead\n";

	read_wrong(&world, "set hop 1us\n\n5ms node nobody dead\n", 35, 3, "nobody");
	read_wrong(&world, "5 node host dead\n", 17, 1, "5: not a duration");
	read_wrong(&world, "5ms\n", 4, 1, "missing");
	read_wrong(&world, "+31000000s cancel\n", 18, 1, "30 days");
	read_wrong(&world, "2000000s cancel\n+2000000s cancel\n", 33, 2, "30 days");
	read_wrong(&world, "0 show model\n", 13, 1, "use it with madring-sim ctl");
	read_wrong(&world, nul, sizeof(nul) - 1, 2, "NUL");
	read_wrong(&world, "\177ELF\2\1\1", 7, 1, "no such command");
	assert_true(scenario_read(world.scenario, "/nonexistent/file", &world.error) < 0);
	assert_non_null(strstr(world.error.text, "No such file"));
	assert_true(scenario_read(world.scenario, "/tmp", &world.error) < 0);
	assert_non_null(strstr(world.error.text, "directory"));
	assert_int_equal(world.error.line, 0);
	assert_true(scenario_read(world.scenario, "/dev/zero", &world.error) < 0);
	assert_non_null(strstr(world.error.text, "too long"));
}

static void long_lines(void **state)
{
	char line[4200], command[4200];

	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\0';
	tell_wrong(&world, line, "too long a line");
	read_wrong(&world, line, sizeof(line) - 1, 1, "too long a line");
	line[4094] = '\0';
	tell_wrong(&world, line, "xx");
	snprintf(command, sizeof(command), "node %s", line + 10);
	tell_wrong(&world, command, "too long a name");
	memset(line, '#', 4094);
	assert_int_equal(read_scenario(&world, line, 4094), 0);
	memset(line, ' ', 4094);
	assert_int_equal(read_scenario(&world, line, 4094), 0);
	for (size_t i = 0; i < 200; i++)
		line[2 * i] = 'x';
	tell_wrong(&world, line, "too many words");
}

/* Checks that a file of many commands without an end is refused. */
static void too_much(const char *line, size_t count)
{
	size_t bytes = strlen(line), i;
	char *text = malloc(count * bytes + 1);

	assert_non_null(text);
	for (i = 0; i < count; i++)
		snprintf(text + i * bytes, bytes + 1, "%s", line);
	read_wrong(&world, text, count * bytes, (unsigned int)count, "more is scheduled");
	free(text);
}

static void too_often(const char *line)
{
	assert_int_equal(
		scenario_do(world.scenario, fabric_now(world.fabric), line, NULL, &world.error),
		-ENOSPC);
	assert_non_null(strstr(world.error.text, "more is scheduled"));
}

static void too_many_targets(void **state)
{
	close_world(NULL);
	world_open(&world, generate("torus:10x10x10"), 1);
	/* Changes that recur too often to follow are refused as well. */
	tell(&world, "every 10ms node 1999 of '*' well");
	too_often("every 10ms node 2 of '*' well");
	too_often("node 10 of '*' flap 10ms");
	too_often("every 100us set hop 1us");
	tell(&world, "cancel");
	fabric_run(world.fabric, 10 * MS);
	tell(&world, "node 1000 of '*' flap 10ms");
	too_often("every 10ms node 1 of '*' well");
	too_much("node '*' well\n", (4194304 - 1000) / 2000 + 1);
}

static void too_many_commands(void **state)
{
	too_much("1s cancel\n", 262145);
}

/* The patterns would take ages if each way were tried after the other. */
static void patterns_that_take_long(void **state)
{
	char stars[201], line[300];
	size_t i;

	for (i = 0; i < sizeof(stars) - 1; i++)
		stars[i] = i % 2 ? 'h' : '*';
	stars[i] = '\0';
	snprintf(line, sizeof(line), "node '%s' dead", stars);
	tell_wrong(&world, line, "no node");
}

static const char *const any_word[] = {
	"set",
	"hop",
	"loss",
	"queue",
	"local-service",
	"local-vl15",
	"local-receive-buffers",
	"profile",
	"real",
	"ideal",
	"node",
	"link",
	"'*'",
	"'*:*'",
	"left:2",
	"host",
	"host:1",
	"right:0",
	"of",
	"1",
	"2",
	"0",
	"flap",
	"dead",
	"off",
	"well",
	"down",
	"up",
	"service",
	"model",
	"late",
	"stall",
	"pause",
	"mkey",
	"pkey",
	"0x7fff",
	"100us",
	"1ms",
	"+1ms",
	"5s",
	"at",
	"every",
	"until",
	"cancel",
	"traffic",
	"error",
	"count",
	"counter",
	"flow",
	"flows",
	"lay",
	"clear",
	"sl",
	"packet",
	"xmit-bytes",
	"1k",
	"show",
	"stats",
	"links",
	"walk",
	"counters",
	"PortXmitData",
	"0.5",
	"\"",
	"#",
	"",
	"\1",
	"-1",
	"99999999999999999999",
};

/* Words of the language in any order. Most of it is refused, and some of it must not be. */
static void any_words(void **state)
{
	const size_t count = sizeof(any_word) / sizeof(any_word[0]);
	struct scenario_answer answer = { .out = fopen("/dev/null", "w") };
	uint64_t random = 1;
	size_t obeyed = 0;
	char line[256];

	assert_non_null(answer.out);
	for (size_t i = 0; i < 200000; i++) {
		line[0] = '\0';
		for (size_t word = 0; word < 2 + i % 6; word++) {
			random = random * 6364136223846793005 + 1442695040888963407;
			snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s ",
				 any_word[(random >> 33) % count]);
		}
		answer.json = i & 1;
		obeyed += !scenario_do(world.scenario, fabric_now(world.fabric), line, &answer,
				       &world.error);
		if (i % 100 == 0)
			fabric_run(world.fabric, fabric_now(world.fabric) + 1 * MS);
	}
	assert_true(obeyed > 100);
	fclose(answer.out);
}

#define ON_WORLD(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

static const struct CMUnitTest tests[] = {
	ON_WORLD(too_many_targets),
	ON_WORLD(wrong_commands),
	ON_WORLD(wrong_questions),
	ON_WORLD(wrong_files),
	ON_WORLD(long_lines),
	ON_WORLD(too_many_commands),
	ON_WORLD(patterns_that_take_long),
	cmocka_unit_test_setup_teardown(failures, open_world, close_failed),
	cmocka_unit_test_setup_teardown(any_words, open_world, close_failed),
};

TEST_MAIN(tests, NULL, NULL)
