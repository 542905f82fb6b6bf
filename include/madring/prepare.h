/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a MAD into a buffer and addresses it, by class: SMPs, SA, and others. Each function clears
 * the umad header and the first 256 bytes of the MAD. The rest of a longer buffer stays: zeros in a
 * new one, and the last MAD's bytes in one that was kept (madring_mad_keep()). Arguments are in
 * host byte order.
 */
#ifndef MADRING_PREPARE_H
#define MADRING_PREPARE_H

#include <stdint.h>

#include <madring/mad.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes a directed-route SMP (class 0x81, IBA 14.2.2) into a buffer and addresses it. The whole
 * route is directed (DrSLID and DrDLID are permissive), unless madring_smp_dr_from() or
 * madring_smp_dr_to() is called afterwards.
 * @path: hop n of the route leaves by port path[n]; path[0] is not used. @hops: 0 (the local node)
 * to 63.
 * Returns 0, or -EINVAL for more than 63 hops.
 */
int madring_smp_dr_prepare(struct madring_mad *mad, const uint8_t *path, unsigned int hops,
			   uint8_t method, uint16_t attr_id, uint32_t attr_mod);

/*
 * Makes a directed route that was just prepared begin at the switch at @lid. The SMP is LID-routed
 * to that switch, and leaves it by port path[1] (IBA 14.2.2.1).
 * @lid: becomes the LID of the umad header, which is otherwise permissive. @own_lid: the LID of the
 * local port, to which the reply is routed (DrSLID).
 * Returns 0, or, with @mad unchanged, -EINVAL when @lid or @own_lid is not a unicast LID (1 to
 * 0xbfff).
 */
int madring_smp_dr_from(struct madring_mad *mad, uint16_t lid, uint16_t own_lid);

/*
 * Makes a directed route that was just prepared continue by LID: the switch at the end of the path
 * forwards the SMP to @lid (DrDLID, IBA 14.2.2.1). The kernel refuses to send one that begins at
 * the local node and has no hops: its completion has the status -EINVAL.
 * Returns 0, or, with @mad unchanged, -EINVAL when @lid is not a unicast LID.
 */
int madring_smp_dr_to(struct madring_mad *mad, uint16_t lid);

/* Writes a LID-routed SMP (class 0x01, IBA 14.2.1.1) for QP0 of @lid into a buffer. */
void madring_smp_prepare(struct madring_mad *mad, uint16_t lid, uint8_t method, uint16_t attr_id,
			 uint32_t attr_mod);

/* Sets the M_Key of an SMP that one of the functions above wrote. */
void madring_smp_set_mkey(struct madring_mad *mad, uint64_t mkey);

/*
 * Writes a general management packet for QP1 of @lid into a buffer, with Q_Key 0x80010000, SL 0 and
 * P_Key index 0. Class, version and, in vendor classes 0x30 to 0x4f, OUI stay those of the agent
 * that the buffer was taken from.
 */
void madring_gmp_prepare(struct madring_mad *mad, uint16_t lid, uint8_t method, uint16_t attr_id,
			 uint32_t attr_mod);

/*
 * Writes a subnet administration MAD (class 0x03 of version 2, IBA 15.2.1.1) for QP1 of @lid into a
 * buffer. @lid, @sl: those of the SM, which the local port knows. @component_mask: the valid
 * components of the attribute, which begins at MADRING_SA_DATA.
 */
void madring_sa_prepare(struct madring_mad *mad, uint16_t lid, uint8_t sl, uint8_t method,
			uint16_t attr_id, uint32_t attr_mod, uint64_t component_mask);

/* Sets the SM_Key of a MAD that madring_sa_prepare() wrote. */
void madring_sa_set_smkey(struct madring_mad *mad, uint64_t smkey);

#ifdef __cplusplus
}
#endif
#endif
