/* SPDX-License-Identifier: BSD-2-Clause */
#include <infiniband/mad.h>

#include "link.h"
#include "link_training.h"

#define WIDTH_4X  2
#define SPEED_SDR 1
#define SPEED_QDR 4

static struct port *port_at(const struct place *place)
{
	return &place->node->port[place->port];
}

static struct topology_port masks_of(const struct place *place)
{
	const struct topology_port *cabled = &place->node->topology->port[place->port];
	struct port *port = port_at(place);
	uint8_t *info = port->port_info;

	return (struct topology_port){
		.width_enabled = (uint8_t)(cabled->width_enabled &
					   mad_get_field(info, 0, IB_PORT_LINK_WIDTH_ENABLED_F)),
		.speed_enabled = (uint8_t)(cabled->speed_enabled &
					   mad_get_field(info, 0, IB_PORT_LINK_SPEED_ENABLED_F)),
		.speed_ext_enabled =
			(uint8_t)(cabled->speed_ext_enabled &
				  mad_get_field(info, 0, IB_PORT_LINK_SPEED_EXT_ENABLED_F)),
		.fdr10_enabled = port->fdr10_enabled,
	};
}

static void show(struct port *port, const struct topology_port *agreed)
{
	uint8_t *info = port->port_info;

	mad_set_field(info, 0, IB_PORT_LINK_WIDTH_ACTIVE_F, agreed->width);
	mad_set_field(info, 0, IB_PORT_LINK_SPEED_ACTIVE_F, agreed->speed);
	mad_set_field(info, 0, IB_PORT_LINK_SPEED_EXT_ACTIVE_F, agreed->speed_ext);
	port->fdr10 = agreed->fdr10 && agreed->speed == SPEED_QDR;
}

bool link_train(const struct place *one, const struct place *other)
{
	struct topology_port a = masks_of(one), b = masks_of(other);

	if (link_agree(&a, &b))
		return false;
	show(port_at(one), &a);
	show(port_at(other), &b);
	return true;
}

void link_untrain(struct port *port)
{
	static const struct topology_port none = { .width = WIDTH_4X, .speed = SPEED_SDR };

	show(port, &none);
}
