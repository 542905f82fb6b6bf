/* SPDX-License-Identifier: BSD-2-Clause */
#include "counts.h"
#include "json_number.h"
#include "kinds.h"
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
	struct json_object *object = json_of_kind(kind->mgmt_class, kind->method, kind->attribute);

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

void counts_report(const struct counts *counts, struct json_object *report)
{
	json_object_object_add(report, "mads", total_object(counts));
	json_object_object_add(report, "rejected", rejected_object(counts));
	json_object_object_add(report, "rmpp", rmpp_object(counts));
	json_object_object_add(report, "kinds", kinds_array(counts));
}
