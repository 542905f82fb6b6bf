/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing a MAD into a buffer and addressing it, by class: SMPs, SA, and the others. Each function
 * clears the umad header and the first 256 bytes of MAD. What a longer buffer holds behind them
 * stays: zeros when it is fresh, and the last MAD's bytes when it was kept (madring_mad_keep()).
 */
#ifndef MADRING_PREPARE_H
#define MADRING_PREPARE_H

#include <stdint.h>

#include <madring/mad.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes a directed-route SMP (IBA 14.2.2) into a buffer and addresses it: the MAD is
 * cleared, then class 0x81, path, method, attribute and modifier are set. Both ends are
 * directed (DrSLID, DrDLID permissive), unless one of the two functions below is called.
 * @path: hop n of the route leaves by port path[n]; path[0] is not used. @hops: 0 (the
 * local node) to 63.
 * Returns 0, or -EINVAL for more hops than 63.
 */
int madring_smp_dr_prepare(struct madring_mad *mad, const uint8_t *path, unsigned int hops,
			   uint8_t method, uint16_t attr_id, uint32_t attr_mod);

/*
 * Lets a directed route that was just prepared begin elsewhere: the SMP is LID-routed to the
 * switch at @lid (host order, as below), and path[1] is the port that it leaves that one by
 * (IBA 14.2.2.1). @own_lid: the local port's, to which the reply comes back (DrSLID).
 * The LID of the umad header, else permissive, is then @lid.
 * Returns 0, or -EINVAL when one of them is not a unicast LID (1 to 0xbfff).
 */
int madring_smp_dr_from(struct madring_mad *mad, uint16_t lid, uint16_t own_lid);

/*
 * Lets a directed route that was just prepared end elsewhere: the node at the path's end, a
 * switch, sends the SMP on by LID to @lid (DrDLID, IBA 14.2.2.1). The kernel refuses to send
 * one that begins here and has no hops: -EINVAL.
 * Returns 0, or -EINVAL when @lid is not a unicast LID.
 */
int madring_smp_dr_to(struct madring_mad *mad, uint16_t lid);

/* Writes a LID-routed SMP (class 0x01, IBA 14.2.1.1) to QP0 of @lid into a buffer. */
void madring_smp_prepare(struct madring_mad *mad, uint16_t lid, uint8_t method, uint16_t attr_id,
			 uint32_t attr_mod);

/* Sets the M_Key (host order) of an SMP that one of the above wrote. */
void madring_smp_set_mkey(struct madring_mad *mad, uint64_t mkey);

/*
 * Writes a general MAD to QP1 (Q_Key 0x80010000, SL 0, P_Key index 0) of @lid into a
 * buffer; class and version stay those of the agent that the buffer was taken from.
 */
void madring_gmp_prepare(struct madring_mad *mad, uint16_t lid, uint8_t method, uint16_t attr_id,
			 uint32_t attr_mod);

/*
 * Writes a subnet administration MAD (class 0x03 of version 2, IBA 15.2.1.1) to QP1 of @lid
 * into a buffer. @lid, @sl: the SM's, as the local port knows them. @component_mask: which
 * components of the attribute (at MADRING_SA_DATA) count, in host order.
 */
void madring_sa_prepare(struct madring_mad *mad, uint16_t lid, uint8_t sl, uint8_t method,
			uint16_t attr_id, uint32_t attr_mod, uint64_t component_mask);

/* Sets the SM_Key (host order) of a MAD that madring_sa_prepare() wrote. */
void madring_sa_set_smkey(struct madring_mad *mad, uint64_t smkey);

#ifdef __cplusplus
}
#endif
#endif
