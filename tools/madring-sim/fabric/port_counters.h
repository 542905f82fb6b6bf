/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of a port: those that have ever moved, in the order of their numbers. */
#ifndef SIM_PORT_COUNTERS_H
#define SIM_PORT_COUNTERS_H

#include "fabric/counter.h"
#include "fabric/inside.h"
#include "fabric/traffic.h"

#define PRESENT_WORDS ((FABRIC_COUNTERS + 63) / 64)

struct counters {
	uint64_t present[PRESENT_WORDS]; /* a bit for each counter that is here */
	uint32_t count, room;
	struct counter counter[];
};

/* counters_find returns a counter, or NULL if it has never moved, and so is 0. */
struct counter *counters_find(const struct port *port, enum fabric_counter which);

/*
 * counters_take returns a counter that is up to date, and makes it if there is none; NULL if memory
 * is exhausted. The pointer is valid until the next counter is taken.
 */
struct counter *counters_take(struct fabric *fabric, struct port *port, enum fabric_counter which);

uint64_t counters_value(const struct fabric *fabric, const struct port *port,
			enum fabric_counter which, enum counter_view view);

/* These return 0 or -ENOMEM. */
int counters_set(struct fabric *fabric, struct port *port, enum fabric_counter which,
		 enum counter_view view, uint64_t value);
int counters_add(struct fabric *fabric, struct port *port, enum fabric_counter which,
		 uint64_t amount);
int counters_set_rate(struct fabric *fabric, struct port *port, enum fabric_counter which,
		      enum counter_rate whose, uint64_t rate);

/* Whether traffic moves a counter. Then it moves evenly. */
bool counter_is_even(enum fabric_counter which);

/* These count what happens to the fabric's own packets and links. */
/* The port has lost its link. */
void counters_link_downed(struct fabric *fabric, struct port *port);
/* An SMP found the port's queue full. */
void counters_vl15_dropped(struct fabric *fabric, struct port *port);
/* A switch has no route for a packet that came in by the port. */
void counters_not_routed(struct fabric *fabric, struct port *port);
/* A packet was to leave by the port, which is down or not active. */
void counters_discarded(struct fabric *fabric, struct port *port);

/* counters_restart clears the counters of a node that was switched off. Their rates stay. */
void counters_restart(struct fabric *fabric, struct node *node);

#endif
