/* SPDX-License-Identifier: BSD-2-Clause */
#include <infiniband/mad.h>

#include "topology/link.h"
#include "fabric/sma/link_training.h"

enum width { WIDTH_1X = 1, WIDTH_4X = 2, WIDTH_8X = 4, WIDTH_12X = 8, WIDTH_2X = 16 };
enum speed { SPEED_SDR = 1, SPEED_QDR = 4 };

static struct port *port_at(const struct place *place)
{
	return &place->node->port[place->port];
}

/* What a cable for so many lanes carries. */
static uint8_t widths_up_to(uint8_t width)
{
	switch (width) {
	case WIDTH_1X:
		return WIDTH_1X;
	case WIDTH_2X:
		return WIDTH_1X | WIDTH_2X;
	case WIDTH_4X:
		return WIDTH_1X | WIDTH_2X | WIDTH_4X;
	case WIDTH_8X:
		return WIDTH_1X | WIDTH_2X | WIDTH_4X | WIDTH_8X;
	default:
		return WIDTH_1X | WIDTH_2X | WIDTH_4X | WIDTH_8X | WIDTH_12X;
	}
}

/* The encodings of speeds are bits in order. */
static uint8_t speeds_up_to(uint8_t speed)
{
	return (uint8_t)(2 * speed - 1);
}

static struct topology_port masks_of(const struct place *place)
{
	const struct topology_port *cabled = &place->node->topology->port[place->port];
	struct port *port = port_at(place);
	uint32_t width = mad_get_field(port->port_info, 0, IB_PORT_LINK_WIDTH_ENABLED_F);
	uint32_t speed = mad_get_field(port->port_info, 0, IB_PORT_LINK_SPEED_ENABLED_F);
	uint32_t ext = mad_get_field(port->port_info, 0, IB_PORT_LINK_SPEED_EXT_ENABLED_F);

	return (struct topology_port){
		.width_enabled = (uint8_t)(width & widths_up_to(cabled->width)),
		.speed_enabled = (uint8_t)(speed & speeds_up_to(cabled->speed)),
		.speed_ext_enabled =
			(uint8_t)(cabled->speed_ext ? ext & speeds_up_to(cabled->speed_ext) : 0),
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
