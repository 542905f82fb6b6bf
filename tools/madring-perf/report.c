/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "link_line.h"
#include "report.h"

struct summary {
	unsigned int nodes, bad_nodes, ports, bad_ports;
};

struct scaled {
	float number;
	const char *prefix;
	bool octets;
};

/* Scales a number by binary prefixes, in steps of 1,024. Data counters count words of 4 octets. */
static struct scaled scale_number(uint64_t value, bool words)
{
	static const char *const prefixes[] = { "", "K", "M", "G", "T", "P", "E", "" };
	struct scaled scaled = { .number = (float)value, .octets = words };
	unsigned int step = 0;
	float divisor = 1;

	for (uint64_t rest = value / 1024; rest; rest /= 1024) {
		step++;
		divisor *= 1024;
	}
	if (words) {
		scaled.number *= 4;
		if (scaled.number / divisor > 1024) {
			step++;
			divisor *= 1024;
		}
	}
	scaled.number /= divisor;
	scaled.prefix = prefixes[step];
	return scaled;
}

static void print_scaled(FILE *out, const char *name, uint64_t value, bool words)
{
	struct scaled scaled = scale_number(value, words);

	fprintf(out, " [%s == %" PRIu64 " (%5.3f%s%s)]", name, value, scaled.number, scaled.prefix,
		words ? "B" : "");
}

/* Prints the details that are not 0. */
static void print_details(FILE *out, const struct port_counters *port, enum pma_attribute attribute)
{
	const struct pma_attribute_info *info = pma_attribute_info(attribute);
	const uint8_t *data = port_data(port, attribute);
	uint64_t value;

	for (unsigned int field = info->first; data && field < info->last; field++) {
		value = pma_field(field, data);
		if (value)
			fprintf(out, " [%s == %" PRIu64 "]", mad_field_name(field), value);
	}
}

/* Returns whether a counter is an error, and fills @value then. */
static bool is_error(const struct report *report, const struct port_counters *port,
		     enum counter counter, struct counter_value *value)
{
	if (counter == COUNTER_VL15_DROPPED && port->node->own_drops)
		return false;
	return thresholds_exceeded(report->thresholds, port, counter, value);
}

static void print_error(FILE *out, const struct report *report, const struct port_counters *port,
			enum counter counter)
{
	struct counter_value value;

	if (!is_error(report, port, counter, &value))
		return;
	if (value.attribute == PMA_EXTENDED)
		print_scaled(out, counter_name(counter), value.value, false);
	else
		fprintf(out, " [%s == %" PRIu64 "]", counter_name(counter), value.value);
	if (report->details && counter == COUNTER_XMIT_DISCARDS)
		print_details(out, port, PMA_XMIT_DISCARD_DETAILS);
	if (report->details && counter == COUNTER_RCV_ERRORS)
		print_details(out, port, PMA_RCV_ERROR_DETAILS);
}

static void print_data(FILE *out, const struct port_counters *port, bool zeros)
{
	struct counter_value value;

	for (unsigned int c = COUNTER_XMIT_DATA; c < COUNTERS; c++)
		if (counter_get(port, c, &value) && (value.value || zeros))
			print_scaled(out, counter_name(c), value.value, counter_is_words(c));
	fputc('\n', out);
}

static void print_errors(FILE *out, const struct report *report, const struct port_counters *port)
{
	for (unsigned int c = 0; c < COUNTER_XMIT_DATA; c++)
		print_error(out, report, port, c);
	if (report->data)
		print_data(out, port, false);
	else
		fputc('\n', out);
	if (report->links && port->port)
		link_line_print(out, port->port, report->names);
}

static bool has_errors(const struct report *report, const struct port_counters *port)
{
	struct counter_value value;

	for (unsigned int c = 0; c < COUNTERS; c++)
		if (is_error(report, port, c, &value))
			return true;
	return false;
}

static void print_head(FILE *out, const struct report *report, const struct madring_node *node)
{
	if (node->type == MADRING_NODE_SWITCH)
		fprintf(out, "Errors for 0x%" PRIx64 " ",
			madring_node_port_by_number(node, 0)->guid);
	else
		fputs("Errors for ", out);
	node_name_print(out, report->names, node, '"');
	fputc('\n', out);
}

/* Reports the sum over all ports, but not that of a host, whose ports follow. */
static void report_all(FILE *out, const struct report *report, const struct node_counters *node,
		       struct summary *summary)
{
	print_head(out, report, node->node);
	summary->bad_nodes++;
	if (node->node->type != MADRING_NODE_SWITCH)
		return;
	fprintf(out, "   GUID 0x%" PRIx64 " port ALL:",
		madring_node_port_by_number(node->node, 0)->guid);
	print_errors(out, report, node->all);
}

static void report_ports(FILE *out, const struct report *report, const struct node_counters *node,
			 bool headed, struct summary *summary)
{
	for (size_t i = 0; i < node->port_count; i++) {
		const struct port_counters *port = &node->ports[i];

		summary->ports++;
		if (!has_errors(report, port))
			continue;
		if (!headed) {
			print_head(out, report, node->node);
			summary->bad_nodes++;
		}
		headed = true;
		summary->bad_ports++;
		fprintf(out, "   GUID 0x%" PRIx64 " port %u:", port->port->guid, port->number);
		print_errors(out, report, port);
	}
}

/* Returns whether the ports were asked, because their sum was not enough. */
static bool ports_asked(const struct node_counters *node)
{
	return node->port_count && node->ports[0].reading[PMA_COUNTERS];
}

static void report_errors(FILE *out, const struct report *report, const struct node_counters *node,
			  struct summary *summary)
{
	bool sum = node->all && has_errors(report, node->all);

	if (node->all && !sum && !ports_asked(node)) {
		summary->ports += node->node->port_count;
		return;
	}
	if (sum)
		report_all(out, report, node, summary);
	report_ports(out, report, node, sum, summary);
}

/*
 * Prints the data counters of a node's ports, below one headline, as ibqueryerrors --counters
 * does.
 */
static void report_counters(FILE *out, const struct report *report,
			    const struct node_counters *node, struct summary *summary)
{
	uint64_t guid = node->node->guid;
	bool headed = false;

	for (size_t i = 0; i < node->port_count; i++) {
		const struct port_counters *port = &node->ports[i];

		summary->ports++;
		if (!port_data(port, PMA_COUNTERS) && !port_data(port, PMA_EXTENDED))
			continue;
		if (!headed) {
			fprintf(out, "Data Counters for 0x%" PRIx64 " ", guid);
			node_name_print(out, report->names, node->node, '"');
			fputc('\n', out);
		}
		headed = true;
		fprintf(out, "   GUID 0x%" PRIx64 " port %u:", guid, port->number);
		print_data(out, port, true);
		if (report->links)
			link_line_print(out, port->port, report->names);
	}
}

static void print_summary(FILE *out, const struct report *report, const struct summary *summary)
{
	const struct collection_stats *stats = &report->collection->stats;
	uint64_t failures = stats->refused + stats->malformed + stats->timed_out + stats->failed;

	fprintf(out, "\n## Summary: %u nodes checked, %u bad nodes found\n", summary->nodes,
		summary->bad_nodes);
	fprintf(out, "##          %u ports checked, %u ports have errors beyond threshold\n",
		summary->ports, summary->bad_ports);
	fprintf(out, "## %s\n", report->thresholds->text);
	if (failures)
		fprintf(out, "##          %" PRIu64 " PMA query failures\n", failures);
	fputs("## Suppressed:", out);
	for (unsigned int i = 0; i < report->thresholds->hidden_count; i++)
		fprintf(out, " %s", counter_name(report->thresholds->hidden[i]));
	fputc('\n', out);
}

/* Prints what is_error() has left out. */
static void print_own_drops(FILE *out, const struct collection *collection)
{
	uint64_t dropped = 0;
	size_t switches = 0;

	for (size_t i = 0; i < collection->node_count; i++) {
		dropped += collection->nodes[i].own_drops;
		switches += collection->nodes[i].own_drops > 0;
	}
	if (switches)
		fprintf(out,
			"## VL15Dropped rose by %" PRIu64 " at %zu switch%s during this discovery, "
			"by its SMPs or by others of that time: not counted as errors\n",
			dropped, switches, switches == 1 ? "" : "es");
}

unsigned int report_print(FILE *out, const struct report *report)
{
	struct summary summary = { 0 };

	for (size_t i = 0; i < report->collection->node_count; i++) {
		const struct node_counters *node = &report->collection->nodes[i];

		if (!node->wanted || node->unreachable)
			continue;
		summary.nodes++;
		if (report->counters)
			report_counters(out, report, node, &summary);
		else
			report_errors(out, report, node, &summary);
	}
	print_summary(out, report, &summary);
	if (!report->counters)
		print_own_drops(out, report->collection);
	return summary.bad_ports;
}
