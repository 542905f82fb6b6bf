/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MADs that switches dropped while a sweep ran, by their VL15Dropped. A switch drops an SMP
 * that finds the port's queue full, whoever sent it: a sweep that fills the queue may cost the
 * subnet manager its own MADs.
 *
 * A switch is read as soon as its LID is known, and again when the sweep has ended. The first
 * request is for the sum over all ports, so that little is dropped before it. ClassPortInfo, which
 * tells whether that sum can be trusted, follows; if not, the ports are read one by one.
 *
 * This file decides what to ask next, given what was answered. It sends nothing and waits for
 * nothing: switches that have a request are taken from it, and outcomes are given back in any
 * order. Each switch has at most one request in flight.
 */
#ifndef PMA_DROPS_H
#define PMA_DROPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madring/fabric.h>

#include "attribute.h"
#include "reading.h"

/*
 * What a switch is asked for, or was asked for last. A switch that has none of the last three steps
 * at the end was not read because the sweep was stopped.
 */
enum drops_step {
	DROPS_BEFORE,  /* the counters, for the first time */
	DROPS_CLASS,   /* ClassPortInfo */
	DROPS_BETWEEN, /* nothing, while the sweep goes on */
	DROPS_AFTER,   /* the counters, for the second time */
	DROPS_READ,    /* finished: both readings were taken */
	DROPS_LATE,    /* nothing more: the first time was not read before the sweep had ended */
	DROPS_FAILED,  /* nothing more: .reading tells why */
};

struct switch_drops {
	struct switch_drops *next; /* of those that wait to be sent */

	const struct madring_node *node;
	uint16_t lid; /* 0: none */
	enum drops_step step;
	bool knows_class; /* ClassPortInfo was answered */
	bool has_sum;	  /* the first request was, before that */
	struct capabilities capabilities;
	enum pma_attribute attribute; /* that is read, both times the same */
	uint8_t first_port; /* that has counters: port 0 if it is an enhanced one, else 1 */
	uint8_t port;	    /* PortSelect of the request */
	uint64_t sum;	    /* over the ports that were read so far */
	bool saturated;	    /* a counter of 16 bits is full, and may hide more drops */
	uint64_t before, after;
	struct reading reading; /* the last one */
};

struct drops {
	struct switch_drops **switches;
	size_t count, room;
	struct switch_drops *first, **last; /* to be sent */
	size_t waiting;
	bool has_ended; /* the sweep has */
	bool stopped;
	uint64_t mads; /* sent, every attempt */
	int error;     /* the -errno for which no counter could be read; 0: none */
};

void drops_start(struct drops *drops);
void drops_end(struct drops *drops);

/* Adds a switch, whose port 0 is known, and asks it if it has a LID. */
void drops_add(struct drops *drops, const struct madring_node *node);

/* Tells that the sweep has ended: what was read before is read once more. */
void drops_finish(struct drops *drops);

/* Drops what is not sent yet, and makes no more requests. */
void drops_stop(struct drops *drops);

/* Returns the next switch that has a request to be sent, or NULL if there is none for now. */
struct switch_drops *drops_take(struct drops *drops);

/* Returns the ID of the attribute that a switch is asked for, and writes the data of the Get. */
uint16_t drops_attribute(const struct switch_drops *from);
void drops_data(const struct switch_drops *from, uint8_t data[PMA_DATA_BYTES]);

/* Takes the outcome of a switch's request. */
void drops_outcome(struct drops *drops, struct switch_drops *from, const struct outcome *outcome);

/* Puts the switches in the order of their nodes, whose routes are the canonical ones now. */
void drops_order(struct drops *drops);

/* Returns how many MADs a switch has dropped, which was read both times. */
uint64_t switch_dropped(const struct switch_drops *from);

/* Describes why a switch was not read both times. Writes @text and returns it. */
const char *switch_drops_text(const struct switch_drops *from, char text[READING_TEXT_BYTES]);

struct drops_total {
	size_t read, unread; /* switches */
	size_t without_lid;  /* of the unread */
	size_t dropping;     /* of those read, those that dropped a MAD */
	size_t saturated;    /* of those read */
	uint64_t dropped;
};

void drops_add_up(const struct drops *drops, struct drops_total *total);

#endif
