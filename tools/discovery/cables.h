/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cables: which ports are joined, from what answered at the end of which port.
 *
 * A GUID tells which node answered, and two nodes may wrongly have the same one. But a cable has
 * two ends: when one port reaches another that in turn reaches a third, the first reached another
 * node with that GUID. This is judged when all has been asked, so that the verdict does not depend
 * on which reply came first.
 */
#ifndef DISCOVERY_CABLES_H
#define DISCOVERY_CABLES_H

#include "fabric.h"

/* Notes that @port answered at the other end of the cable at @from. */
void cable_reaches(struct port *from, struct port *port);

/* Joins a port to the port that it reaches. Returns NULL, or why that cannot be. */
const char *cable_settle(struct port *from);

#endif
