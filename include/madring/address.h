/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gets and sets the address of a MAD: the destination of a request, or the source of a received
 * MAD. Set it after preparing the MAD, which sets the whole address.
 */
#ifndef MADRING_ADDRESS_H
#define MADRING_ADDRESS_H

#include <asm/byteorder.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <madring/mad.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Holds the fields of a GRH (IBA 8.3) that an address has, in host byte order except for the
 * GID.
 */
struct madring_grh {
	uint8_t gid[16];     /* of the other end, as on the wire */
	uint32_t flow_label; /* 20 bits */
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint8_t gid_index; /* of the local GID, in the port's table */
};

/*
 * These functions return the address in libibumad's layout: network byte order, with the P_Key
 * index in host byte order. The pointer is valid as long as the buffer.
 */
MADRING_INLINE struct ib_mad_addr *madring_mad_address(struct madring_mad *mad)
{
	return &madring_mad_umad(mad)->addr;
}
MADRING_INLINE const struct ib_mad_addr *madring_mad_const_address(const struct madring_mad *mad)
{
	return &madring_mad_const_umad(mad)->addr;
}

/*
 * Sets LID, QPN, SL and Q_Key from host byte order, and leaves the rest of the address
 * unchanged.
 */
MADRING_INLINE void madring_mad_set_address(struct madring_mad *mad, uint16_t lid, uint32_t qpn,
					    uint8_t sl, uint32_t qkey)
{
	struct ib_mad_addr *address = madring_mad_address(mad);

	address->lid = __cpu_to_be16(lid);
	address->qpn = __cpu_to_be32(qpn);
	address->sl = sl;
	address->qkey = __cpu_to_be32(qkey);
}

/* Sets the same fields from network byte order. */
MADRING_INLINE void madring_mad_set_address_net(struct madring_mad *mad, __be16 lid, __be32 qpn,
						uint8_t sl, __be32 qkey)
{
	struct ib_mad_addr *address = madring_mad_address(mad);

	address->lid = lid;
	address->qpn = qpn;
	address->sl = sl;
	address->qkey = qkey;
}

/* Selects the source LID by its lowest LMC bits, when the local port has several LIDs. */
MADRING_INLINE void madring_mad_set_path_bits(struct madring_mad *mad, uint8_t path_bits)
{
	madring_mad_address(mad)->path_bits = path_bits;
}

/* Sets the P_Key by its index (host byte order) in the local port's table. */
MADRING_INLINE void madring_mad_set_pkey_index(struct madring_mad *mad, uint16_t index)
{
	madring_mad_address(mad)->pkey_index = index;
}

/* Returns the index of the P_Key, in host byte order. */
MADRING_INLINE uint16_t madring_mad_pkey_index(const struct madring_mad *mad)
{
	return madring_mad_const_address(mad)->pkey_index;
}

/* Sets the GRH from host byte order, or removes it when @grh is NULL. */
MADRING_INLINE void madring_mad_set_grh(struct madring_mad *mad, const struct madring_grh *grh)
{
	struct ib_mad_addr *address = madring_mad_address(mad);

	address->grh_present = grh != NULL;
	if (!grh)
		return;
	memcpy(address->gid, grh->gid, sizeof(address->gid));
	address->flow_label = __cpu_to_be32(grh->flow_label);
	address->traffic_class = grh->traffic_class;
	address->hop_limit = grh->hop_limit;
	address->gid_index = grh->gid_index;
}

/*
 * Copies the GRH fields of another address, in network byte order, such as that of a received MAD.
 * Ignores whether that address has a GRH. Removes the GRH when @address is NULL.
 */
MADRING_INLINE void madring_mad_set_grh_net(struct madring_mad *mad,
					    const struct ib_mad_addr *address)
{
	struct ib_mad_addr *own = madring_mad_address(mad);

	own->grh_present = address != NULL;
	if (!address)
		return;
	memcpy(own->gid, address->gid, sizeof(own->gid));
	own->flow_label = address->flow_label;
	own->traffic_class = address->traffic_class;
	own->hop_limit = address->hop_limit;
	own->gid_index = address->gid_index;
}

/* Returns whether the address has a GRH, and if so fills @grh in host byte order. */
MADRING_INLINE bool madring_mad_grh(const struct madring_mad *mad, struct madring_grh *grh)
{
	const struct ib_mad_addr *address = madring_mad_const_address(mad);

	if (!address->grh_present)
		return false;
	memcpy(grh->gid, address->gid, sizeof(grh->gid));
	grh->flow_label = __be32_to_cpu(address->flow_label);
	grh->traffic_class = address->traffic_class;
	grh->hop_limit = address->hop_limit;
	grh->gid_index = address->gid_index;
	return true;
}

#ifdef __cplusplus
}
#endif
#endif
