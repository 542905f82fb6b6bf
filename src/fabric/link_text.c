/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph.h"

const char *madring_link_width_text(uint8_t width)
{
	switch (width) {
	case 1:
		return "1x";
	case 2:
		return "4x";
	case 4:
		return "8x";
	case 8:
		return "12x";
	case 16:
		return "2x";
	}
	return "??";
}

static const char *base_speed_text(const struct madring_node_port *port)
{
	switch (port->speed) {
	case 1:
		return "SDR";
	case 2:
		return "DDR";
	case 4:
		return port->fdr10 ? "FDR10" : "QDR";
	}
	return "???";
}

const char *madring_link_speed_text(const struct madring_node_port *port)
{
	/* A switch's port 0 says whether there are extended speeds to look at. */
	if (port->node->type == MADRING_NODE_SWITCH &&
	    !madring_node_port_by_number(port->node, 0)->known)
		return "???";
	switch (port->speed_ext) {
	case 0:
		return base_speed_text(port);
	case 1:
		return "FDR";
	case 2:
		return "EDR";
	case 4:
		return "HDR";
	case 8:
		return "NDR";
	case SPEED_EXT_XDR:
		return "XDR";
	}
	return "???";
}

/* Returns the most significant bit of a mask, or 0. The codes of speeds grow with the speed. */
static unsigned int highest(unsigned int mask)
{
	while (mask & (mask - 1))
		mask &= mask - 1;
	return mask;
}

/* Returns how many lanes a LinkWidthActive has. */
static unsigned int lanes(unsigned int width)
{
	return width == 1 ? 1 : width == 2 ? 4 : width == 4 ? 8 : width == 8 ? 12 : 2;
}

static bool is_narrow(const struct madring_node_port *port)
{
	unsigned int common = port->width_supported & port->peer->width_supported;

	for (unsigned int width = 1; width <= 16; width *= 2)
		if (common & width && lanes(width) > lanes(port->width))
			return true;
	return false;
}

bool madring_link_is_slow(const struct madring_node_port *port)
{
	const struct madring_node_port *peer = port->peer;
	unsigned int extended;

	if (!peer || !port->known || !peer->known)
		return false;
	extended = highest(port->speed_ext_supported & peer->speed_ext_supported);
	if (is_narrow(port) || port->speed_ext < extended)
		return true;
	if (port->speed_ext)
		return false;
	if (port->speed < highest(port->speed_supported & peer->speed_supported))
		return true;
	return port->fdr10_supported && peer->fdr10_supported && !port->fdr10;
}

const char *madring_node_type_text(enum madring_node_type type)
{
	switch (type) {
	case MADRING_NODE_SWITCH:
		return "switch";
	case MADRING_NODE_CA:
		return "ca";
	case MADRING_NODE_ROUTER:
		return "router";
	}
	return "unknown";
}
