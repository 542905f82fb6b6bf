/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields that the server reads and writes in a MAD, and in its addresses. */
#ifndef SIM_MAD_H
#define SIM_MAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <endian.h>

#include <infiniband/umad.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>

#include "fabric/fabric.h"

#define MAD_BYTES	 256
#define MAD_HEADER_BYTES 24
#define MAD_RMPP_BYTES	 36 /* the MAD header and the RMPP header: the least that may be written */
#define MAD_OUI_OFFSET	 37
#define MAD_RMPP_FLAGS	 26
#define MAD_RMPP_DATA	 (MAD_BYTES - MAD_RMPP_BYTES)
#define MAD_OLD_HEADER	 56 /* the umad header without the P_Key index */
#define MAD_UMAD_HEADER	 sizeof(struct ib_user_mad)
#define MAD_UMAD_BYTES	 (MAD_UMAD_HEADER + MAD_BYTES)
#define MAD_PERMISSIVE	 0xffff
#define MAD_STATUS_DIR	 0x8000 /* the direction bit of a directed-route SMP */

static inline struct umad_hdr mad_header(const uint8_t *mad)
{
	struct umad_hdr header;

	memcpy(&header, mad, sizeof(header));
	return header;
}

static inline uint8_t mad_class(const uint8_t *mad)
{
	return mad[offsetof(struct umad_hdr, mgmt_class)];
}

static inline uint8_t mad_method(const uint8_t *mad)
{
	return mad[offsetof(struct umad_hdr, method)];
}

static inline uint16_t mad_attribute(const uint8_t *mad)
{
	return be16toh(mad_header(mad).attr_id);
}

static inline uint64_t mad_tid(const uint8_t *mad)
{
	return mad_header(mad).tid;
}

static inline uint8_t mad_class_version(const uint8_t *mad)
{
	return mad[offsetof(struct umad_hdr, class_version)];
}

static inline void mad_set_method(uint8_t *mad, uint8_t method)
{
	mad[offsetof(struct umad_hdr, method)] = method;
}

static inline void mad_set_tid(uint8_t *mad, uint32_t high)
{
	uint32_t wire = htobe32(high);

	memcpy(mad + offsetof(struct umad_hdr, tid), &wire, sizeof(wire));
}

/*
 * mad_is_response tells whether a MAD is a response, as ib_mad has it: also a TrapRepress, and a
 * response of the baseboard class.
 */
static inline bool mad_is_response(const uint8_t *mad)
{
	if (mad_method(mad) & UMAD_METHOD_RESP_MASK || mad_method(mad) == UMAD_METHOD_TRAP_REPRESS)
		return true;
	return mad_class(mad) == UMAD_CLASS_BM && be32toh(mad_header(mad).attr_mod) & 1;
}

static inline bool mad_class_is_smp(uint8_t mgmt_class)
{
	return mgmt_class == UMAD_CLASS_SUBN_LID_ROUTED ||
	       mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE;
}

static inline bool mad_is_vendor2(uint8_t mgmt_class)
{
	return mgmt_class >= UMAD_CLASS_VENDOR_RANGE2_START &&
	       mgmt_class <= UMAD_CLASS_VENDOR_RANGE2_END;
}

static inline bool mad_class_has_rmpp(uint8_t mgmt_class)
{
	return mgmt_class == UMAD_CLASS_SUBN_ADM || mgmt_class == UMAD_CLASS_DEVICE_MGMT ||
	       mgmt_class == UMAD_CLASS_DEVICE_ADM || mgmt_class == UMAD_CLASS_BIS ||
	       mad_is_vendor2(mgmt_class);
}

/* mad_class_header_bytes returns the length of the class's header, behind which the data are. */
static inline size_t mad_class_header_bytes(uint8_t mgmt_class)
{
	if (mgmt_class == UMAD_CLASS_SUBN_ADM)
		return 56;
	if (mgmt_class == UMAD_CLASS_DEVICE_MGMT || mgmt_class == UMAD_CLASS_DEVICE_ADM ||
	    mgmt_class == UMAD_CLASS_BIS)
		return 64;
	if (mad_is_vendor2(mgmt_class))
		return 40;
	return MAD_HEADER_BYTES;
}

static inline bool mad_rmpp_active(const uint8_t *mad)
{
	return mad_class_has_rmpp(mad_class(mad)) && mad[MAD_RMPP_FLAGS] & UMAD_RMPP_FLAG_ACTIVE;
}

/* grh_from_address gives a packet the GRH that a program's address asks for, if any. */
void grh_from_address(const struct ib_mad_addr *address, const struct fabric_port_state *port,
		      struct fabric_packet *packet);
/* grh_to_address shows a packet's GRH as ib_umad does: the GID is the sender's. */
void grh_to_address(const struct fabric_packet *packet, struct ib_mad_addr *address);

/*
 * grh_fits tells whether a reply has a GRH if the request had one, and comes to the GID that asked.
 */
bool grh_fits(const struct fabric_packet *request, const struct fabric_packet *reply);

#endif
