/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "dump.h"

#define TEXT_BYTES 4096

struct dump {
	_Alignas(8) uint8_t data[PMA_DATA_BYTES];
	char text[TEXT_BYTES];
};

static void add_fields(struct dump *dump, enum MAD_FIELDS first, enum MAD_FIELDS last)
{
	size_t length = strlen(dump->text);

	mad_dump_fields(dump->text + length, (int)(sizeof(dump->text) - length), dump->data,
			sizeof(dump->data), first, last);
}

/* Writes the fields of PortCountersExtended that the node has. */
static void write_extended(struct dump *dump, const struct capabilities *capabilities)
{
	add_fields(dump, IB_PC_EXT_FIRST_F, IB_PC_EXT_XMT_UPKTS_F);
	if (capabilities->mask & PMA_CAP_EXTENDED)
		add_fields(dump, IB_PC_EXT_XMT_UPKTS_F, IB_PC_EXT_LAST_F);
	if (capabilities->mask2 & PMA_CAP2_ADDITIONAL_EXTENDED)
		add_fields(dump, IB_PC_EXT_COUNTER_SELECT2_F, IB_PC_EXT_ERR_LAST_F);
}

static void write_fields(struct dump *dump, const struct capabilities *capabilities,
			 enum pma_attribute attribute)
{
	if (attribute == PMA_EXTENDED) {
		write_extended(dump, capabilities);
		return;
	}
	if (attribute == PMA_COUNTERS && !(capabilities->mask & PMA_CAP_XMIT_WAIT))
		pma_set_field(IB_PC_XMT_WAIT_F, dump->data, 0);
	pma_attribute_info(attribute)->dump(dump->text, sizeof(dump->text), dump->data,
					    sizeof(dump->data));
}

static void print_head(FILE *out, const struct port_counters *port, enum pma_attribute attribute)
{
	const struct capabilities *capabilities = &port->node->capabilities;
	unsigned int lid = port_counters_lid(port);

	if (attribute == PMA_COUNTERS)
		fprintf(out, "# Port counters: Lid %u port %u (CapMask: 0x%02X)\n", lid,
			port->number, capabilities->mask);
	else if (attribute == PMA_EXTENDED)
		fprintf(out,
			"# Port extended counters: Lid %u port %u (CapMask: 0x%02X CapMask2: "
			"0x%07X)\n",
			lid, port->number, capabilities->mask, capabilities->mask2);
	else
		fprintf(out, "# %s counters: Lid %u port %u\n", pma_attribute_info(attribute)->name,
			lid, port->number);
}

void dump_reading(FILE *out, const struct port_counters *port, enum pma_attribute attribute)
{
	const uint8_t *data = port_data(port, attribute);
	struct dump dump = { .text = "" };

	if (!data)
		return;
	memcpy(dump.data, data, sizeof(dump.data));
	write_fields(&dump, &port->node->capabilities, attribute);
	print_head(out, port, attribute);
	fputs(dump.text, out);
}

static void dump_port(FILE *out, const struct port_counters *port)
{
	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++)
		dump_reading(out, port, a);
}

void dump_collection(FILE *out, const struct collection *collection)
{
	for (size_t i = 0; i < collection->node_count; i++)
		for (size_t p = 0; p < collection->nodes[i].port_count; p++)
			dump_port(out, &collection->nodes[i].ports[p]);
}
