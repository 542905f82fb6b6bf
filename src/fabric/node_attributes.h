/* SPDX-License-Identifier: BSD-2-Clause */
/* The SMP attributes that a sweep reads, decoded from the wire and checked. */
#ifndef FABRIC_NODE_ATTRIBUTES_H
#define FABRIC_NODE_ATTRIBUTES_H

#include <stdbool.h>
#include <stdint.h>

#include <madring/structs.h>

#include "public.h"

#define DESCRIPTION_BYTES 64 /* IBA 14.2.5.2 */

/* PortInfo.PortPhysicalState (IBA 14.2.5.6). */
#define PHYSICAL_STATE_LINK_UP 5

/*
 * The bits of PortInfo.CapabilityMask that tell of extended speeds (FDR and faster), and of
 * CapabilityMask2.
 */
#define PORT_EXTENDED_SPEEDS  (1u << 14)
#define PORT_CAPABILITY_MASK2 (1u << 15)

/* The bit of PortInfo.CapabilityMask2 that tells of a second set of extended speeds (XDR). */
#define PORT_EXTENDED_SPEEDS2 (1u << 11)

/*
 * The bit of PortInfo's attribute modifier that tells that the requester knows extended speeds. The
 * other bits are the port's number.
 */
#define PORT_INFO_EXTENDED_SPEEDS (1u << 31)

/*
 * The code of XDR among the extended speeds. Those of the second set follow the five of the first.
 */
#define SPEED_EXT_XDR 0x20

/*
 * What a PortInfo says by itself of members of struct madring_node_port that another PortInfo
 * decides, too: see port_combine().
 */
struct port_info {
	uint16_t lid;
	uint8_t speed_ext;  /* LinkSpeedExtActive, meaningful where the capability mask says so */
	uint8_t speed_ext2; /* LinkSpeedExtActive2, where CapabilityMask2 says so; from bit 5 on */
	/* LinkSpeedExtSupported and, from bit 5 on, LinkSpeedExtSupported2. */
	uint8_t speed_ext_supported, speed_ext2_supported;
};

/*
 * The functions below decode the 64 bytes of an attribute. node_info_decode() also checks NodeInfo,
 * because later requests are addressed by it. It returns NULL, or what is wrong with it. @via_cable
 * tells that the request came in by a cable, and so by a port other than 0.
 */
const char *node_info_decode(struct madring_node_info *info, const void *attribute, bool via_cable);
void port_info_decode(struct madring_node_port *port, struct port_info *info,
		      const void *attribute);
bool extended_port_info_fdr10(const void *attribute);
bool extended_port_info_fdr10_supported(const void *attribute);

/* Returns whether the node has NVIDIA's ExtendedPortInfo, which alone tells FDR10 from QDR. */
bool node_has_extended_port_info(const struct madring_node *node);

#endif
