/* SPDX-License-Identifier: BSD-2-Clause */
/* The packet of a MAD, as far as its umad header tells (IBA 7.7, 8.3, 9.2, 9.5). */
#ifndef MADRING_CAPTURE_PACKET_H
#define MADRING_CAPTURE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/ca.h>
#include <madring/mad.h>

#define PACKET_MOST_HEADERS 68u /* local and global route, base and datagram transport */
#define PACKET_CHECKSUMS    6u	/* invariant and variant CRC; unknown, so 0 */

/* Returns how many bytes of headers precede the MAD. */
size_t packet_headers_bytes(const struct ib_user_mad *umad);

/*
 * Writes the headers of a MAD. @port has sent or received it. Fields that the umad header does
 * not tell get their usual values.
 */
void packet_headers(uint8_t *to, const struct ib_user_mad *umad, size_t mad_bytes,
		    const struct madring_ca_port *port, bool sent);

#endif
