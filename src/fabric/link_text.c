/* SPDX-License-Identifier: BSD-2-Clause */
#include "link_text.h"

const char *link_width_text(uint8_t width)
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

static const char *base_speed_text(const struct port *port)
{
	switch (port->info.speed) {
	case 1:
		return "SDR";
	case 2:
		return "DDR";
	case 4:
		return port->fdr10 ? "FDR10" : "QDR";
	}
	return "???";
}

const char *link_speed_text(const struct port *port)
{
	const struct node *node = port->node;

	/* A switch's port 0 says whether there are extended speeds to look at. */
	if (node->info.type == NODE_SWITCH && !node->port[0].known)
		return "???";
	switch (port_speed_ext(port)) {
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

char node_type_letter(enum node_type type)
{
	switch (type) {
	case NODE_SWITCH:
		return 'S';
	case NODE_CA:
		return 'H';
	case NODE_ROUTER:
		return 'R';
	}
	return '?';
}

const char *node_type_short(enum node_type type)
{
	switch (type) {
	case NODE_SWITCH:
		return "SW";
	case NODE_CA:
		return "CA";
	case NODE_ROUTER:
		return "RT";
	}
	return "??";
}

const char *node_type_word(enum node_type type)
{
	switch (type) {
	case NODE_SWITCH:
		return "switch";
	case NODE_CA:
		return "ca";
	case NODE_ROUTER:
		return "router";
	}
	return "unknown";
}
