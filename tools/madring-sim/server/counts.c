/* SPDX-License-Identifier: BSD-2-Clause */
#include "json/json_write.h"
#include "report/report.h"
#include "server/counts.h"

struct count_kind *counts_of(struct counts *counts, const uint8_t *mad)
{
	return &counts->kind[kind_index_of(&counts->index, mad)];
}

static void write_counters(struct json_writer *writer, const struct count_kind *kind)
{
	json_write_number(writer, "written", kind->written);
	json_write_number(writer, "retried", kind->retried);
	json_write_number(writer, "received", kind->received);
	json_write_number(writer, "timed_out", kind->timed_out);
}

static void write_kinds(struct json_writer *writer, const struct counts *counts)
{
	const struct mad_kind *kind = counts->index.kind;

	json_write_open(writer, "kinds", '[');
	for (uint16_t i = 0; i < counts->index.count; i++, kind++) {
		json_write_open(writer, NULL, '{');
		report_kind(writer, kind->mgmt_class, kind->method, kind->attribute);
		write_counters(writer, &counts->kind[i]);
		json_write_close(writer, '}');
	}
	json_write_close(writer, ']');
}

/* write_total writes the sums over all kinds of MADs. */
static void write_total(struct json_writer *writer, const struct counts *counts)
{
	struct count_kind total = counts->kind[KIND_INDEX_KINDS];

	for (uint16_t i = 0; i < counts->index.count; i++) {
		total.written += counts->kind[i].written;
		total.retried += counts->kind[i].retried;
		total.received += counts->kind[i].received;
		total.timed_out += counts->kind[i].timed_out;
	}
	json_write_open(writer, "mads", '{');
	write_counters(writer, &total);
	json_write_number(writer, "unmatched", counts->unmatched);
	json_write_number(writer, "unclaimed", counts->unclaimed);
	json_write_number(writer, "overflowed", counts->overflowed);
	json_write_number(writer, "unread", counts->unread);
	json_write_number(writer, "outstanding_peak", counts->outstanding_peak);
	json_write_number(writer, "held", counts->held);
	json_write_number(writer, "held_peak", counts->waiting_peak);
	json_write_number(writer, "files", counts->files);
	json_write_number(writer, "agents", counts->agents);
	json_write_close(writer, '}');
}

static void write_rejected(struct json_writer *writer, const struct counts *counts)
{
	static const char *const reason[REJECT_REASONS] = {
		[REJECT_SHORT] = "short",	   [REJECT_LONG] = "long",
		[REJECT_AGENT] = "no_agent",	   [REJECT_DUPLICATE] = "duplicate",
		[REJECT_ROUTE] = "directed_route", [REJECT_RMPP] = "rmpp",
		[REJECT_LIMIT] = "too_many",
	};

	json_write_open(writer, "rejected", '{');
	for (int i = 0; i < REJECT_REASONS; i++)
		json_write_number(writer, reason[i], counts->rejected[i]);
	json_write_close(writer, '}');
}

static void write_rmpp(struct json_writer *writer, const struct counts *counts)
{
	json_write_open(writer, "rmpp", '{');
	json_write_number(writer, "segments", counts->rmpp.segments);
	json_write_number(writer, "resent", counts->rmpp.resent);
	json_write_number(writer, "acks", counts->rmpp.acks);
	json_write_number(writer, "refused", counts->rmpp.refused);
	json_write_number(writer, "aborted", counts->rmpp.aborted);
	json_write_close(writer, '}');
}

void counts_report(const struct counts *counts, struct json_writer *writer)
{
	write_total(writer, counts);
	write_rejected(writer, counts);
	write_rmpp(writer, counts);
	write_kinds(writer, counts);
}
