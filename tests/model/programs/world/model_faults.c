/* SPDX-License-Identifier: BSD-2-Clause */
#include "model_faults.h"

#include <stdlib.h>
#include <string.h>

#include "model_fail.h"
#include "network.h"

#define NAME_BYTES 64

void faults_set_profile(const char *name)
{
	const struct fabric_model *model = model_profile_find(name);

	expect(model, "no profile is named %s", name);
	expect(!fabric_set_model(network_fabric(), model), "%s: not a model", name);
}

void faults_set_number(const char *setting)
{
	struct fabric_model model = *fabric_model(network_fabric());
	const struct model_number *number;
	const char *value = strchr(setting, '=');
	char name[NAME_BYTES] = "", *end;

	expect(value && value - setting < NAME_BYTES, "%s: NAME=VALUE expected", setting);
	memcpy(name, setting, (size_t)(value - setting));
	number = model_number_find(name);
	expect(number, "no number of the model is named %s", name);
	model_set(&model, number, strtod(value + 1, &end));
	expect(end != value + 1 && !*end, "%s: not a number", value + 1);
	expect(!fabric_set_model(network_fabric(), &model), "%s: not a value for it", setting);
}

static const struct topology_node *find_node(const char *name)
{
	const struct topology_node *node = topology_find(fabric_topology(network_fabric()), name);

	expect(node, "no node is named %s", name);
	return node;
}

void faults_slow_node(const char *node, uint64_t ns)
{
	fabric_set_service(network_fabric(), find_node(node), ns);
}

/* The stall of a case. There is but one. */
static struct {
	const struct topology_node *node; /* NULL: all nodes */
	uint64_t ns;
} stall;

static void begin_stall(struct fabric *fabric, void *user)
{
	const struct topology *topology = fabric_topology(fabric);

	(void)user;
	if (stall.node) {
		fabric_stall(fabric, stall.node, stall.ns);
		return;
	}
	for (size_t i = 0; i < topology->node_count; i++)
		fabric_stall(fabric, topology->nodes[i], stall.ns);
}

void faults_stall_node(const char *node, uint64_t after, uint64_t ns)
{
	stall.node = strcmp(node, "*") ? find_node(node) : NULL;
	stall.ns = ns;
	expect(!fabric_at(network_fabric(), virtual_now() + after, begin_stall, NULL), "no timer");
}

static bool is_other_host(const struct topology_node *node)
{
	return node->type == NODE_CA && node != network_root();
}

void faults_kill_hosts(unsigned int count)
{
	const struct topology *topology = fabric_topology(network_fabric());
	uint64_t hosts = 0, seen = 0;

	for (size_t i = 0; i < topology->node_count; i++)
		hosts += is_other_host(topology->nodes[i]);
	expect(count <= hosts, "there are not %u other hosts", count);
	if (!count)
		return;
	for (size_t i = 0; i < topology->node_count; i++) {
		if (!is_other_host(topology->nodes[i]))
			continue;
		if ((seen + 1) * count / hosts != seen * count / hosts)
			fabric_set_health(network_fabric(), topology->nodes[i], FABRIC_DEAD);
		seen++;
	}
}
