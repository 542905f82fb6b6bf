/* SPDX-License-Identifier: BSD-2-Clause */
/* The RMPP header in a MAD (IBA 13.6.2.1): whether it is in use. */
#ifndef MADRING_ENGINE_RMPP_H
#define MADRING_ENGINE_RMPP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/rmpp.h>

/* Of a message that was received: @length bytes of MAD, at least those of its header. */
static inline bool rmpp_is_active(const uint8_t *mad, size_t length)
{
	const struct madring_rmpp_header *header =
		(const void *)(mad + sizeof(struct madring_mad_header));

	return length >= sizeof(struct madring_mad_header) + sizeof(*header) &&
	       header->version == MADRING_RMPP_VERSION && (header->flags & MADRING_RMPP_ACTIVE);
}

#endif
