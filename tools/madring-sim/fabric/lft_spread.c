/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 64 destination switches are looked at in one go, each a bit of a mask. Starting at them, one
 * step a round, all switches are reached by shortest ways; where a switch is reached, it can
 * send by any port behind which the mask already had the bit.
 */
#include <errno.h>
#include <stdlib.h>

#include "fabric/lft_spread.h"

#define BATCH 64

struct exit {
	uint32_t to; /* position of the switch behind the port */
	uint8_t port;
};

/* A switch, by its position among the switches. */
struct hub {
	struct node *node;
	struct exit *exits; /* to other switches */
	uint32_t exit_count;
	uint16_t *lids; /* that it has itself, or a host at one of its ports */
	uint32_t lid_count;
	uint32_t turn; /* of the exits, which is first next time */
	/* By bit of the batch: destinations that the switch was reached from, by the round. */
	uint64_t seen, last, fresh;
};

/* A port, and to which destinations of the batch it leads. */
struct choice {
	uint64_t destinations;
	uint8_t port;
};

struct spread {
	struct hub *hubs;
	size_t count;
	struct exit *exits;
	uint16_t *lids;
	struct choice choices[UINT8_MAX]; /* of one switch */
};

static bool is_exit(const struct port *port)
{
	return port->up && port->peer->health == FABRIC_WELL;
}

static size_t count_exits(struct node *const *switches, size_t count)
{
	size_t exits = 0;

	for (size_t i = 0; i < count; i++)
		exits += switches[i]->port_count;
	return exits;
}

/* What is at a switch's own ports: its table needs no search for that. */
static void look_at(struct hub *hub, const uint32_t *position, const struct fabric *fabric)
{
	struct node *node = hub->node;

	hub->lids[hub->lid_count++] = node->port[0].lid;
	node->lft[node->port[0].lid] = 0;
	for (unsigned int number = 1; number <= node->port_count; number++) {
		const struct port *port = &node->port[number];
		uint16_t lid;

		if (!is_exit(port))
			continue;
		if (port->peer->type == NODE_SWITCH) {
			hub->exits[hub->exit_count++] = (struct exit){
				.to = position[port->peer - fabric->nodes],
				.port = (uint8_t)number,
			};
			continue;
		}
		lid = port->peer->port[port->peer_port].lid;
		hub->lids[hub->lid_count++] = lid;
		node->lft[lid] = (uint8_t)number;
	}
}

/*
 * Deals the LIDs of the fresh destinations out to the ports that lead there, one at a time.
 * No port is dealt two while another one could have had the second.
 */
static void deal(struct spread *spread, struct hub *hub, size_t first, uint32_t count)
{
	struct choice *choices = spread->choices;
	uint32_t dealt[BATCH] = { 0 };
	uint64_t left = hub->fresh, mine;
	uint32_t i = hub->turn % count;
	const struct hub *goal;
	unsigned int bit;

	while (left) {
		if (i >= count)
			i = 0;
		mine = choices[i].destinations & left;
		if (!mine) {
			choices[i] = choices[--count];
			continue;
		}
		bit = (unsigned int)__builtin_ctzll(mine);
		goal = &spread->hubs[first + bit];
		hub->node->lft[goal->lids[dealt[bit]]] = choices[i].port;
		if (++dealt[bit] == goal->lid_count)
			left &= ~(1ull << bit);
		i++;
		hub->turn++;
	}
}

/* Whether there are more to come to. */
static bool come_to(struct spread *spread, struct hub *hub, size_t first)
{
	uint32_t count = 0;

	hub->fresh = 0;
	for (uint32_t i = 0; i < hub->exit_count; i++) {
		uint64_t mask = spread->hubs[hub->exits[i].to].last & ~hub->seen;

		if (!mask)
			continue;
		hub->fresh |= mask;
		spread->choices[count++] = (struct choice){ mask, hub->exits[i].port };
	}
	if (!count)
		return false;
	deal(spread, hub, first, count);
	return true;
}

static void start_batch(struct spread *spread, size_t first)
{
	for (size_t i = 0; i < spread->count; i++) {
		struct hub *hub = &spread->hubs[i];

		hub->last = i >= first && i - first < BATCH ? 1ull << (i - first) : 0;
		hub->seen = hub->last;
	}
}

static void spread_batch(struct spread *spread, size_t first)
{
	bool more;

	start_batch(spread, first);
	do {
		more = false;
		for (size_t i = 0; i < spread->count; i++)
			more |= come_to(spread, &spread->hubs[i], first);
		for (size_t i = 0; i < spread->count; i++) {
			spread->hubs[i].last = spread->hubs[i].fresh;
			spread->hubs[i].seen |= spread->hubs[i].fresh;
		}
	} while (more);
}

static void set_up(struct spread *spread, const struct fabric *fabric, struct node *const *switches,
		   uint32_t *position)
{
	struct exit *exits = spread->exits;
	uint16_t *lids = spread->lids;

	for (uint32_t i = 0; i < spread->count; i++)
		position[switches[i] - fabric->nodes] = i;
	for (uint32_t i = 0; i < spread->count; i++) {
		struct hub *hub = &spread->hubs[i];

		*hub = (struct hub){ .node = switches[i], .exits = exits, .lids = lids };
		look_at(hub, position, fabric);
		exits += hub->exit_count;
		lids += hub->lid_count;
	}
}

int lft_spread(const struct fabric *fabric, struct node *const *switches, size_t count)
{
	struct spread spread = { .count = count };
	size_t exits = count_exits(switches, count);
	uint32_t *position = calloc(fabric->topology->node_count, sizeof(*position));
	int error = -ENOMEM;

	spread.hubs = calloc(count, sizeof(*spread.hubs));
	spread.exits = calloc(exits, sizeof(*spread.exits));
	spread.lids = calloc(exits + count, sizeof(*spread.lids));
	if (!count) {
		error = 0;
	} else if (position && spread.hubs && spread.exits && spread.lids) {
		set_up(&spread, fabric, switches, position);
		for (size_t first = 0; first < count; first += BATCH)
			spread_batch(&spread, first);
		error = 0;
	}
	free(position);
	free(spread.hubs);
	free(spread.exits);
	free(spread.lids);
	return error;
}
