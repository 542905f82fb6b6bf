/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "report/busy.h"
#include "report/json_value.h"
#include "report/kinds.h"
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
	/* The errno of an earlier failure is lost, unless closing fails with the same one. */
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
