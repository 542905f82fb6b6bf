/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counters that PortCounters and PortCountersExtended have between them: one value for
 * each, from the wider of the two that the node has.
 */
#ifndef PERF_COUNTER_H
#define PERF_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "collection.h"

/* In the order of ibqueryerrors(8): errors, then data. */
enum counter {
	COUNTER_SYMBOL_ERRORS,
	COUNTER_LINK_ERROR_RECOVERIES,
	COUNTER_LINK_DOWNED,
	COUNTER_RCV_ERRORS,
	COUNTER_RCV_REMOTE_PHYSICAL_ERRORS,
	COUNTER_RCV_SWITCH_RELAY_ERRORS,
	COUNTER_XMIT_DISCARDS,
	COUNTER_XMIT_CONSTRAINT_ERRORS,
	COUNTER_RCV_CONSTRAINT_ERRORS,
	COUNTER_LOCAL_LINK_INTEGRITY_ERRORS,
	COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS,
	COUNTER_VL15_DROPPED,
	COUNTER_QP1_DROPPED,
	COUNTER_XMIT_WAIT,
	COUNTER_XMIT_DATA, /* in units of 4 bytes, as is the next */
	COUNTER_RCV_DATA,
	COUNTER_XMIT_PKTS,
	COUNTER_RCV_PKTS,
	COUNTER_UNICAST_XMIT_PKTS,
	COUNTER_UNICAST_RCV_PKTS,
	COUNTER_MULTICAST_XMIT_PKTS,
	COUNTER_MULTICAST_RCV_PKTS,
	COUNTERS,
};

struct counter_value {
	uint64_t value;
	enum pma_attribute attribute; /* it is from: PMA_COUNTERS or PMA_EXTENDED */
	/* It is as large as it can get, and so may have been larger. Extended counters count on
	   from 0 instead, and are never so. */
	bool saturated;
	uint64_t time_ns; /* monotonic, of the reply */
};

/* As perfquery(8) writes it, such as "SymbolErrorCounter". */
const char *counter_name(enum counter counter);

/* Whether it counts errors; else it counts data, packets or waiting. */
bool counter_is_error(enum counter counter);

/* Whether there is a field for it in an attribute, of a node with these capabilities. */
bool counter_is_in(enum counter counter, enum pma_attribute attribute,
		   const struct capabilities *capabilities, enum MAD_FIELDS *field);

/* Its value at a port. False: the node does not have it, or it could not be read. */
bool counter_get(const struct port_counters *port, enum counter counter,
		 struct counter_value *value);

/* What happened to a counter between two collections. */
enum counter_change {
	CHANGE_UNKNOWN,	  /* there is no value in one of them, or not of the same attribute */
	CHANGE_COUNTED,	  /* by .delta, in .seconds */
	CHANGE_SATURATED, /* it is full, and tells no more: .delta is the least it can be */
	CHANGE_RESET,	  /* it fell, so it was cleared in between: .delta is what came since */
};

struct counter_delta {
	uint64_t delta;
	double seconds, rate; /* .rate: each second; 0 when no time has passed */
};

enum counter_change counter_compare(const struct port_counters *before,
				    const struct port_counters *after, enum counter counter,
				    struct counter_delta *delta);

#endif
