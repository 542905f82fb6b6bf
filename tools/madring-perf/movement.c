/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdlib.h>

#include "common/memory.h"
#include "json/utf8.h"
#include "movement.h"

#define OCTETS_IN_A_WORD 4
#define HEAD_LINES	 1
#define NAME_WIDTH	 32

static bool is_error(const struct thresholds *thresholds, enum counter counter)
{
	return counter_is_error(counter) && !thresholds_hides(thresholds, counter);
}

/* Adds one counter's change to a port's movement. Returns false if it stood still, or is not
   there. */
static bool add_counter(struct movement *movement, const struct thresholds *thresholds,
			enum counter counter)
{
	struct counter_delta delta;
	enum counter_change change =
		counter_compare(movement->before, movement->after, counter, &delta);

	if (change == CHANGE_UNKNOWN)
		return false;
	movement->reset |= change == CHANGE_RESET;
	movement->full |= change == CHANGE_SATURATED;
	if (is_error(thresholds, counter))
		movement->errors += delta.rate;
	if (counter == COUNTER_XMIT_WAIT)
		movement->waits = delta.rate;
	if (counter == COUNTER_XMIT_DATA)
		movement->xmit_octets = delta.rate * OCTETS_IN_A_WORD;
	if (counter == COUNTER_RCV_DATA)
		movement->rcv_octets = delta.rate * OCTETS_IN_A_WORD;
	if (counter == COUNTER_XMIT_PKTS)
		movement->xmit_packets = delta.rate;
	if (counter == COUNTER_RCV_PKTS)
		movement->rcv_packets = delta.rate;
	return delta.delta || change == CHANGE_RESET;
}

static void add_port(struct movements *movements, const struct thresholds *thresholds,
		     const struct port_counters *before, const struct port_counters *after)
{
	struct movement movement = { .before = before, .after = after };
	bool moved = false;

	for (unsigned int c = 0; c < COUNTERS; c++)
		moved |= add_counter(&movement, thresholds, c);
	if (moved)
		movements->list[movements->count++] = movement;
}

static int compare_descending(double a, double b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

/* Sorts the worst first. Equal ones keep the order of the fabric, so that the ports of a node stay
   together. */
static int by_badness(const void *a, const void *b)
{
	const struct movement *left = a, *right = b;
	int order = compare_descending(left->errors, right->errors);

	if (!order)
		order = compare_descending(left->waits, right->waits);
	if (!order)
		order = compare_descending(left->xmit_octets + left->rcv_octets,
					   right->xmit_octets + right->rcv_octets);
	if (!order && left->after->node != right->after->node)
		order = left->after->node < right->after->node ? -1 : 1;
	if (!order)
		order = (int)left->after->number - (int)right->after->number;
	return order;
}

void movements_find(struct movements *movements, const struct collection *before,
		    const struct collection *after, const struct thresholds *thresholds)
{
	*movements = (struct movements){ .list = memory_get(after->port_count + 1,
							    sizeof(struct movement)) };
	for (size_t i = 0; i < after->node_count; i++) {
		const struct node_counters *node = &after->nodes[i];

		for (size_t p = 0; p < node->port_count; p++) {
			const struct port_counters *old =
				collection_find(before, &node->ports[p], i);

			if (old)
				add_port(movements, thresholds, old, &node->ports[p]);
		}
	}
	if (movements->count)
		qsort(movements->list, movements->count, sizeof(struct movement), by_badness);
}

void movements_free(struct movements *movements)
{
	free(movements->list);
	*movements = (struct movements){ 0 };
}

/* Prints which errors there were, and how many. */
static void print_errors(FILE *out, const struct movement *movement,
			 const struct thresholds *thresholds)
{
	struct counter_delta delta;

	for (unsigned int c = 0; c < COUNTERS; c++)
		if (is_error(thresholds, c) &&
		    counter_compare(movement->before, movement->after, c, &delta) !=
			    CHANGE_UNKNOWN &&
		    delta.delta)
			fprintf(out, " %s +%" PRIu64, counter_name(c), delta.delta);
	if (movement->reset)
		fputs(" (cleared)", out);
	if (movement->full)
		fputs(" (full)", out);
}

static void print_row(FILE *out, const struct movement *movement, const struct names *names,
		      const struct thresholds *thresholds)
{
	char name[NAME_WIDTH + 1];

	/*
	 * snprintf() may cut the name within a character; utf8_make_printable() replaces the rest
	 * of it.
	 */
	snprintf(name, sizeof(name), "%s", node_name(names, movement->after->node->node));
	utf8_make_printable(name);
	fprintf(out, "%-*s %4u %10.1f %12.0f %10.3f %10.3f %12.0f %12.0f", NAME_WIDTH, name,
		movement->after->number, movement->errors, movement->waits,
		movement->xmit_octets / 1e6, movement->rcv_octets / 1e6, movement->xmit_packets,
		movement->rcv_packets);
	print_errors(out, movement, thresholds);
	fputc('\n', out);
}

void movements_print(FILE *out, const struct movements *movements, const struct names *names,
		     const struct thresholds *thresholds, size_t lines)
{
	size_t rows = movements->count;

	if (lines && rows > lines - HEAD_LINES)
		rows = lines > HEAD_LINES ? lines - HEAD_LINES : 0;
	fprintf(out, "%-*s %4s %10s %12s %10s %10s %12s %12s errors\n", NAME_WIDTH, "node", "port",
		"errors/s", "waits/s", "xmit MB/s", "rcv MB/s", "xmit pkts/s", "rcv pkts/s");
	for (size_t i = 0; i < rows; i++)
		print_row(out, &movements->list[i], names, thresholds);
}
