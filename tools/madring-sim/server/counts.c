/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/json_tree.h"
#include "report/report.h"
#include "server/counts.h"

struct count_kind *counts_of(struct counts *counts, const uint8_t *mad)
{
	return &counts->kind[kind_index_of(&counts->index, mad)];
}

static void put_counters(struct json_object *object, const struct count_kind *kind)
{
	json_add_number(object, "written", kind->written);
	json_add_number(object, "retried", kind->retried);
	json_add_number(object, "received", kind->received);
	json_add_number(object, "timed_out", kind->timed_out);
}

static struct json_object *kinds_array(const struct counts *counts)
{
	struct json_object *array = json_new_array(), *object;
	const struct mad_kind *kind = counts->index.kind;

	for (uint16_t i = 0; i < counts->index.count; i++, kind++) {
		object = json_of_kind(kind->mgmt_class, kind->method, kind->attribute);
		put_counters(object, &counts->kind[i]);
		json_append(array, object);
	}
	return array;
}

/* Returns the object of the sums over all kinds of MADs. */
static struct json_object *total_object(const struct counts *counts)
{
	struct count_kind total = counts->kind[KIND_INDEX_KINDS];
	struct json_object *object = json_new_object();

	for (uint16_t i = 0; i < counts->index.count; i++) {
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
	json_add_number(object, "held", counts->held);
	json_add_number(object, "held_peak", counts->waiting_peak);
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
	struct json_object *object = json_new_object();

	for (int i = 0; i < REJECT_REASONS; i++)
		json_add_number(object, reason[i], counts->rejected[i]);
	return object;
}

static struct json_object *rmpp_object(const struct counts *counts)
{
	struct json_object *object = json_new_object();

	json_add_number(object, "segments", counts->rmpp.segments);
	json_add_number(object, "resent", counts->rmpp.resent);
	json_add_number(object, "acks", counts->rmpp.acks);
	json_add_number(object, "refused", counts->rmpp.refused);
	json_add_number(object, "aborted", counts->rmpp.aborted);
	return object;
}

void counts_report(const struct counts *counts, struct json_object *report)
{
	json_add(report, "mads", total_object(counts));
	json_add(report, "rejected", rejected_object(counts));
	json_add(report, "rmpp", rmpp_object(counts));
	json_add(report, "kinds", kinds_array(counts));
}
