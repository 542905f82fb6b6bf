/* SPDX-License-Identifier: BSD-2-Clause */
/* A MAD in a buffer: taking and giving back buffers, and the headers in them. */
#ifndef MADRING_MAD_H
#define MADRING_MAD_H

#include <asm/byteorder.h>
#include <endian.h>
#include <stddef.h>
#include <stdint.h>

/*
 * umad.h is not strict C: it ends a struct in an array of no element, and its deprecated ntohll()
 * and htonll() need be64toh(), which <endian.h> declares for GNU C only. umad.h leaves both
 * functions out where their names are macros.
 */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#ifdef be64toh
#include <infiniband/umad.h>
#else
#define ntohll ntohll
#define htonll htonll
#include <infiniband/umad.h>
#undef ntohll
#undef htonll
#endif
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

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

#define MADRING_MAD_BYTES	   256u	 /* a MAD (IBA 13.4.2) */
#define MADRING_LARGE_MAD_BYTES	   2048u /* a MAD of base version 0x80 */
#define MADRING_LARGE_BASE_VERSION 0x80u

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
	/* Of the SA's (IBA 15.2.2). */
	MADRING_GET_TABLE = 0x12,
	MADRING_GET_TABLE_RESP = 0x92,
	MADRING_GET_TRACE_TABLE = 0x13,
	MADRING_GET_MULTI = 0x14,
	MADRING_GET_MULTI_RESP = 0x94,
	MADRING_DELETE = 0x15,
	MADRING_DELETE_RESP = 0x95,
	MADRING_RESPONSE_BIT = 0x80,
};

/* The common MAD header (IBA 13.4.3); network byte order. */
struct madring_mad_hdr {
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
 * its header. All else in it, the umad header included, is zero. The caller owns it until
 * madring_send() accepts it or madring_mad_put() gives it back. O(1), no system call.
 * Returns NULL when the pool is empty: run the ring and try again.
 */
struct madring_mad *madring_mad_get(struct madring_agent *agent);

/* The same for a 2 KiB MAD (base version 0x80); see madring_config.large_buffers. */
struct madring_mad *madring_mad_get_large(struct madring_agent *agent);

/*
 * The same for a message of @length bytes, MAD header included, of any size, from pinned
 * memory (madring_config.message_bytes). Not constant time: all that the buffer has room for
 * (madring_mad_room()) is cleared. Returns NULL when there is no room for it, with errno
 *   ENOMEM   message_bytes are in use, or are less: run the ring and try again
 *   ENOBUFS  no more memory can be pinned below the memory-lock limit, and what is pinned is in
 *            use, or is less: raise it (ulimit -l, LimitMEMLOCK=), or run the ring and try again
 *   EINVAL   @length is less than a MAD header
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
static inline struct madring_mad_hdr *madring_mad_header(const struct madring_mad *mad)
{
	return (struct madring_mad_hdr *)madring_mad_data(mad);
}

/* The MAD's status without the D bit of a directed-route SMP (IBA 13.4.7): 0 is success. */
static inline uint16_t madring_mad_status(const struct madring_mad *mad)
{
	return __be16_to_cpu(madring_mad_header(mad)->status) & 0x7fff;
}

#ifdef __cplusplus
}
#endif
#endif
