/* SPDX-License-Identifier: BSD-2-Clause */
/* A MAD in a buffer: taking and giving back buffers, headers and addresses. */
#ifndef MADRING_MAD_H
#define MADRING_MAD_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/umad.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring;
struct madring_agent;

/*
 * A buffer of the pinned pool. It begins with a struct ib_user_mad (64 bytes, umad.h),
 * and the MAD follows.
 */
struct madring_mad;

#define MADRING_MAD_BYTES	256u  /* a MAD (IBA 13.4.2) */
#define MADRING_LARGE_MAD_BYTES 2048u /* a MAD of base version 0x80 */

/* Methods (IBA 13.4.5). */
enum madring_method {
	MADRING_GET = 0x01,
	MADRING_SET = 0x02,
	MADRING_GET_RESP = 0x81,
	MADRING_SEND = 0x03,
	MADRING_TRAP = 0x05,
	MADRING_TRAP_REPRESS = 0x07,
	MADRING_REPORT = 0x06,
	MADRING_REPORT_RESP = 0x86,
	MADRING_RESPONSE_BIT = 0x80,
};

/* The common MAD header (IBA 13.4.3); network byte order. */
struct madring_mad_header {
	uint8_t base_version;
	uint8_t mgmt_class;
	uint8_t class_version;
	uint8_t method;
	uint16_t status;	 /* of a directed-route SMP: D bit and status */
	uint16_t class_specific; /* of a directed-route SMP: hop pointer, hop count */
	uint64_t tid;
	uint16_t attr_id;
	uint16_t reserved;
	uint32_t attr_mod;
};

/* Where the attribute of a MAD begins, in bytes from the MAD's start. */
#define MADRING_SMP_DATA 64u /* IBA 14.2.1.1, 14.2.1.2 */
#define MADRING_PMA_DATA 64u /* IBA 16.1.1 */
#define MADRING_SA_DATA	 56u /* IBA 15.2.1.1 */

/* Bytes of an SMP's attribute. */
#define MADRING_SMP_DATA_BYTES 64u

/*
 * Takes a buffer for a 256-byte MAD from the pool, with the agent's class and version in
 * its header. The caller owns it until madring_send() accepts it or madring_mad_put()
 * gives it back. O(1), no system call. Returns NULL when the pool is empty: run the ring
 * and try again.
 */
struct madring_mad *madring_mad_get(struct madring_agent *agent);

/* The same for a 2 KiB MAD (base version 0x80); see madring_config.large_buffers. */
struct madring_mad *madring_mad_get_large(struct madring_agent *agent);

/*
 * The same for a message of @length bytes, MAD header included, of any size, from pinned
 * memory (madring_config.message_bytes). Not constant time. Returns NULL when there is no
 * room for it.
 */
struct madring_mad *madring_mad_alloc(struct madring_agent *agent, size_t length);

/* Gives back a buffer that was taken, or kept. NULL is accepted. */
void madring_mad_put(struct madring *ring, struct madring_mad *mad);

/* Bytes of MAD that the buffer has room for. */
size_t madring_mad_room(const struct madring *ring, const struct madring_mad *mad);

/* The umad header of a buffer: address, status, lengths. */
static inline struct ib_user_mad *madring_mad_umad(const struct madring_mad *mad)
{
	return (struct ib_user_mad *)mad;
}

/* The MAD in a buffer. */
static inline void *madring_mad_data(const struct madring_mad *mad)
{
	return madring_mad_umad(mad)->data;
}

/* The common header of the MAD in a buffer. */
static inline struct madring_mad_header *madring_mad_header(const struct madring_mad *mad)
{
	return (struct madring_mad_header *)madring_mad_data(mad);
}

/* The MAD's status without the D bit of a directed-route SMP (IBA 13.4.7): 0 is success. */
static inline uint16_t madring_mad_status(const struct madring_mad *mad)
{
	return be16toh(madring_mad_header(mad)->status) & 0x7fff;
}

/*
 * Writes a directed-route SMP (IBA 14.2.2) into a buffer and addresses it: the MAD is
 * cleared, then class 0x81, path, method, attribute and modifier are set. Both ends are
 * directed (DrSLID, DrDLID permissive).
 * @path: hop n of the route leaves by port path[n]; path[0] is not used. @hops: 0 (the
 * local node) to 63.
 * Returns 0, or -EINVAL for more hops than 63.
 */
int madring_smp_dr_prepare(struct madring_mad *mad, const uint8_t *path, unsigned int hops,
			   uint8_t method, uint16_t attr_id, uint32_t attr_mod);

/* Writes a LID-routed SMP (class 0x01, IBA 14.2.1.1) to QP0 of @lid into a buffer. */
void madring_smp_prepare(struct madring_mad *mad, uint16_t lid, uint8_t method, uint16_t attr_id,
			 uint32_t attr_mod);

/*
 * Writes a general MAD to QP1 (Q_Key 0x80010000, SL 0, P_Key index 0) of @lid into a
 * buffer; class and version stay those of the agent that the buffer was taken from.
 */
void madring_gmp_prepare(struct madring_mad *mad, uint16_t lid, uint8_t method, uint16_t attr_id,
			 uint32_t attr_mod);

/* Sets the M_Key (host order) of an SMP that one of the above wrote. */
void madring_smp_set_mkey(struct madring_mad *mad, uint64_t mkey);

#ifdef __cplusplus
}
#endif
#endif
