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
	if (port->node->type == MADRING_NODE_SWITCH && !madring_node_get_port(port->node, 0)->known)
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
