/* SPDX-License-Identifier: BSD-2-Clause */
/* A node's SMI, which decides what becomes of a directed-route SMP (IBA 14.2.2). */
#ifndef SIM_DIRECTED_H
#define SIM_DIRECTED_H

#include "fabric/inside.h"

enum directed_step {
	DIRECTED_OUT,	  /* over the link of *@out */
	DIRECTED_HERE,	  /* to this node's agent, or a manager */
	DIRECTED_FORWARD, /* by the forwarding tables, to *@lid: the route's LID-routed end */
	DIRECTED_INVALID, /* discarded */
};

/*
 * directed_step moves the hop pointer and writes the return path as the SMI does. @place is where
 * the SMP is, and the port it came in by. @starts: the node itself sends it.
 */
enum directed_step directed_step(const struct place *place, bool starts, uint8_t *mad,
				 unsigned int *out, uint16_t *lid);

#endif
