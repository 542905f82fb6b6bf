/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>

#include "attribute_name.h"
#include "counts.h"
#include "json_number.h"
#include "mad.h"

#define INDEX_SIZE (4 * COUNT_KINDS)

struct count_kind *counts_of(struct counts *counts, const uint8_t *mad)
{
	struct count_kind kind = {
		.mgmt_class = mad_class(mad),
		.method = mad_method(mad) & 0x7f,
		.attribute = mad_attribute(mad),
	};
	uint32_t hash = (kind.mgmt_class * 31u + kind.method) * 131u + kind.attribute;
	struct count_kind *known;

	for (;; hash++) {
		uint16_t *position = &counts->kind_index[hash % INDEX_SIZE];

		if (!*position) {
			if (counts->kind_count == COUNT_KINDS)
				return &counts->kind[COUNT_KINDS];
			counts->kind[counts->kind_count] = kind;
			*position = ++counts->kind_count;
		}
		known = &counts->kind[*position - 1];
		if (known->mgmt_class == kind.mgmt_class && known->method == kind.method &&
		    known->attribute == kind.attribute)
			return known;
	}
}

static void put_counters(struct json_object *object, const struct count_kind *kind)
{
	json_add_number(object, "written", kind->written);
	json_add_number(object, "retried", kind->retried);
	json_add_number(object, "received", kind->received);
	json_add_number(object, "timed_out", kind->timed_out);
}

static struct json_object *kind_object(const struct count_kind *kind)
{
	struct json_object *object = json_object_new_object();

	json_add_number(object, "class", kind->mgmt_class);
	json_add_number(object, "method", kind->method);
	json_add_number(object, "attribute", kind->attribute);
	json_object_object_add(
		object, "name",
		json_object_new_string(attribute_name(kind->mgmt_class, kind->attribute)));
	put_counters(object, kind);
	return object;
}

static struct json_object *kinds_array(const struct counts *counts)
{
	struct json_object *array = json_object_new_array();
	uint16_t i;

	for (i = 0; i < counts->kind_count; i++)
		json_object_array_add(array, kind_object(&counts->kind[i]));
	return array;
}

static struct json_object *total_object(const struct counts *counts)
{
	struct count_kind total = counts->kind[COUNT_KINDS];
	struct json_object *object = json_object_new_object();
	uint16_t i;

	for (i = 0; i < counts->kind_count; i++) {
		total.written += counts->kind[i].written;
		total.retried += counts->kind[i].retried;
		total.received += counts->kind[i].received;
		total.timed_out += counts->kind[i].timed_out;
	}
	put_counters(object, &total);
	json_add_number(object, "unmatched", counts->unmatched);
	json_add_number(object, "unclaimed", counts->unclaimed);
	json_add_number(object, "overflowed", counts->overflowed);
	json_add_number(object, "unread", counts->unread);
	json_add_number(object, "outstanding_peak", counts->outstanding_peak);
	json_add_number(object, "files", counts->files);
	json_add_number(object, "agents", counts->agents);
	return object;
}

static struct json_object *rejected_object(const struct counts *counts)
{
	static const char *const reason[REJECT_REASONS] = {
		[REJECT_SHORT] = "short",	   [REJECT_LONG] = "long",
		[REJECT_AGENT] = "no_agent",	   [REJECT_DUPLICATE] = "duplicate",
		[REJECT_ROUTE] = "directed_route", [REJECT_RMPP] = "rmpp",
		[REJECT_LIMIT] = "too_many",
	};
	struct json_object *object = json_object_new_object();
	int i;

	for (i = 0; i < REJECT_REASONS; i++)
		json_add_number(object, reason[i], counts->rejected[i]);
	return object;
}

static struct json_object *rmpp_object(const struct counts *counts)
{
	struct json_object *object = json_object_new_object();

	json_add_number(object, "segments", counts->rmpp.segments);
	json_add_number(object, "resent", counts->rmpp.resent);
	json_add_number(object, "acks", counts->rmpp.acks);
	json_add_number(object, "refused", counts->rmpp.refused);
	json_add_number(object, "aborted", counts->rmpp.aborted);
	return object;
}

static struct json_object *dropped_object(const struct fabric_stats *fabric)
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
		json_add_number(object, cause[i], fabric->dropped[i]);
	return object;
}

static struct json_object *fabric_object(const struct fabric_stats *fabric)
{
	struct json_object *object = json_object_new_object();

	json_add_number(object, "sent", fabric->sent);
	json_add_number(object, "delivered", fabric->delivered);
	json_add_number(object, "answered", fabric->answered);
	json_object_object_add(object, "dropped", dropped_object(fabric));
	return object;
}

int counts_write(const struct counts *counts, const struct fabric_stats *fabric, const char *path)
{
	struct json_object *root = json_object_new_object();
	int ret = 0;

	json_object_object_add(root, "mads", total_object(counts));
	json_object_object_add(root, "rejected", rejected_object(counts));
	json_object_object_add(root, "rmpp", rmpp_object(counts));
	json_object_object_add(root, "fabric", fabric_object(fabric));
	json_object_object_add(root, "kinds", kinds_array(counts));
	errno = 0;
	if (json_object_to_file_ext(path, root, JSON_C_TO_STRING_PRETTY))
		ret = errno ? -errno : -EIO;
	json_object_put(root);
	return ret;
}
