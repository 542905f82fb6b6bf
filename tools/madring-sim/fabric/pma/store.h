/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of a port: those that were ever moved, in the order of their numbers. */
#ifndef SIM_COUNTER_STORE_H
#define SIM_COUNTER_STORE_H

#include "fabric/inside.h"
#include "fabric/traffic.h"
#include "fabric/pma/counter.h"

#define PRESENT_WORDS ((FABRIC_COUNTERS + 63) / 64)

struct counters {
	uint64_t present[PRESENT_WORDS]; /* a bit for each that there is */
	uint32_t count, room;
	struct counter counter[];
};

/* NULL: it was never moved, and is 0. */
struct counter *store_find(const struct port *port, enum fabric_counter which);

/* The counter, up to date; made if need be. NULL: no memory. It is good until the next is taken. */
struct counter *store_take(struct fabric *fabric, struct port *port, enum fabric_counter which);

uint64_t store_value(const struct fabric *fabric, const struct port *port,
		     enum fabric_counter which, enum counter_view view);

/* 0 or -ENOMEM. */
int store_set(struct fabric *fabric, struct port *port, enum fabric_counter which,
	      enum counter_view view, uint64_t value);
int store_add(struct fabric *fabric, struct port *port, enum fabric_counter which, uint64_t amount);
int store_set_rate(struct fabric *fabric, struct port *port, enum fabric_counter which,
		   enum counter_rate whose, uint64_t rate);

/* How many ports there are, in fabric->ports. */
size_t store_ports(const struct fabric *fabric);

/* Whether traffic moves it; then it is moved evenly. */
bool store_is_even(enum fabric_counter which);

#endif
