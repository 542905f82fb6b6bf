/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "report/json_value.h"
#include "report/report.h"

static struct json_object *dropped_object(const struct fabric_stats *stats)
{
	static const char *const cause[FABRIC_DROP_CAUSES] = {
		[FABRIC_DROP_LOST] = "lost",
		[FABRIC_DROP_NO_LINK] = "no_link",
		[FABRIC_DROP_INACTIVE] = "inactive_port",
		[FABRIC_DROP_NO_ROUTE] = "no_route",
		[FABRIC_DROP_LOOP] = "loop",
		[FABRIC_DROP_DEAD] = "dead_node",
		[FABRIC_DROP_FULL] = "queue_full",
		[FABRIC_DROP_INVALID] = "invalid",
		[FABRIC_DROP_KEY] = "m_key",
		[FABRIC_DROP_UNCLAIMED] = "unclaimed",
		[FABRIC_DROP_NO_MEMORY] = "no_memory",
	};
	struct json_object *object = json_new_object();

	for (int i = 0; i < FABRIC_DROP_CAUSES; i++)
		json_add_number(object, cause[i], stats->dropped[i]);
	return object;
}

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

/* All nodes that have worked, and how much. */
static struct json_object *json_of_busy_nodes(const struct fabric *fabric)
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

/* A node's agent and its SMI work at the same time. */
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

/* A lower bound on any program's run time. */
static struct json_object *json_of_lower_bound(const struct fabric *fabric)
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

static struct json_object *fabric_object(const struct fabric *fabric)
{
	const struct fabric_stats *stats = fabric_stats(fabric);
	struct json_object *object = json_new_object();

	json_add_number(object, "sent", stats->sent);
	json_add_number(object, "delivered", stats->delivered);
	json_add_number(object, "answered", stats->answered);
	json_add_number(object, "traps", stats->traps);
	json_add_number(object, "duplicated", stats->duplicated);
	json_add_number(object, "reordered", stats->reordered);
	json_add_number(object, "corrupted", stats->corrupted);
	json_add(object, "dropped", dropped_object(stats));
	json_add(object, "kinds", json_of_kinds(stats));
	json_add(object, "nodes", json_of_busy_nodes(fabric));
	return object;
}

struct json_object *report_new(const struct fabric *fabric, const struct report_run *run)
{
	struct json_object *root = json_new_object();

	json_add_number(root, "seed", run->seed);
	json_add_text(root, "profile", run->profile);
	json_add(root, "model", json_of_model(fabric_model(fabric)));
	json_add_number(root, "time_ns", fabric_now(fabric));
	json_add(root, "fabric", fabric_object(fabric));
	json_add(root, "lower_bound", json_of_lower_bound(fabric));
	return root;
}

int report_write(struct json_object *report, const char *path)
{
	FILE *out = fopen(path, "w");
	int error;

	if (!out)
		return -errno;
	error = report_print(report, out);
	/* The errno of an earlier failure is lost, unless fclose() fails with the same. */
	errno = 0;
	if (fclose(out) || error == -EIO)
		return errno ? -errno : -EIO;
	return error;
}

int report_print(struct json_object *report, FILE *out)
{
	int error = json_tree_print(out, report, JSON_INDENTED);

	if (error)
		return error;
	fputc('\n', out);
	return ferror(out) ? -EIO : 0;
}
