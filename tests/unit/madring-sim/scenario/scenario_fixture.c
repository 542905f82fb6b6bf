/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scenario_fixture.h"

#define PORT_DOWN 1

void world_open(struct world *world, struct topology *topology, uint64_t seed)
{
	const struct fabric_config config = { .seed = seed };
	struct scenario_config scenario = { .seed = seed };

	*world = (struct world){ 0 };
	assert_int_equal(fabric_open(&world->fabric, topology, &config), 0);
	scenario.fabric = world->fabric;
	assert_int_equal(scenario_open(&world->scenario, &scenario), 0);
}

void world_close(struct world *world)
{
	assert_int_equal(scenario_failure(world->scenario), 0);
	scenario_close(world->scenario);
	fabric_close(world->fabric);
}

void tell(struct world *world, const char *line)
{
	if (scenario_do(world->scenario, fabric_now(world->fabric), line, NULL, &world->error))
		fail_msg("%s: %s", line, world->error.text);
}

static void expect_reason(const struct world *world, const char *what, const char *why)
{
	if (!strstr(world->error.text, why))
		fail_msg("%s: \"%s\", not \"%s\"", what, world->error.text, why);
}

void tell_wrong(struct world *world, const char *line, const char *why)
{
	int ret =
		scenario_do(world->scenario, fabric_now(world->fabric), line, NULL, &world->error);

	if (ret != -EINVAL)
		fail_msg("%s: %d", line, ret);
	expect_reason(world, line, why);
}

int read_scenario(struct world *world, const char *text, size_t bytes)
{
	char path[] = "/tmp/madring-scenario-XXXXXX";
	int fd = mkstemp(path), ret;
	FILE *file;

	assert_true(fd >= 0);
	file = fdopen(fd, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
	ret = scenario_read(world->scenario, path, &world->error);
	unlink(path);
	return ret;
}

void read_wrong(struct world *world, const char *text, size_t bytes, unsigned int line,
		const char *why)
{
	assert_true(read_scenario(world, text, bytes) < 0);
	expect_reason(world, text, why);
	assert_int_equal(world->error.line, line);
}

char *ask_scenario(struct world *world, const char *line, bool json)
{
	struct scenario_answer answer = { .json = json };
	size_t bytes;
	char *text;

	answer.out = open_memstream(&text, &bytes);
	assert_non_null(answer.out);
	if (scenario_do(world->scenario, fabric_now(world->fabric), line, &answer, &world->error))
		fail_msg("%s: %s", line, world->error.text);
	assert_int_equal(fclose(answer.out), 0);
	return text;
}

static const struct topology_node *find(const struct world *world, const char *name)
{
	const struct topology_node *node = topology_find(fabric_topology(world->fabric), name);

	assert_non_null(node);
	return node;
}

enum fabric_health health_of(const struct world *world, const char *node)
{
	struct fabric_node_view view;

	fabric_view_node(world->fabric, find(world, node), &view);
	return view.health;
}

bool link_is_up(const struct world *world, const char *node, unsigned int port)
{
	struct fabric_port_state state;

	fabric_view_port(world->fabric, find(world, node), port, &state);
	return state.state != PORT_DOWN;
}

size_t count_health(const struct world *world, enum fabric_health health)
{
	const struct topology *topology = fabric_topology(world->fabric);
	struct fabric_node_view view;
	size_t count = 0;

	for (size_t i = 0; i < topology->node_count; i++) {
		fabric_view_node(world->fabric, topology->nodes[i], &view);
		count += view.health == health;
	}
	return count;
}
