/* SPDX-License-Identifier: BSD-2-Clause */
/* What the host at an attached port says of it, and of the node. */
#include <string.h>

#include <infiniband/mad.h>

#include "fabric/capability.h"
#include "fabric/inside.h"
#include "fabric/sma/notice.h"

void fabric_set_capabilities(struct fabric *fabric, int endpoint, uint32_t which, uint32_t bits)
{
	const struct place *place = &fabric->endpoints[endpoint];
	uint8_t *info = place->node->port[place->port].port_info;
	uint32_t mask = mad_get_field(info, 0, IB_PORT_CAPMASK_F);
	uint32_t fresh = (mask & ~which) | (bits & which);

	if (fresh == mask)
		return;
	mad_set_field(info, 0, IB_PORT_CAPMASK_F, fresh);
	notice_capability_changed(fabric, place->node, place->port);
}

void fabric_set_is_sm(struct fabric *fabric, int endpoint, bool on)
{
	fabric_set_capabilities(fabric, endpoint, CAP_SM, on ? CAP_SM : 0);
}

void fabric_set_description(struct fabric *fabric, int endpoint,
			    const uint8_t description[FABRIC_DESCRIPTION_BYTES])
{
	memcpy(fabric->endpoints[endpoint].node->description, description, ATTRIBUTE_BYTES);
}
