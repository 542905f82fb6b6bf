/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include "cables.h"

void cable_reaches(struct port *from, struct port *port)
{
	from->reaches = port;
	if (!port->reached_by)
		port->reached_by = from;
}

const char *cable_settle(struct port *from)
{
	struct port *port = from->reaches;
	/* The port that a port reaches itself is the best evidence, but not every port is asked. */
	const struct port *back = port->reaches ? port->reaches : port->reached_by;

	if (back != from)
		return "one port would have cables to two places";
	if (port->known && port->info.physical_state != PHYSICAL_STATE_LINK_UP)
		return "the port by which it answered is down there";
	from->peer = port;
	port->peer = from;
	return NULL;
}
