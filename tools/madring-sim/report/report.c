/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "busy.h"
#include "common/json_number.h"
#include "json_value.h"
#include "kinds.h"
#include "report.h"

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
	struct json_object *object = json_object_new_object();
	int i;

	for (i = 0; i < FABRIC_DROP_CAUSES; i++)
		json_add_number(object, cause[i], stats->dropped[i]);
	return object;
}

static struct json_object *fabric_object(const struct fabric *fabric)
{
	const struct fabric_stats *stats = fabric_stats(fabric);
	struct json_object *object = json_object_new_object();

	json_add_number(object, "sent", stats->sent);
	json_add_number(object, "delivered", stats->delivered);
	json_add_number(object, "answered", stats->answered);
	json_add_number(object, "traps", stats->traps);
	json_add_number(object, "duplicated", stats->duplicated);
	json_add_number(object, "reordered", stats->reordered);
	json_add_number(object, "corrupted", stats->corrupted);
	json_object_object_add(object, "dropped", dropped_object(stats));
	json_object_object_add(object, "kinds", json_of_kinds(stats));
	json_object_object_add(object, "nodes", json_of_busy_nodes(fabric));
	return object;
}

struct json_object *report_new(const struct fabric *fabric, const struct report_run *run)
{
	struct json_object *root = json_object_new_object();

	json_add_number(root, "seed", run->seed);
	json_add_text(root, "profile", run->profile);
	json_object_object_add(root, "model", json_of_model(fabric_model(fabric)));
	json_add_number(root, "time_ns", fabric_now(fabric));
	json_object_object_add(root, "fabric", fabric_object(fabric));
	json_object_object_add(root, "lower_bound", json_of_lower_bound(fabric));
	return root;
}

int report_write(struct json_object *report, const char *path)
{
	errno = 0;
	if (!json_object_to_file_ext(path, report, JSON_C_TO_STRING_PRETTY))
		return 0;
	return errno ? -errno : -EIO;
}

int report_print(struct json_object *report, FILE *out)
{
	const char *text = json_object_to_json_string_ext(report, JSON_C_TO_STRING_PRETTY);

	if (!text)
		return -ENOMEM;
	return fprintf(out, "%s\n", text) < 0 ? -EIO : 0;
}
