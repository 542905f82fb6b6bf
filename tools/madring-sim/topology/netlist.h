/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the netlist reader: netlist.c reads files and nodes, netlist_ports.c the ports of a
 * node, and both use netlist_text.c, which reads what stands in a line. Functions return 0, -EINVAL
 * with the error filled in, or -ENOMEM.
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

/* ---- netlist_text.c ---- */

/* netlist_wrong fills in the error. Returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int netlist_wrong(struct reader *reader, const char *format,
							...);
int netlist_no_memory(struct reader *reader);

/*
 * netlist_quoted returns the text in quotes, and ends it there. Returns NULL if there are no two
 * quotes.
 */
char *netlist_quoted(char *text, char **rest);

/* netlist_plain_name tells whether a node or an alias may have this name. */
bool netlist_plain_name(const char *name);

/* netlist_value reads the number, up to @max, behind '=' or '+'. */
int netlist_value(struct reader *reader, const char *text, unsigned long long max,
		  unsigned long long *value);

/* netlist_mask reads a number from @min to @max behind '='. */
int netlist_mask(struct reader *reader, const char *text, unsigned int min, unsigned int max,
		 uint8_t *mask);

/* netlist_ext_mask reads a mask of extended speeds behind '=': up to 15, and 32 for XDR. */
int netlist_ext_mask(struct reader *reader, const char *text, uint8_t *mask);

/*
 * The functions below read the settings for the nodes that follow. Each gets the text after its
 * keyword.
 */
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

/*
 * The functions below read what ibnetdiscover writes after the '#' of a node's or a port's line,
 * and ibsim reads there: the description, the LIDs, and the link's width and speed. @text starts at
 * the '#', or is empty. They return 0, or -EINVAL without an error filled in: a number is out of
 * range.
 */
int netdiscover_node(struct topology_node *node, char *text);
int netdiscover_port(struct topology_node *node, unsigned int port, const char *text);

/* ---- netlist_ports.c ---- */

/* netlist_port reads a port's line, from its '[' or '@'. */
int netlist_port(struct reader *reader, char *text);

#endif
