/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <strings.h>

#include "topology/link.h"

#define SPEEDS_TO_QDR 7

static const struct speed {
	const char *name;
	uint8_t enabled, ext_enabled;
	bool fdr10;
} speeds[] = {
	{ "SDR", 1, 0, false },
	{ "DDR", 3, 0, false },
	{ "QDR", SPEEDS_TO_QDR, 0, false },
	{ "FDR10", SPEEDS_TO_QDR, 0, true },
	{ "FDR", SPEEDS_TO_QDR, 1, true },
	{ "EDR", SPEEDS_TO_QDR, 3, true },
	{ "HDR", SPEEDS_TO_QDR, 7, true },
	{ "NDR", SPEEDS_TO_QDR, 15, true },
	{ "XDR", SPEEDS_TO_QDR, TOPOLOGY_SPEED_XDR | 15, true },
};

/* width_mask returns the mask that ibsim enables for a width. */
static uint8_t width_mask(unsigned int lanes)
{
	switch (lanes) {
	case 1:
		return 1;
	case 2:
		return 16;
	case 4:
		return 1 | 2;
	case 8:
		return 4;
	case 12:
		return 1 | 2 | 8;
	default:
		return 0;
	}
}

bool link_set_width(struct topology_port *port, unsigned int lanes)
{
	if (!width_mask(lanes))
		return false;
	port->width_enabled = width_mask(lanes);
	return true;
}

bool link_set_speed(struct topology_port *port, const char *name)
{
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		if (strcasecmp(name, speeds[i].name))
			continue;
		port->speed_enabled = speeds[i].enabled;
		port->speed_ext_enabled = speeds[i].ext_enabled;
		port->fdr10_enabled = speeds[i].fdr10;
		return true;
	}
	return false;
}

/* best_of returns the first bit in @order, which ends in 0, that the mask has. */
static uint8_t best_of(unsigned int mask, const uint8_t *order)
{
	while (*order && !(mask & *order))
		order++;
	return *order;
}

int link_agree(struct topology_port *a, struct topology_port *b)
{
	static const uint8_t widths[] = { 8, 4, 2, 16, 1, 0 };
	static const uint8_t plain_speeds[] = { 4, 2, 1, 0 };
	static const uint8_t ext_speeds[] = { TOPOLOGY_SPEED_XDR, 8, 4, 2, 1, 0 };

	a->width = best_of(a->width_enabled & b->width_enabled, widths);
	a->speed = best_of(a->speed_enabled & b->speed_enabled, plain_speeds);
	a->speed_ext = best_of(a->speed_ext_enabled & b->speed_ext_enabled, ext_speeds);
	a->fdr10 = !a->speed_ext && a->fdr10_enabled && b->fdr10_enabled;
	b->width = a->width;
	b->speed = a->speed;
	b->speed_ext = a->speed_ext;
	b->fdr10 = a->fdr10;
	return a->width && a->speed ? 0 : -EINVAL;
}
