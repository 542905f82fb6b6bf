/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: tables [multicast]: prints the forwarding tables of all switches, as CSV: the GUID of the
 * switch, the LID, and the ports by which it forwards packets to that LID.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <madring.h>
#include <madring/sweep.h>
#include <madring/tables.h>

static void print_port(const struct madring_table *table, uint16_t lid)
{
	int port = madring_table_port(table, lid);

	if (port >= 0)
		printf("0x%016" PRIx64 ",%u,%d\n", madring_table_node(table)->guid, lid, port);
}

static void print_ports(const struct madring_table *table, uint16_t lid)
{
	uint8_t mask[MADRING_PORT_MASK_BYTES];

	if (madring_table_ports(table, lid, mask))
		return;
	for (unsigned int port = 0; port < 255; port++)
		if (mask[port / 8] & 1 << port % 8)
			printf("0x%016" PRIx64 ",%u,%u\n", madring_table_node(table)->guid, lid,
			       port);
}

static void print_table(void *failed, struct madring_table *table)
{
	bool is_linear = madring_table_kind(table) == MADRING_TABLE_LINEAR;
	int error = madring_table_error(table);

	if (error)
		*(int *)failed = fprintf(stderr, "%s: %s\n", madring_table_node(table)->description,
					 madring_error_text(error));
	for (unsigned int lid = is_linear ? 0 : 0xc000; lid <= madring_table_last_lid(table); lid++)
		(is_linear ? print_port : print_ports)(table, (uint16_t)lid);
	madring_table_free(table);
}

int main(int argc, char **argv)
{
	int failed = 0;
	const struct madring_ask_tables_config config = {
		.kind = argc > 1 && !strcmp(argv[1], "multicast") ? MADRING_TABLE_MULTICAST
								  : MADRING_TABLE_LINEAR,
		.done = print_table,
		.user = &failed,
	};
	struct madring_subnet *subnet = NULL;
	struct madring_fabric *fabric = NULL;
	int error = madring_subnet_open(NULL, &subnet);

	if (!error)
		error = madring_sweep(subnet, NULL, &fabric);
	if (!error)
		error = madring_ask_tables(subnet, fabric, &config);
	if (error)
		fprintf(stderr, "tables: %s\n", madring_error_text(error));
	madring_subnet_close(subnet);
	madring_fabric_free(fabric);
	return error || failed;
}
