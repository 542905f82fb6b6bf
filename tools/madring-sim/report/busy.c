/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/busy.h"
#include "report/json_value.h"

static struct json_object *node_object(const struct topology_node *node,
				       const struct fabric_work *work)
{
	struct json_object *object = json_new_object();

	json_add_node(object, node);
	json_add_number(object, "served", work->served);
	json_add_number(object, "busy_ns", work->agent_busy);
	json_add_number(object, "passed_on", work->passed_on);
	json_add_number(object, "transit_ns", work->transit_busy);
	return object;
}

struct json_object *json_of_busy_nodes(const struct fabric *fabric)
{
	const struct topology *topology = fabric_topology(fabric);
	struct json_object *array = json_new_array();
	struct fabric_work work;

	for (size_t i = 0; i < topology->node_count; i++) {
		fabric_work(fabric, topology->nodes[i], &work);
		if (work.served || work.passed_on)
			json_append(array, node_object(topology->nodes[i], &work));
	}
	return array;
}

/* A node's agent and its SMI work side by side. */
static uint64_t busy_time(const struct fabric_work *work)
{
	return work->agent_busy > work->transit_busy ? work->agent_busy : work->transit_busy;
}

static const struct topology_node *find_busiest(const struct fabric *fabric, uint64_t *ns)
{
	const struct topology *topology = fabric_topology(fabric);
	const struct topology_node *busiest = NULL;
	struct fabric_work work;

	*ns = 0;
	for (size_t i = 0; i < topology->node_count; i++) {
		fabric_work(fabric, topology->nodes[i], &work);
		if (busy_time(&work) > *ns) {
			busiest = topology->nodes[i];
			*ns = busy_time(&work);
		}
	}
	return busiest;
}

struct json_object *json_of_lower_bound(const struct fabric *fabric)
{
	const struct fabric_stats *stats = fabric_stats(fabric);
	struct json_object *object = json_new_object(), *busiest_object = NULL;
	const struct topology_node *busiest;
	uint64_t ns;

	busiest = find_busiest(fabric, &ns);
	if (busiest) {
		busiest_object = json_new_object();
		json_add_node(busiest_object, busiest);
		json_add_number(busiest_object, "ns", ns);
	}
	json_add_number(object, "ns", ns > stats->chain.ns ? ns : stats->chain.ns);
	json_add(object, "busiest", busiest_object);
	json_add_number(object, "chain_ns", stats->chain.ns);
	json_add_number(object, "chain_trips", stats->chain.trips);
	return object;
}
