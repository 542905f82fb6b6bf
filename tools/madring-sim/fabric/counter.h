/* SPDX-License-Identifier: BSD-2-Clause */
/* One counter of a port: what it has counted, and how it goes on. */
#ifndef SIM_COUNTER_H
#define SIM_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* Rates are in 2^-24 a second. */
#define RATE_BITS 24
#define RATE_ONE  (UINT64_C(1) << RATE_BITS)
#define RATE_MAX  (FABRIC_MAX_RATE << RATE_BITS)

/*
 * PortCounters and PortCountersExtended show the same events, and each starts from where it was
 * last set: clearing the one leaves the other alone, so that a tool that polls the small counters
 * and clears them does not disturb one that reads the large ones. The attributes' small counters
 * stick when they are full; those of 64 bits go on from 0.
 */
enum counter_view {
	COUNTER_STICKS,
	COUNTER_WRAPS,
	COUNTER_TOTAL, /* that nothing sets: for samples */
	COUNTER_VIEWS
};

/* Whose a rate is; both move the counter. */
enum counter_rate { RATE_OWN, RATE_FLOWS, COUNTER_RATES };

struct counter {
	uint64_t count[COUNTER_VIEWS];
	uint64_t rate[COUNTER_RATES];
	uint64_t since;	   /* ns: all is as it was then */
	uint64_t fraction; /* of the event that comes next, of EVENT parts */
	uint32_t event;	   /* its number */
	bool counted;	   /* it has already happened; see below */
};

/*
 * @key is what the times of events are drawn from: event n of a counter comes when n and a part
 * of one periods have gone by, a part that n and the key decide. 0: events come at the end
 * of each period.
 */
uint64_t counter_value(const struct counter *counter, enum counter_view view, uint64_t key,
		       uint64_t now);

/* Brings it up to date, which changes no value. It must be before a rate is changed. */
void counter_advance(struct counter *counter, uint64_t key, uint64_t now);

/* Of one that is up to date. */
void counter_add(struct counter *counter, uint64_t amount);

#endif
