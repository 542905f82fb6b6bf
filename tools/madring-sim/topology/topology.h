/* SPDX-License-Identifier: BSD-2-Clause */
/* A topology: nodes, ports and cables, as read from a file or generated. It knows no MADs. */
#ifndef SIM_TOPOLOGY_H
#define SIM_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum node_type { NODE_CA = 1, NODE_SWITCH = 2, NODE_ROUTER = 3 }; /* as in NodeInfo */

struct topology_node;
struct names;

#define TOPOLOGY_SPEED_XDR 32 /* among extended speeds */

struct topology_port {
	struct topology_node *peer; /* NULL: no cable */
	uint8_t peer_port;
	uint8_t width; /* LinkWidthActive encoding: 1 = 1x, 2 = 4x, 4 = 8x, 8 = 12x, 16 = 2x */
	uint8_t speed; /* LinkSpeedActive encoding; 1 = SDR, 2 = DDR, 4 = QDR */
	/*
	 * LinkSpeedExtActive encoding; 0 none, 1 FDR, 2 EDR, 4 HDR, 8 NDR. LinkSpeedExtActive2 is
	 * in bit 5 and above: 32 XDR.
	 */
	uint8_t speed_ext;
	bool fdr10;
	/* LinkWidthEnabled and so on: the masks by which the two ends agree. */
	uint8_t width_enabled;
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

/* The error in a file or a spec, and its place. */
struct topology_error {
	char file[256];	   /* an included one, perhaps; empty for a spec */
	unsigned int line; /* 0: not in a line */
	char text[240];
};

/*
 * topology_read reads ibsim's netlists and saved ibnetdiscover output, told apart by what stands in
 * them. Nodes without GUIDs get those that ibsim would give them. Cables must be named at both
 * ends; an included file is looked for where ibsim looks: in the current folder. Nodes may have the
 * same GUID, as in a real fabric that is wrong; ids are unique.
 * Returns 0, or -EINVAL or -ENOMEM with what is wrong, and where, in *@error.
 */
int topology_read(struct topology **topology, const char *path, struct topology_error *error);

/*
 * topology_generate makes a topology by a spec, "SHAPE:KEY=VALUE,KEY=VALUE...". The numbers are
 *decimal.
 *
 *   fat-tree:leafs=L,spines=S,hosts=H[,links=K]
 *	Two levels: L leaf switches with H hosts each (0 or more), S spine switches, and K
 *	cables (default 1) from each leaf to each spine.
 *	"fat-tree:leafs=30,spines=30,hosts=30" has 60 switches and 900 hosts.
 *   fat-tree:radix=R[,levels=N]
 *	The full tree of N levels (1 to 8, default 2) of switches with R ports, an even number:
 *	2 (R/2)^N hosts, and (2N - 1) (R/2)^(N-1) switches; with N = 1 one switch and R hosts.
 *	"fat-tree:radix=36,levels=3" has 1,620 switches and 11,664 hosts.
 *   dragonfly:a=A[,p=P][,h=H][,groups=G]
 *	G groups (default and at most A H + 1) of A switches, all cabled to each other, each
 *	with P hosts (default 1) and H ports to other groups (default 1). Every pair of groups
 *	has the same number of cables; ports that are left over have none.
 *   torus:XxYxZ[,hosts=H][,links=K]
 *	A torus of one to six dimensions, each 2 to 1,000: H hosts at each switch (default 1),
 *	K cables to each neighbour (default 1). A dimension of 2 has no second way round.
 *   mesh:XxYxZ[,hosts=H][,links=K]
 *	The same without the cables that close the rings.
 *
 * All take width=LANES (1, 2, 4, 8, 12; default 4) and speed=NAME (SDR, DDR, QDR, FDR10, FDR,
 * EDR, HDR, NDR; default EDR), for all their cables. A switch has at most 254 ports, a
 * topology at most 1,000,000 nodes. Hosts come first, so the first one is attached to when
 * nobody says otherwise; GUIDs are numbered as ibsim does it.
 *
 * Returns 0, or -EINVAL or -ENOMEM with what is wrong in *@error.
 */
int topology_generate(struct topology **topology, const char *spec, struct topology_error *error);

void topology_free(struct topology *topology);

/* topology_find returns the node whose id, or else whose description, is @name; or NULL. */
struct topology_node *topology_find(const struct topology *topology, const char *name);

#endif
