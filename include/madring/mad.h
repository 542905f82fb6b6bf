/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes and gives back buffers, and accesses the headers and the MAD in them. */
#ifndef MADRING_MAD_H
#define MADRING_MAD_H

#include <asm/byteorder.h>
#include <assert.h>
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

#include <madring/sized.h>

/*
 * Begins the definition of a function of these headers. The library exports these functions, too,
 * for languages that call it without a C compiler: a generator of bindings that defines
 * MADRING_INLINE as nothing sees functions like all others.
 */
#ifndef MADRING_INLINE
#define MADRING_INLINE static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct madring;
struct madring_agent;

/*
 * A buffer of the pinned pool. It begins with a struct ib_user_mad (64 bytes, umad.h), and the MAD
 * follows.
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
	/* Methods of subnet administration (IBA 15.2.2). */
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
	__be16 status;	       /* in a directed-route SMP: D bit and status */
	__be16 class_specific; /* in a directed-route SMP: hop pointer, hop count */
	__be64 tid;
	__be16 attr_id;
	__be16 reserved;
	__be32 attr_mod;
};
static_assert(sizeof(struct madring_mad_hdr) == 24 &&
		      offsetof(struct madring_mad_hdr, status) == 4 &&
		      offsetof(struct madring_mad_hdr, tid) == 8 &&
		      offsetof(struct madring_mad_hdr, attr_mod) == 20,
	      "the common MAD header is that of IBA 13.4.3");

/* The offset of the attribute from the start of the MAD, in bytes. */
#define MADRING_SMP_DATA 64u /* IBA 14.2.1.1, 14.2.1.2 */
#define MADRING_PMA_DATA 64u /* IBA 16.1.1 */
#define MADRING_SA_DATA	 56u /* IBA 15.2.1.1 */
#define MADRING_CC_DATA	 64u /* congestion control, IBA annex A10 */
/* CongestionLog alone begins right after the CC_Key (IBA A10.4.3). */
#define MADRING_CC_LOG_DATA 32u
/* Vendor classes 0x09 to 0x0f (IBA 16.5.1), and 0x30 to 0x4f, where the OUI is before it. */
#define MADRING_VENDOR_DATA	24u
#define MADRING_VENDOR_OUI_DATA 40u

/* The size of an SMP's attribute, in bytes. */
#define MADRING_SMP_DATA_BYTES 64u

/*
 * Takes a buffer for a 256-byte MAD from the pool. The MAD has the agent's class and version, and
 * the OUI of a vendor class that has one; everything else, including the umad header, is zero. The
 * caller owns the buffer until madring_send() accepts it or madring_mad_free() gives it back. O(1),
 * no system call.
 * Returns NULL with errno
 *   ENOMEM   the pool is empty: run the ring and try again
 *   EREMOTE  the ring belongs to another thread
 */
struct madring_mad *madring_mad_alloc(struct madring_agent *agent);

/*
 * Takes a buffer for a 2 KiB MAD (base version 0x80) in the same way. The ring has such buffers
 * only with madring_config.large_buffers.
 */
struct madring_mad *madring_mad_alloc_large(struct madring_agent *agent);

/*
 * Takes a buffer for a message of @length bytes, including the MAD header, in the same way, from
 * the pinned memory that madring_config.message_bytes limits. Not O(1): it clears the whole buffer
 * (madring_mad_room()).
 * Returns NULL when there is no room, with errno
 *   ENOMEM   message_bytes is in use, or less than @length: run the ring and try again
 *   ENOBUFS  the memory-lock limit allows no more memory, and the pinned memory is in use, or less
 *            than @length: raise the limit (ulimit -l, LimitMEMLOCK=), or run the ring and
 *            try again
 *   EINVAL   @length is less than a MAD header
 *   EREMOTE  the ring belongs to another thread
 */
struct madring_mad *madring_mad_alloc_message(struct madring_agent *agent, size_t length);

/*
 * Gives back a buffer that was taken or kept. Accepts NULL. A buffer that is not the caller's (it
 * was given back or sent already, or is of another ring) means that memory is in use twice: the
 * process aborts, with a message on stderr.
 */
void madring_mad_free(struct madring *ring, struct madring_mad *mad);

/* Returns the number of bytes of MAD that the buffer has room for. */
size_t madring_mad_room(const struct madring *ring, const struct madring_mad *mad);

/* These functions return the umad header of a buffer, with address, status and lengths. */
MADRING_INLINE struct ib_user_mad *madring_mad_umad(struct madring_mad *mad)
{
	return (struct ib_user_mad *)mad;
}
MADRING_INLINE const struct ib_user_mad *madring_mad_const_umad(const struct madring_mad *mad)
{
	return (const struct ib_user_mad *)mad;
}

/* These functions return the MAD in a buffer. */
MADRING_INLINE void *madring_mad_data(struct madring_mad *mad)
{
	return madring_mad_umad(mad)->data;
}
MADRING_INLINE const void *madring_mad_const_data(const struct madring_mad *mad)
{
	return madring_mad_const_umad(mad)->data;
}

/* These functions return the common header of the MAD in a buffer, in network byte order. */
MADRING_INLINE struct madring_mad_hdr *madring_mad_header(struct madring_mad *mad)
{
	return (struct madring_mad_hdr *)madring_mad_data(mad);
}
MADRING_INLINE const struct madring_mad_hdr *madring_mad_const_header(const struct madring_mad *mad)
{
	return (const struct madring_mad_hdr *)madring_mad_const_data(mad);
}

/*
 * Returns the MAD's status (IBA 13.4.7) in host byte order, without the D bit of a directed-route
 * SMP. 0 is success.
 */
MADRING_INLINE uint16_t madring_mad_status(const struct madring_mad *mad)
{
	return __be16_to_cpu(madring_mad_const_header(mad)->status) & 0x7fff;
}

#ifdef __cplusplus
}
#endif
#endif
