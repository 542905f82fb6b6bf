/* SPDX-License-Identifier: BSD-2-Clause */
/* A port says of itself that a subnet manager runs there. */
#include <infiniband/mad.h>

#include "../capability.h"
#include "../inside.h"
#include "notice.h"

void fabric_set_is_sm(struct fabric *fabric, int endpoint, bool on)
{
	const struct place *place = &fabric->endpoints[endpoint];
	uint8_t *info = place->node->port[place->port].port_info;
	uint32_t mask = mad_get_field(info, 0, IB_PORT_CAPMASK_F);

	if (!(mask & CAP_SM) == !on)
		return;
	mad_set_field(info, 0, IB_PORT_CAPMASK_F, mask ^ CAP_SM);
	notice_capability_changed(fabric, place->node, place->port);
}
