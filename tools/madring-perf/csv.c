/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>

#include "counter.h"
#include "csv.h"

static bool has_columns(uint32_t attributes, enum pma_attribute attribute)
{
	return attributes & PMA_SET(attribute) & ~PMA_SET_BASE;
}

void csv_print_head(FILE *out, uint32_t attributes)
{
	fputs("time_ms,node_guid,node_type,node_name,port,lid", out);
	for (unsigned int c = 0; c < COUNTERS; c++)
		fprintf(out, ",%s", counter_name(c));
	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++) {
		const struct pma_attribute_info *info = pma_attribute_info(a);

		for (unsigned int field = info->first;
		     has_columns(attributes, a) && field < info->last; field++)
			fprintf(out, ",%s", mad_field_name(field));
	}
	fputs(",saturated\r\n", out);
}

static void print_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	/*
	 * A spreadsheet would take such a text for a formula, and run it. The apostrophe prevents
	 * that.
	 */
	if (*text && strchr("=+-@", *text))
		fputc('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void print_counters(FILE *out, const struct port_counters *port)
{
	struct counter_value value;

	for (unsigned int c = 0; c < COUNTERS; c++) {
		fputc(',', out);
		if (counter_get(port, c, &value))
			fprintf(out, "%" PRIu64, value.value);
	}
}

static void print_fields(FILE *out, const struct port_counters *port, enum pma_attribute attribute)
{
	const struct pma_attribute_info *info = pma_attribute_info(attribute);
	const uint8_t *data = port_data(port, attribute);

	for (unsigned int field = info->first; field < info->last; field++) {
		fputc(',', out);
		if (data)
			fprintf(out, "%" PRIu64, pma_field(field, data));
	}
}

static void print_saturated(FILE *out, const struct port_counters *port)
{
	const char *between = "";
	struct counter_value value;

	fputc(',', out);
	for (unsigned int c = 0; c < COUNTERS; c++)
		if (counter_get(port, c, &value) && value.saturated) {
			fprintf(out, "%s%s", between, counter_name(c));
			between = " ";
		}
}

static void print_port(FILE *out, const struct collection *collection,
		       const struct port_counters *port, uint32_t attributes,
		       const struct names *names)
{
	const struct madring_node *node = port->node->node;

	fprintf(out, "%" PRId64 ",0x%016" PRIx64 ",%s,", collection->start_time_ms, node->guid,
		madring_node_type_text(node->type));
	print_quoted(out, node_name(names, node));
	fprintf(out, ",%u,%u", port->number, port->port->lid);
	print_counters(out, port);
	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++)
		if (has_columns(attributes, a))
			print_fields(out, port, a);
	print_saturated(out, port);
	fputs("\r\n", out);
}

void csv_print(FILE *out, const struct collection *collection, uint32_t attributes,
	       const struct names *names)
{
	for (size_t i = 0; i < collection->node_count; i++) {
		const struct node_counters *node = &collection->nodes[i];

		for (size_t p = 0; node->wanted && p < node->port_count; p++)
			print_port(out, collection, &node->ports[p], attributes, names);
	}
}
