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

/*
 * Adds one counter's change to a port's movement. Returns false if it stood still, or is not
 * there.
 */
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

/*
 * Sorts the worst first. Equal ones keep the order of the fabric, so that the ports of a node stay
 * together.
 */
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

void movements_find(struct movements *movements, const struct known_nodes *before,
		    const struct collection *after, const struct thresholds *thresholds)
{
	*movements = (struct movements){ .list = memory_get(after->port_count + 1,
							    sizeof(struct movement)) };
	for (size_t i = 0; i < after->node_count; i++) {
		const struct node_counters *node = &after->nodes[i];
		const struct known_node *known = known_nodes_find(before, node->node->guid);

		for (size_t p = 0; known && p < node->port_count; p++) {
			const struct port_counters *old =
				last_readings_of(&known->last, node->ports[p].number);

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

/* The widths of the table. */
struct widths {
	int name, rate, waits, data, packets; /* .packets 0: none are shown */
};

static const struct widths wide = { NAME_WIDTH, 10, 12, 10, 12 };
static const struct widths narrow = { 18, 8, 8, 8, 0 };

/* Prints a name in @width columns. */
static void print_name(FILE *out, const char *name, int width)
{
	char text[NAME_WIDTH + 1];

	/*
	 * snprintf() may cut the name within a character; utf8_make_printable() replaces the rest
	 * of it.
	 */
	snprintf(text, (size_t)width + 1, "%s", name);
	utf8_make_printable(text);
	fprintf(out, "%-*s", width, text);
}

static void print_row(FILE *out, const struct movement *movement, const struct names *names,
		      const struct thresholds *thresholds, const struct widths *widths)
{
	print_name(out, node_name(names, movement->after->node->node), widths->name);
	fprintf(out, " %4u %*.1f %*.0f %*.3f %*.3f", movement->after->number, widths->rate,
		movement->errors, widths->waits, movement->waits, widths->data,
		movement->xmit_octets / 1e6, widths->data, movement->rcv_octets / 1e6);
	if (widths->packets)
		fprintf(out, " %*.0f %*.0f", widths->packets, movement->xmit_packets,
			widths->packets, movement->rcv_packets);
	print_errors(out, movement, thresholds);
	fputc('\n', out);
}

static void print_head(FILE *out, const struct widths *widths)
{
	fprintf(out, "%-*s %4s %*s %*s %*s %*s", widths->name, "node", "port", widths->rate,
		"errors/s", widths->waits, "waits/s", widths->data,
		widths->packets ? "xmit MB/s" : "xmitMB/s", widths->data,
		widths->packets ? "rcv MB/s" : "rcvMB/s");
	if (widths->packets)
		fprintf(out, " %*s %*s", widths->packets, "xmit pkts/s", widths->packets,
			"rcv pkts/s");
	fputs(" errors\n", out);
}

void movements_print(FILE *out, const struct movements *movements, const struct names *names,
		     const struct thresholds *thresholds, size_t lines, size_t columns)
{
	const struct widths *widths = columns && columns < MOVEMENT_COLUMNS ? &narrow : &wide;
	size_t rows = movements->count;

	if (lines && rows > lines - HEAD_LINES)
		rows = lines > HEAD_LINES ? lines - HEAD_LINES : 0;
	print_head(out, widths);
	for (size_t i = 0; i < rows; i++)
		print_row(out, &movements->list[i], names, thresholds, widths);
}
