/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <infiniband/mad.h>

#include "link_line.h"

#define VALUE_BYTES 64
#define SPEED_QDR   4
#define STATE_DOWN  1

#define SPEED_EXT_XDR 32 /* see madring_node_port.speed_ext */

/* Describes a value in the words of libibmad, which are those of ibqueryerrors. */
static const char *value_text(enum MAD_FIELDS field, uint32_t value, char text[VALUE_BYTES])
{
	return mad_dump_val(field, text, VALUE_BYTES, &value);
}

/* Returns the text of an extended speed. Older versions of libibmad do not know XDR. */
static const char *speed_ext_text(uint8_t speed, char text[VALUE_BYTES])
{
	if (speed == SPEED_EXT_XDR)
		return "212.5 Gbps";
	return value_text(IB_PORT_LINK_SPEED_EXT_ACTIVE_F, speed, text);
}

static const char *speed_text(const struct madring_node_port *port, char text[VALUE_BYTES])
{
	if (port->speed_ext)
		return speed_ext_text(port->speed_ext, text);
	if (port->fdr10)
		return "10.0 Gbps (FDR10)";
	return value_text(IB_PORT_LINK_SPEED_ACTIVE_F, port->speed, text);
}

/*
 * Returns the widest of several widths, whose bits are not in the order of the widths (IBA
 * 14.2.5.6).
 */
static uint32_t widest_width(uint32_t widths)
{
	static const uint8_t order[] = { 8, 4, 2, 16 };

	for (size_t i = 0; i < sizeof(order); i++)
		if (widths & order[i])
			return order[i];
	return 1;
}

static uint32_t fastest_speed(uint32_t speeds)
{
	uint32_t speed = 1;

	while (speeds >>= 1)
		speed <<= 1;
	return speed;
}

/* Prints the width and speed that both ends support but do not use. */
static void print_wider(FILE *out, const struct madring_node_port *port)
{
	uint32_t width = widest_width(port->width_supported & port->peer->width_supported);
	char text[VALUE_BYTES];

	if (!(width & port->width))
		fprintf(out, "Could be %s", value_text(IB_PORT_LINK_WIDTH_ACTIVE_F, width, text));
}

static void print_fdr10(FILE *out, const struct madring_node_port *port)
{
	if (port->fdr10)
		return;
	fputs("Could be FDR10", out);
	/* FDR10 and QDR are both 10 Gbps in PortInfo. */
	if (port->speed == SPEED_QDR)
		fputs(" (Found link at QDR but expected speed is FDR10)", out);
}

static void print_faster(FILE *out, const struct madring_node_port *port)
{
	const struct madring_node_port *peer = port->peer;
	uint32_t speed;
	char text[VALUE_BYTES];

	if (port->speed_ext_supported && peer->speed_ext_supported) {
		speed = fastest_speed(port->speed_ext_supported & peer->speed_ext_supported);
		if (!(speed & port->speed_ext))
			fprintf(out, "Could be %s", speed_ext_text((uint8_t)speed, text));
	} else if (port->fdr10_supported && peer->fdr10_supported) {
		print_fdr10(out, port);
	} else {
		speed = fastest_speed(port->speed_supported & peer->speed_supported);
		if (!(speed & port->speed))
			fprintf(out, "Could be %s",
				value_text(IB_PORT_LINK_SPEED_ACTIVE_F, speed, text));
	}
}

static void print_link(FILE *out, const struct madring_node_port *port)
{
	char width[VALUE_BYTES], speed[VALUE_BYTES], state[VALUE_BYTES], physical[VALUE_BYTES];

	value_text(IB_PORT_STATE_F, port->state, state);
	value_text(IB_PORT_PHYS_STATE_F, port->physical_state, physical);
	/* PortInfo of a port that is down says nothing else (IBA C14-24.2.1). */
	if (port->state == STATE_DOWN)
		fprintf(out, "(              %6s/%8s)", state, physical);
	else
		fprintf(out, "(%3s %18s %6s/%8s)",
			value_text(IB_PORT_LINK_WIDTH_ACTIVE_F, port->width, width),
			speed_text(port, speed), state, physical);
}

static void print_peer(FILE *out, const struct madring_node_port *port, const struct names *names)
{
	const struct madring_node_port *peer = port->peer;

	if (!peer) {
		fputs("           [  ] \"\" ( )\n", out);
		return;
	}
	fprintf(out, "0x%016" PRIx64 " %6u %4u[  ] ", peer->guid, peer->lid, peer->number);
	node_name_print(out, names, peer->node, '"');
	fputs(" (", out);
	print_wider(out, port);
	fputc(' ', out);
	print_faster(out, port);
	fputs(")\n", out);
}

void link_line_print(FILE *out, const struct madring_node_port *port, const struct names *names)
{
	fprintf(out, "       Link info: %6u%4u[  ] ==", port->lid, port->number);
	print_link(out, port);
	fputs("==>  ", out);
	print_peer(out, port, names);
}
