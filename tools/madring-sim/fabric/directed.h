/* SPDX-License-Identifier: BSD-2-Clause */
/* A node's SMI: what becomes of a directed-route SMP at it (IBA 14.2.2). */
#ifndef SIM_DIRECTED_H
#define SIM_DIRECTED_H

#include "fabric/inside.h"

enum directed_step {
	DIRECTED_OUT,	  /* over the link of *@out */
	DIRECTED_HERE,	  /* for this node's agent, or a manager */
	DIRECTED_FORWARD, /* by the forwarding tables, to *@lid: the route's LID-routed end */
	DIRECTED_INVALID, /* discarded */
};

/*
 * @place: where it is, and the port it came in by; @starts: the node sends it, rather than
 * passes it on. Moves the hop pointer and writes the return path as the SMI does.
 */
enum directed_step directed_step(const struct place *place, bool starts, uint8_t *mad,
				 unsigned int *out, uint16_t *lid);

#endif
