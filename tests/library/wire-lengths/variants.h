/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variants of a message with false lengths and offsets: cut at every byte; a umad header, an RMPP
 * header and a directed route that tell of more, or fewer, bytes than there are.
 */
#ifndef TESTS_VARIANTS_H
#define TESTS_VARIANTS_H

#include <stddef.h>
#include <stdint.h>

#include <madring/mad.h>

#define WIRE_BYTES (sizeof(struct ib_user_mad) + MADRING_MAD_BYTES)

/* A message as it is read, in memory that ends where the message does. */
struct wire {
	struct ib_user_mad *umad; /* to be freed */
	size_t bytes;
};

/* Returns the count of variants of a message of @bytes bytes. */
unsigned int variants(size_t bytes);

/* Returns the variant of this number of a good message. */
struct wire variant(const struct ib_user_mad *good, size_t bytes, unsigned int number);

/* Returns a copy of a message, or of its beginning. */
struct wire wire_copy(const struct ib_user_mad *good, size_t bytes);

/* Writes an RMPP header, active and of the right version. @flags: without RMPP_ACTIVE. */
void wire_set_rmpp(struct ib_user_mad *umad, uint8_t type, uint8_t flags, uint32_t segment,
		   uint32_t length);

#endif
