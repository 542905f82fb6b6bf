/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The graph of a fabric: nodes, their ports, and the links between ports. madring_sweep() finds a
 * fabric (see sweep.h), and madring_fabric_load() reads one from a file. These functions are in a
 * library of their own, madring-fabric; madring.h does not include this header.
 *
 * The library allocates all structures below, and programs only read them. Later versions may add
 * members at their ends (sized.h), so programs never copy them or take their sizes. A fabric does
 * not change after its sweep has ended, and belongs to no ring: any number of threads may read it
 * at once. All pointers into it are valid until madring_fabric_free(). All numbers are in host byte
 * order.
 *
 * Nodes are in canonical order: breadth first from the local node, by port number. Two sweeps of
 * the same fabric therefore have the same order, whichever node answered first. A fabric from a
 * file has the order of the file.
 */
#ifndef MADRING_FABRIC_H
#define MADRING_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <madring/sized.h>
#include <madring/structs.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring_fabric;

/* The most hops of a directed route (IBA 14.2.1.2). */
#define MADRING_MAX_HOPS 63

/* The bytes of a route as text, such as "0,1,3", with the NUL. */
#define MADRING_ROUTE_TEXT_BYTES 256

/* The types of nodes, with the values of NodeInfo.NodeType (IBA 14.2.5.3). */
enum madring_node_type {
	MADRING_NODE_CA = 1,
	MADRING_NODE_SWITCH = 2,
	MADRING_NODE_ROUTER = 3,
};

/* Describes a node, from its NodeInfo, NodeDescription and SwitchInfo. */
struct madring_node {
	uint64_t guid;	      /* NodeGUID, which identifies the node */
	uint64_t system_guid; /* SystemImageGUID */
	uint64_t port_guid;   /* the GUID of the port through which the node was first reached */
	enum madring_node_type type;
	uint32_t vendor_id;
	uint32_t revision;
	uint16_t device_id;
	uint8_t port_count; /* the physical ports are 1 to .port_count */
	/* The number of the port through which the node was first reached. It is 0 for a local
	   switch. In a fabric from a file it is 0 for all nodes but the local one. */
	uint8_t entry;
	bool enhanced_port0; /* the node is a switch whose port 0 is like a port of a host */
	/* The shortest directed route from the local port; of several, the one with the lowest port
	   numbers. .path[1] to .path[.hops] are the ports by which the route leaves each node, and
	   .path[0] is 0. */
	uint8_t hops;
	uint8_t path[MADRING_MAX_HOPS + 1];
	/* NodeDescription: at most 64 bytes of printable UTF-8, as madring_description_decode()
	   returns it; "" if it is not known. */
	const char *description;
	/* The M_Key with which the node answered the sweep, in host byte order. 0 in a fabric from
	   a file, and for a node that an update has not asked. */
	uint64_t m_key;
};

/*
 * Stores in @info the SwitchInfo of a switch (IBA 14.2.5.4), as the switch sent it: nothing in it
 * is checked, so a Top may exceed its Cap, and a port may not exist. The switch may have changed it
 * since. Returns 0; or -ENODATA, with @info unchanged: the node is no switch, its SwitchInfo did
 * not arrive, or the fabric is from a file without it.
 */
int madring_node_get_switch_info_sized(const struct madring_node *node,
				       struct madring_switch_info *info, size_t info_size);
MADRING_SIZED int madring_node_get_switch_info(const struct madring_node *node,
					       struct madring_switch_info *info)
{
	return madring_node_get_switch_info_sized(node, info, sizeof(*info));
}

/* Describes a port, from its PortInfo (IBA 14.2.5.6). The members from .lmc on are 0 until .known;
   only the .lid of a switch's port is always that of its port 0. */
struct madring_node_port {
	const struct madring_node *node;
	const struct madring_node_port *peer; /* the other end of the link; NULL: none is known */
	uint64_t guid;	/* PortGUID, if .found; all ports of a switch have that of the switch */
	uint8_t number; /* 0: the management port of a switch */
	bool found;	/* the sweep reached this port, or its node is a switch */
	bool known;	/* the sweep received its PortInfo */
	uint8_t lmc;
	uint16_t lid;		/* the base LID; a switch has one for all its ports */
	uint8_t state;		/* PortState: 1 down, 2 initialize, 3 armed, 4 active */
	uint8_t physical_state; /* PortPhysicalState: 2 polling, 3 disabled, 5 link up, ... */
	uint8_t width;		/* LinkWidthActive: 1 1x, 2 4x, 4 8x, 8 12x, 16 2x */
	uint8_t speed; /* LinkSpeedActive: 1 SDR, 2 DDR, 4 QDR; the speed if .speed_ext is 0 */
	/* LinkSpeedExtActive: 1 FDR, 2 EDR, 4 HDR, 8 NDR; or LinkSpeedExtActive2: 32 XDR. It is 0
	   for a port without extended speeds. */
	uint8_t speed_ext;
	bool fdr10; /* the link runs at FDR10, which .speed shows as QDR (ExtendedPortInfo) */
	/* The widths and speeds that the port supports, as bits of the values above. */
	uint8_t width_supported;
	uint8_t speed_supported;
	uint8_t speed_ext_supported;
	bool fdr10_supported;
	uint8_t vl_cap; /* VLCap */
	/* CapabilityMask and CapabilityMask2. They have no meaning in a fabric from a file. */
	uint32_t capability_mask;
	uint16_t capability_mask2;
};

/* Frees a fabric, and all that belongs to it. Accepts NULL. */
void madring_fabric_free(struct madring_fabric *fabric);

/* Counts what a fabric has. */
struct madring_fabric_counts {
	size_t nodes, switches, cas, routers;
	size_t ports;	   /* ports that were found */
	size_t links;	   /* links, each counted once */
	unsigned int hops; /* the most hops to any node */
};

/* Stores in @counts what a fabric has. */
void madring_fabric_get_counts_sized(const struct madring_fabric *fabric,
				     struct madring_fabric_counts *counts, size_t counts_size);
MADRING_SIZED void madring_fabric_get_counts(const struct madring_fabric *fabric,
					     struct madring_fabric_counts *counts)
{
	madring_fabric_get_counts_sized(fabric, counts, sizeof(*counts));
}

/* Returns the number of nodes. */
size_t madring_fabric_node_count(const struct madring_fabric *fabric);

/* Returns the node at a place of the canonical order, from 0 on, or NULL beyond the last. */
const struct madring_node *madring_fabric_node(const struct madring_fabric *fabric, size_t place);

/* Returns the place of a node of the fabric in the canonical order. */
size_t madring_node_place(const struct madring_node *node);

/*
 * These functions return the node with a NodeGUID, the first node with a description, or the node
 * at the end of a directed route from the local port. @route: text such as "0,1,3"; "0" is the
 * local node. The route follows the links of the graph, and need not be the shortest. Each returns
 * NULL if there is no such node, or if @route is no route.
 */
const struct madring_node *madring_fabric_node_by_guid(const struct madring_fabric *fabric,
						       uint64_t guid);
const struct madring_node *madring_fabric_node_by_name(const struct madring_fabric *fabric,
						       const char *description);
const struct madring_node *madring_fabric_node_by_route(const struct madring_fabric *fabric,
							const char *route);

/*
 * These functions return the first port with a GUID, in the order of the nodes, or the port with a
 * LID. That of a switch is port 0. A port has all LIDs that its base LID and its LMC give (IBA
 * 4.1.3). Each returns NULL if there is no such port.
 */
const struct madring_node_port *madring_fabric_port_by_guid(const struct madring_fabric *fabric,
							    uint64_t guid);
const struct madring_node_port *madring_fabric_port_by_lid(const struct madring_fabric *fabric,
							   uint16_t lid);

/* Returns the port from which the fabric was discovered, or NULL if the local node did not answer.
 */
const struct madring_node_port *madring_fabric_local_port(const struct madring_fabric *fabric);

/* Returns the port of a node with a number from 0 to .port_count, or NULL beyond the last. Port 0
   of a node that is no switch is never .found. */
const struct madring_node_port *madring_node_port_by_number(const struct madring_node *node,
							    unsigned int number);

/* Returns the port whose LID and GUID address the node: port 0 of a switch, the local port of the
   local node, or the .entry of any other node. If .entry is not known, it is the first port of the
   node that was found, or NULL. */
const struct madring_node_port *madring_node_end_port(const struct madring_node *node);

/*
 * Returns the port after @last, in the order of the nodes and of their port numbers. It returns
 * only ports that were found. NULL for @last begins; NULL is returned after the last port.
 */
const struct madring_node_port *madring_fabric_port(const struct madring_fabric *fabric,
						    const struct madring_node_port *last);

/*
 * Returns one end of the link after @last; its .peer is the other end. Each link comes once, at the
 * end that comes first in the order of madring_fabric_port(). NULL for @last begins; NULL is
 * returned after the last link.
 */
const struct madring_node_port *madring_fabric_link(const struct madring_fabric *fabric,
						    const struct madring_node_port *last);

/* Returns "ca", "switch" or "router"; "unknown" for any other value. */
const char *madring_node_type_text(enum madring_node_type type);

/* Returns the text of a LinkWidthActive: "1x", "2x", "4x", "8x", "12x"; "??" for any other value.
 */
const char *madring_link_width_text(uint8_t width);

/* Returns the text of the speed of a port: "SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR",
   "NDR", "XDR"; "???" if the speed is not known. */
const char *madring_link_speed_text(const struct madring_node_port *port);

/* Writes a route as text, such as "0,1,3". @path: as in struct madring_node. Returns @text. */
const char *madring_route_text(const uint8_t *path, uint8_t hops,
			       char text[MADRING_ROUTE_TEXT_BYTES]);

/*
 * Returns whether a link runs below the best width or the best speed that both of its ends support.
 * @port: either end. Returns false if the port has no .peer, or if one end is not .known. A fabric
 * from a file has no slow links, because the file does not tell what ports support.
 */
bool madring_link_is_slow(const struct madring_node_port *port);

/*
 * Reads a route from text. @path: room for MADRING_MAX_HOPS + 1 bytes. Returns the number of hops;
 * -EINVAL: the text is no route of ports 1 to 254 that begins with 0; -E2BIG: it has more hops than
 * MADRING_MAX_HOPS.
 */
int madring_route_read(const char *text, uint8_t *path);

/* The kinds of problems: what a sweep could not find out. */
enum madring_problem_kind {
	/* .error says why: -ETIMEDOUT; -ENETDOWN when the link of the local port is down, so that
	   nothing beyond it can be asked; or why nothing could be sent. */
	MADRING_PROBLEM_NO_REPLY,
	MADRING_PROBLEM_STATUS,	   /* the reply has an error status: .status */
	MADRING_PROBLEM_MALFORMED, /* the reply is malformed: .reason says how */
	MADRING_PROBLEM_LIMIT,	   /* there are more nodes or ports than the sweep may find */
	MADRING_PROBLEM_TOO_FAR,   /* the route would have more than MADRING_MAX_HOPS hops */
	MADRING_PROBLEM_CONFLICT,  /* two nodes have the same NodeGUID: .reason says how they differ
				    */
};

/* Describes a problem of a sweep. */
struct madring_problem {
	enum madring_problem_kind kind;
	/* The route of the request, as in struct madring_node. */
	uint8_t hops;
	uint8_t path[MADRING_MAX_HOPS + 1];
	/* The last node of the route that is known; NULL: the local node did not answer. */
	const struct madring_node *via;
	/* The port of .via behind which the problem is; 0: the problem is .via itself. */
	uint8_t exit;
	uint16_t attribute; /* the attribute that was requested, and its modifier */
	uint32_t modifier;
	const char *attribute_name; /* such as "NodeInfo" */
	int error;		    /* a negative errno value */
	uint16_t status;	    /* the Status field of the reply (IBA 13.4.7) */
	const char *reason;	    /* a constant text; NULL: there is nothing to add to .kind */
	/* For MADRING_PROBLEM_LIMIT: how often a node answered that was left out. */
	size_t left_out;
	/* The members below are those of a conflict. */
	const struct madring_node *node; /* the node with the GUID that answered first */
	const char *description;	 /* the description of the node that answered second */
};

/* `madring_fabric_problem_count` returns how many problems the sweep had. `madring_fabric_problem`
   returns the one at a place, from 0 on, or NULL beyond the last. They are sorted by route. */
size_t madring_fabric_problem_count(const struct madring_fabric *fabric);
const struct madring_problem *madring_fabric_problem(const struct madring_fabric *fabric,
						     size_t place);

/* The bytes of the text of a problem, with the NUL. */
#define MADRING_PROBLEM_TEXT_BYTES 512

/* Writes a problem in words, without its route, such as "PortInfo of port 3: no reply". Returns
   @text. */
const char *madring_problem_text(const struct madring_problem *problem,
				 char text[MADRING_PROBLEM_TEXT_BYTES]);

/* Returns whether the sweep found everything: it ended by itself, and had no problem. A fabric from
   a file is taken to be complete. */
bool madring_fabric_is_complete(const struct madring_fabric *fabric);

/*
 * Writes a fabric to a stream as JSON, and flushes the stream: the nodes, ports and links, and the
 * local port. Problems are not written, nor what ports support beyond what they use.
 * madring-sweep(8) describes the members. Returns 0, or -EIO if the stream has an error.
 */
int madring_fabric_save(const struct madring_fabric *fabric, FILE *out);

/*
 * Writes only the array of nodes that madring_fabric_save() writes, for a program that writes a
 * document of its own. It does not flush the stream. @name: returns the "name" of a node, which
 * madring_fabric_load() ignores; NULL: the name is the description. Returns 0, or -EIO if the
 * stream has an error.
 */
int madring_fabric_save_nodes(const struct madring_fabric *fabric, FILE *out,
			      const char *(*name)(void *user, const struct madring_node *node),
			      void *user);

/* The bytes of the text of an error of madring_fabric_load(), with the NUL. */
#define MADRING_LOAD_TEXT_BYTES 256

/*
 * Reads a fabric from a file that madring_fabric_save() or madring-sweep --json wrote. The file
 * does not tell what ports support, so they support just the width and speed that they use.
 * @fabric: set on success. @text: may be NULL. On failure, it holds the reason, without @path.
 * Returns 0, or
 *   -EINVAL  the file is not such JSON, or describes an impossible fabric; @text says where
 *   -ENOMEM  out of memory
 *   other    an error of open(2) or read(2)
 */
int madring_fabric_load(const char *path, struct madring_fabric **fabric,
			char text[MADRING_LOAD_TEXT_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
