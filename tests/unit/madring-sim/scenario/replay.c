/* SPDX-License-Identifier: BSD-2-Clause */
/* A run that is repeated, with its seed and its scenario, writes the report again byte by byte. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <json-c/json.h>

#include "scenario_client.h"
#include "scenario_fixture.h"
#include "report/report.h"
#include "fabric/routing.h"

#define SEEDS 200
#define HOSTS 24
#define LIDS  30

/* A scenario with everything that can be random. */
static const char everything[] =
	"set loss 0.01\n"
	"set duplicate 0.02\n"
	"set reorder 0.05\n"
	"set corrupt 0.01\n"
	"set training 150us\n"
	"set queue 3\n"
	"set local-service 1us\n"
	"set local-vl15 1000\n"
	"set local-receive-buffers 2\n"
	"every 300us node 'host-*' pause 200us\n"
	"1ms set local-receive-buffers 20\n"
	"0 node 3 of '*' service 60us\n"
	"node 2 of 'host-*' late 500us\n"
	"flow 'host-*:1' host-03-02:1 10M\n"
	"every 500us error 2 of '*:*' SymbolErrorCounter 2000\n"
	"every 200us node 2 of 'host-*' stall 200us\n"
	"300us node 1 of 'host-0[1-3]-*' hung\n"
	"+100us node 1 of 'host-0[1-3]-*' dead\n"
	"500us every 600us until 6ms link 1 of 'leaf-0[1-3]:*' flap 300us 100us 1\n"
	"700us every 2ms until 5ms node 1 of 'spine-*' flap 500us 50us 1\n"
	"1ms every 400us count 2 of 'leaf-*:*' LinkDownedCounter 1\n"
	"2ms profile modelled\n"
	"+0 set training 50us\n"
	"+0 set loss 0.02\n";

struct run {
	struct client_result result;
	char *report;
	uint64_t time, bound;
};

static void write_report(const struct world *world, uint64_t seed, FILE *out)
{
	const struct report_run run = { .profile = "real", .seed = seed };
	struct json_writer writer;

	assert_non_null(out);
	report_begin(&writer, out, world->fabric, &run);
	report_end(&writer);
	assert_int_equal(fclose(out), 0);
}

static uint64_t number_at(struct json_object *object, const char *key, const char *inner)
{
	struct json_object *found;

	assert_true(json_object_object_get_ex(object, key, &found));
	if (inner)
		assert_true(json_object_object_get_ex(found, inner, &found));
	return json_object_get_uint64(found);
}

static void play_on(struct world *world, uint64_t seed, const char *scenario, struct run *run)
{
	struct topology *topology = generate("fat-tree:leafs=4,spines=2,hosts=6");
	struct topology_node *host = topology->nodes[0];
	int endpoint;

	world_open(world, topology, seed);
	assert_int_equal(fabric_set_model(world->fabric, &fabric_modelled), 0);
	assert_int_equal(fabric_route(world->fabric, host, 1), 0);
	endpoint = fabric_attach(world->fabric, host, 1);
	assert_true(endpoint >= 0);
	if (read_scenario(world, scenario, strlen(scenario)))
		fail_msg("line %u: %s", world->error.line, world->error.text);
	client_run(world->fabric, endpoint, LIDS, seed, &run->result);
}

/* Plays a scenario. The caller gives the run to forget(). */
static struct run play(uint64_t seed, const char *scenario)
{
	struct json_object *report;
	struct world world;
	struct run run;
	size_t bytes;

	play_on(&world, seed, scenario, &run);
	write_report(&world, seed, open_memstream(&run.report, &bytes));
	report = json_tokener_parse(run.report);
	run.time = number_at(report, "time_ns", NULL);
	run.bound = number_at(report, "lower_bound", "ns");
	json_object_put(report);
	world_close(&world);
	return run;
}

static void forget(struct run *run)
{
	free(run->report);
}

static void the_whole_fabric_when_nothing_happens(void **state)
{
	struct run run = play(1, "");

	assert_int_equal(run.result.nodes, HOSTS + 6);
	assert_int_equal(run.result.timed_out, 0);
	assert_true(run.bound > 0 && run.bound <= run.time);
	forget(&run);
}

static void same_seed_same_report(void **state)
{
	struct run first, second, before = { 0 };
	size_t retried = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		first = play(seed, everything);
		second = play(seed, everything);
		assert_string_equal(first.report, second.report);
		assert_true(first.result.history == second.result.history);
		assert_int_equal(first.result.answered, second.result.answered);
		assert_true(first.bound > 0 && first.bound <= first.time);
		if (before.report) {
			assert_string_not_equal(before.report, first.report);
			assert_true(before.result.history != first.result.history);
		}
		retried += first.result.timed_out;
		forget(&before);
		forget(&second);
		before = first;
	}
	forget(&before);
	/* The scenario had its effect. */
	assert_true(retried > SEEDS);
}

static char *read_file(const char *path)
{
	size_t bytes = 0;
	char *text = NULL;
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(getdelim(&text, &bytes, '\0', file) > 0);
	fclose(file);
	return text;
}

/* The scenario must have had every effect, or else it would prove little. */
static void scenario_does_everything(void **state)
{
	const struct fabric_stats *stats;
	struct world world;
	struct run run;
	uint64_t sums[3] = { 0 }, drops[FABRIC_DROP_CAUSES] = { 0 };

	for (uint64_t seed = 1; seed <= 20; seed++) {
		play_on(&world, seed, everything, &run);
		stats = fabric_stats(world.fabric);
		sums[0] += stats->duplicated;
		sums[1] += stats->reordered;
		sums[2] += stats->corrupted;
		for (int i = 0; i < FABRIC_DROP_CAUSES; i++)
			drops[i] += stats->dropped[i];
		world_close(&world);
	}
	for (int i = 0; i < 3; i++)
		assert_true(sums[i] > 0);
	assert_true(drops[FABRIC_DROP_LOST] > 0);
	assert_true(drops[FABRIC_DROP_NO_LINK] > 0);
	assert_true(drops[FABRIC_DROP_INACTIVE] > 0);
	assert_true(drops[FABRIC_DROP_DEAD] > 0);
	assert_true(drops[FABRIC_DROP_FULL] > 0);
	assert_true(drops[FABRIC_DROP_LOCAL_VL15] > 0);
	assert_true(drops[FABRIC_DROP_LOCAL_RECEIVE] > 0);
}

/* The report goes into a file as madring-sim writes it for --stats. */
static void report_as_a_file(void **state)
{
	char path[] = "/tmp/madring-report-XXXXXX";
	struct run run = play(7, everything);
	struct world world;
	char *text;
	int fd = mkstemp(path), i;

	assert_true(fd >= 0);
	close(fd);
	for (i = 0; i < 2; i++) {
		struct run again;

		play_on(&world, 7, everything, &again);
		write_report(&world, 7, fopen(path, "w"));
		world_close(&world);
		text = read_file(path);
		assert_int_equal(strncmp(text, run.report, strlen(run.report)), 0);
		free(text);
	}
	unlink(path);
	forget(&run);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_whole_fabric_when_nothing_happens),
	cmocka_unit_test(same_seed_same_report),
	cmocka_unit_test(scenario_does_everything),
	cmocka_unit_test(report_as_a_file),
};

TEST_MAIN(tests, NULL, NULL)
