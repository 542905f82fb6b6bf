/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares two fabrics, such as one that madring_fabric_load() read from a file and one that
 * madring_sweep() has just found. These functions are in the library madring-fabric; madring.h does
 * not include this header.
 */
#ifndef MADRING_COMPARE_H
#define MADRING_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include <madring/fabric.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of differences. */
enum madring_difference_kind {
	MADRING_DIFFERENCE_NODE_GONE = 1,
	MADRING_DIFFERENCE_NODE_ADDED,
	MADRING_DIFFERENCE_NODE_CHANGED, /* .change names the member of the node */
	MADRING_DIFFERENCE_PORT_CHANGED, /* .change names the member of the port */
	MADRING_DIFFERENCE_LINK_GONE,
	MADRING_DIFFERENCE_LINK_ADDED,
};

/* Names the member of struct madring_node, or of struct madring_node_port, that has changed. */
enum madring_change {
	MADRING_CHANGE_NONE, /* the difference is of another kind */
	MADRING_CHANGE_DESCRIPTION,
	MADRING_CHANGE_TYPE,
	MADRING_CHANGE_SYSTEM_GUID,
	MADRING_CHANGE_VENDOR_ID,
	MADRING_CHANGE_DEVICE_ID,
	MADRING_CHANGE_REVISION,
	MADRING_CHANGE_PORT_COUNT,
	MADRING_CHANGE_ENHANCED_PORT0,
	/* The changes below are those of a port. */
	MADRING_CHANGE_KNOWN,
	MADRING_CHANGE_PORT_GUID,
	MADRING_CHANGE_LID,
	MADRING_CHANGE_LMC,
	MADRING_CHANGE_STATE,
	MADRING_CHANGE_PHYSICAL_STATE,
	MADRING_CHANGE_WIDTH,
	MADRING_CHANGE_SPEED,
	MADRING_CHANGE_VL_CAP,
};

/* Describes a difference. The library allocates it, and later versions may add members at its end.
   It is valid until the callback returns. Its nodes and ports are valid as long as their fabrics.
 */
struct madring_difference {
	enum madring_difference_kind kind;
	enum madring_change change;
	/* The node in the old fabric and in the new one, or NULL where it does not exist. For a
	   link: the node of the port below. */
	const struct madring_node *old_node, *node;
	/* For a changed port: the port in the old fabric and in the new one. For a link that is
	   gone, .old_port is the end that madring_fabric_link() returns; for a link that was added,
	   .port is that end. Otherwise NULL. */
	const struct madring_node_port *old_port, *port;
	/* The name of the changed member, such as "width", and its text in the old fabric and in
	   the new one, such as "4x" and "1x". All are NULL without a .change. */
	const char *change_name, *old_value, *value;
};

/* A madring_difference_seen takes a difference. It returns 0, or a negative errno value, which ends
   the comparison. */
typedef int (*madring_difference_seen)(void *user, const struct madring_difference *difference);

/*
 * Compares @old with @now, and calls @seen for each difference, unless it is NULL. Nodes are
 * matched by their NodeGUID, and ports by their number. Each member of a node or a port that has
 * changed is a difference of its own. So is each link of a node that is gone or was added. A cable
 * that was moved is a link that is gone, and another one that was added.
 *
 * The order is always the same for the same fabrics: the nodes of @old that are gone or have
 * changed, each with its ports; the nodes of @now that were added; the links that are gone; the
 * links that were added.
 *
 * Only what madring_fabric_save() writes is compared, but neither the route nor the .port_guid of a
 * node, which tell how a sweep reached it. A port is compared if both fabrics have found it, and
 * its PortInfo if both have that; otherwise, MADRING_CHANGE_KNOWN is the difference. Width and
 * speed are compared for links that are up. The LID, the LMC and the GUID of a switch are those of
 * its port 0. What an incomplete fabric lacks is reported as gone or added: see
 * madring_fabric_is_complete().
 *
 * Returns the number of differences, at most INT_MAX, or the negative errno value that @seen
 * returned. It allocates nothing.
 */
int madring_fabric_compare(const struct madring_fabric *old, const struct madring_fabric *now,
			   madring_difference_seen seen, void *user);

/* The bytes of the text of a difference, with the NUL. */
#define MADRING_DIFFERENCE_TEXT_BYTES 512

/* Writes a difference in words, such as "switch 0x0002c90300a1b2c3 \"leaf-1\" port 3: width 1x, was
   4x". Returns @text. */
const char *madring_difference_text(const struct madring_difference *difference,
				    char text[MADRING_DIFFERENCE_TEXT_BYTES]);

/* Returns a name for a kind of difference, such as "node_gone" or "port_changed". */
const char *madring_difference_name(enum madring_difference_kind kind);

#ifdef __cplusplus
}
#endif
#endif
