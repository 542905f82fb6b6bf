/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A topology: nodes, ports and cables, as read from a file or generated. It knows nothing
 * of MADs, and nothing of who asks.
 */
#ifndef SIM_TOPOLOGY_H
#define SIM_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum node_type { NODE_CA = 1, NODE_SWITCH = 2, NODE_ROUTER = 3 }; /* as in NodeInfo */

struct topology_node;
struct names;

struct topology_port {
	struct topology_node *peer; /* NULL: no cable */
	uint8_t peer_port;
	uint8_t width;	   /* LinkWidthActive encoding: 1 = 1x, 2 = 4x, 4 = 8x, 8 = 12x, 16 = 2x */
	uint8_t speed;	   /* LinkSpeedActive encoding; 1 = SDR, 2 = DDR, 4 = QDR */
	uint8_t speed_ext; /* LinkSpeedExtActive encoding; 0 none, 1 FDR, 2 EDR, 4 HDR, 8 NDR */
	bool fdr10;
	uint8_t width_enabled; /* LinkWidthEnabled, and so on: the masks that the two ends agree by
				*/
	uint8_t speed_enabled;
	uint8_t speed_ext_enabled;
	bool fdr10_enabled;
	uint16_t lid; /* 0: none yet */
	uint8_t lmc;
	uint64_t guid;
};

struct topology_node {
	uint32_t index; /* in topology.nodes */
	enum node_type type;
	uint8_t port_count;
	char *id;	   /* the name that the file gives it: what --attach finds */
	char *description; /* NodeDescription, at most 64 bytes */
	uint64_t node_guid;
	uint64_t system_guid;
	uint32_t vendor_id;
	uint16_t device_id;
	bool enhanced_port0;
	struct topology_port *port; /* port_count + 1 entries; 0 is a switch's own port */
};

struct topology {
	struct topology_node **nodes; /* in the order of the file */
	size_t node_count;
	struct names *names; /* id to node */
};

/* Where a file or a spec is wrong, and how. */
struct topology_error {
	char file[256];	   /* an included one, perhaps; empty for a spec */
	unsigned int line; /* 0: not in a line */
	char text[240];
};

/* Reads ibsim's netlists and saved ibnetdiscover output, told apart by what stands in them. */
int topology_read(struct topology **topology, const char *path, struct topology_error *error);

/* Generates by a spec, such as "fat-tree:radix=36,levels=3", "dragonfly:...", "torus:...". */
int topology_generate(struct topology **topology, const char *spec, struct topology_error *error);

void topology_free(struct topology *topology);

/* The node whose id, or else whose description, is @name; NULL. */
struct topology_node *topology_find(const struct topology *topology, const char *name);

#endif
