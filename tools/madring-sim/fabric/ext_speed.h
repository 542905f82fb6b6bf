/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The extended speeds of PortInfo. It has two sets of them: FDR to NDR, and XDR in a byte of its
 * own. A mask here has both, the second from bit 5 on.
 */
#ifndef SIM_EXT_SPEED_H
#define SIM_EXT_SPEED_H

#include <stdint.h>

#include <infiniband/mad.h>

#include "topology/topology.h"

/*
 * The byte of the second set: 2 bits active, 2 supported and 3 enabled. libibmad of Debian 12 does
 * not know it.
 */
#define EXT_SPEED2_OFFSET 56
#define EXT_SPEED2_SHIFT  5

enum ext_speed_mask { EXT_SPEED_ACTIVE, EXT_SPEED_SUPPORTED, EXT_SPEED_ENABLED };

struct ext_speed_field {
	enum MAD_FIELDS first;
	uint8_t shift, bits; /* of the second set */
};

static inline struct ext_speed_field ext_speed_field(enum ext_speed_mask mask)
{
	switch (mask) {
	case EXT_SPEED_ACTIVE:
		return (struct ext_speed_field){ IB_PORT_LINK_SPEED_EXT_ACTIVE_F, 5, 3 };
	case EXT_SPEED_SUPPORTED:
		return (struct ext_speed_field){ IB_PORT_LINK_SPEED_EXT_SUPPORTED_F, 3, 3 };
	default:
		return (struct ext_speed_field){ IB_PORT_LINK_SPEED_EXT_ENABLED_F, 0, 7 };
	}
}

/* ext_speed_get returns a mask of both sets from PortInfo. */
static inline uint8_t ext_speed_get(const uint8_t *port_info, enum ext_speed_mask mask)
{
	const struct ext_speed_field field = ext_speed_field(mask);
	unsigned int second = port_info[EXT_SPEED2_OFFSET] >> field.shift & field.bits;

	return (uint8_t)(second << EXT_SPEED2_SHIFT |
			 mad_get_field((void *)(uintptr_t)port_info, 0, field.first));
}

/* ext_speed_set writes a mask of both sets into PortInfo. */
static inline void ext_speed_set(uint8_t *port_info, enum ext_speed_mask mask, uint8_t speeds)
{
	const struct ext_speed_field field = ext_speed_field(mask);
	uint8_t *byte = &port_info[EXT_SPEED2_OFFSET];
	uint8_t second = speeds >> EXT_SPEED2_SHIFT & field.bits;

	mad_set_field(port_info, 0, field.first, speeds & ((1u << EXT_SPEED2_SHIFT) - 1));
	*byte = (uint8_t)((*byte & ~(field.bits << field.shift)) | second << field.shift);
}

#endif
