/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of a port: those that have ever moved, in the order of their numbers. */
#ifndef SIM_PORT_COUNTERS_H
#define SIM_PORT_COUNTERS_H

#include "fabric/inside.h"
#include "fabric/traffic.h"

/* ---- One counter ---- */

/* The unit of rates is 2^-24 a second. */
#define RATE_BITS 24
#define RATE_ONE  (UINT64_C(1) << RATE_BITS)
#define RATE_MAX  (FABRIC_MAX_RATE << RATE_BITS)

/*
 * The views of a counter. PortCounters and PortCountersExtended show the same events, and each
 * starts from where it was last set: clearing the one leaves the other alone, so that a tool that
 * polls the small counters and clears them does not disturb one that reads the large ones. The
 * attributes' small counters stick when they are full; those of 64 bits go on from 0.
 */
enum counter_view {
	COUNTER_STICKS,
	COUNTER_WRAPS,
	COUNTER_TOTAL, /* for samples: nothing sets it */
	COUNTER_VIEWS
};

/* The rates of a counter: one of its own, and one by flows. Both move it. */
enum counter_rate { RATE_OWN, RATE_FLOWS, COUNTER_RATES };

struct counter {
	uint64_t count[COUNTER_VIEWS];
	uint64_t rate[COUNTER_RATES];
	uint64_t since;	   /* the time, in ns, of all that is here */
	uint64_t fraction; /* of the next event, in EVENT parts */
	uint32_t event;	   /* the number of that event */
	bool counted;	   /* it has already happened; see counter_value() */
};

/*
 * counter_value returns what a counter shows. The times of events are drawn from @key: event n
 * comes when n periods and a part of one have gone by, which n and the key decide. With a key of 0,
 * events come at the end of each period.
 */
uint64_t counter_value(const struct counter *counter, enum counter_view view, uint64_t key,
		       uint64_t now);

/* counter_advance brings a counter up to date, before a rate is changed. No value changes. */
void counter_advance(struct counter *counter, uint64_t key, uint64_t now);

/* counter_add adds to a counter that is up to date. */
void counter_add(struct counter *counter, uint64_t amount);

/* ---- The counters of a port ---- */

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

/* The functions below return 0 or -ENOMEM. */
int counters_set(struct fabric *fabric, struct port *port, enum fabric_counter which,
		 enum counter_view view, uint64_t value);
int counters_add(struct fabric *fabric, struct port *port, enum fabric_counter which,
		 uint64_t amount);
int counters_set_rate(struct fabric *fabric, struct port *port, enum fabric_counter which,
		      enum counter_rate whose, uint64_t rate);

/* counter_is_even tells whether traffic moves a counter, which then moves evenly. */
bool counter_is_even(enum fabric_counter which);

/* counters_link_downed counts that the port has lost its link. */
void counters_link_downed(struct fabric *fabric, struct port *port);
/* counters_vl15_dropped counts that an SMP found the port's queue full. */
void counters_vl15_dropped(struct fabric *fabric, struct port *port);
/* counters_not_routed counts that a switch has no route for a packet that came in by the port. */
void counters_not_routed(struct fabric *fabric, struct port *port);
/* counters_discarded counts that a packet was to leave by the port, which is down or not active. */
void counters_discarded(struct fabric *fabric, struct port *port);

/* counters_restart clears the counters of a node that was switched off. Their rates stay. */
void counters_restart(struct fabric *fabric, struct node *node);

#endif
