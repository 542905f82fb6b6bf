/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the netlist reader share: netlist.c reads files and nodes,
 * netlist_settings.c the lines that set something for the nodes below, netlist_ports.c the
 * ports of a node, netlist_text.c what stands in their lines. All return 0, -EINVAL with the error
 * filled in, or -ENOMEM.
 */
#ifndef SIM_NETLIST_H
#define SIM_NETLIST_H

#include "topology/builder.h"
#include "topology/cables.h"

#define MAX_PREFIX 20
#define MAX_ID	   64

struct reader {
	struct builder builder;
	struct cables cables;
	struct topology_error *error;
	struct source *sources; /* kept until the end: cable ends point to their paths */
	const char *path;
	unsigned int line, depth, files;
	struct topology_node *node; /* whose ports are read now */
	uint64_t guid_base[4];
	uint64_t system_guid, port_guid; /* of the next node; 0: numbered */
	uint32_t vendor_id;
	uint16_t device_id;
	char prefix[MAX_PREFIX + 1];
};

/* Fills in the error; -EINVAL. */
__attribute__((format(printf, 2, 3))) int netlist_wrong(struct reader *reader, const char *format,
							...);
int netlist_no_memory(struct reader *reader);

/* The text in quotes, ended there. NULL: there are no two quotes. */
char *netlist_quoted(char *text, char **rest);

/* Whether a node or an alias may have this name. */
bool netlist_plain_name(const char *name);

/* The number, up to @max, behind '=' or '+'. */
int netlist_value(struct reader *reader, const char *text, unsigned long long max,
		  unsigned long long *value);

/* A number from @min to @max behind '='. */
int netlist_mask(struct reader *reader, const char *text, unsigned int min, unsigned int max,
		 uint8_t *mask);

/* Each gets what stands behind its keyword. */
int netlist_switch_guid(struct reader *reader, char *text);
int netlist_ca_guid(struct reader *reader, char *text);
int netlist_router_guid(struct reader *reader, char *text);
int netlist_system_guid(struct reader *reader, char *text);
int netlist_vendor(struct reader *reader, char *text);
int netlist_device(struct reader *reader, char *text);
int netlist_width(struct reader *reader, char *text);
int netlist_speed(struct reader *reader, char *text);
int netlist_ext_speed(struct reader *reader, char *text);
int netlist_prefix(struct reader *reader, char *text);

/* A port's line, from its '[' or '@'. */
int netlist_port(struct reader *reader, char *text);

#endif
