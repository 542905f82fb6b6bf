/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fabric itself counts at ports, and what becomes of the counters. */
#ifndef SIM_COUNTERS_H
#define SIM_COUNTERS_H

#include "fabric/inside.h"

/* The port has lost its link. */
void counters_link_downed(struct fabric *fabric, struct port *port);

/* An SMP found the port's queue full. */
void counters_vl15_dropped(struct fabric *fabric, struct port *port);

/* A switch has no way for a packet that came in by the port. */
void counters_not_routed(struct fabric *fabric, struct port *port);

/* A packet was to leave by the port, which is down or not active. */
void counters_discarded(struct fabric *fabric, struct port *port);

/* The node was switched off: its ports have counted nothing. Rates go on. */
void counters_restart(struct fabric *fabric, struct node *node);

void counters_close(struct fabric *fabric);

#endif
