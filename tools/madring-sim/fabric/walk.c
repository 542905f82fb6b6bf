/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/inside.h"
#include "fabric/walk.h"

/* The source of packets: a port that has LIDs, and where its packets come to first. */
struct source {
	struct place place;
	struct node *first;  /* the switch they come to first; NULL: none */
	enum walk_end end;   /* without one */
	struct place beyond; /* WALK_UNKNOWN: a host on a cable without a switch, to this port */
};

struct walker {
	const struct fabric *fabric;
	struct fabric_walk *walk;
	struct source *sources;
	size_t source_count;
	/*
	 * The state of each node, by its index. For switches: how many hosts start there, and what
	 * becomes of a packet to the LID that is looked at now.
	 */
	uint32_t *hosts;
	uint8_t *end;
	struct node **way;	/* the switches on the way now */
	struct node **switches; /* all of them */
	size_t switch_count;
	/* The host ports that do not start at a switch. */
	size_t *apart;
	size_t apart_count;
};

/* The destination of a packet: one LID of a port. */
struct goal {
	const struct source *source;
	const struct port *port;
	uint16_t lid;
};

const char *walk_end_name(enum walk_end end)
{
	static const char *const names[WALK_ENDS] = {
		[WALK_UNKNOWN] = "unknown", [WALK_REACHED] = "reached",
		[WALK_NO_LID] = "no LID",   [WALK_NO_ENTRY] = "no entry",
		[WALK_NO_LINK] = "no link", [WALK_INACTIVE] = "not active",
		[WALK_DEAD] = "dead",	    [WALK_ASTRAY] = "astray",
		[WALK_LOOP] = "loop",
	};

	return names[end];
}

/* cross goes over the cable of a port. WALK_UNKNOWN: the packet is at *@to now. */
static enum walk_end cross(const struct node *node, unsigned int number, struct place *to)
{
	const struct port *port;

	if (!number || number > node->port_count)
		return WALK_NO_LINK;
	port = &node->port[number];
	if (!port->up)
		return WALK_NO_LINK;
	if (port_state(port) != PORT_ACTIVE)
		return WALK_INACTIVE;
	*to = (struct place){ .node = port->peer, .port = port->peer_port };
	if (!node_forwards(to->node))
		return WALK_DEAD;
	return port_state(&to->node->port[to->port]) < PORT_ARMED ? WALK_INACTIVE : WALK_UNKNOWN;
}

static enum walk_end at_end(const struct place *place, const struct goal *goal)
{
	return lid_port(place->node, place->port) == goal->port ? WALK_REACHED : WALK_ASTRAY;
}

/* step goes one switch further. WALK_UNKNOWN: the next switch is *@node. */
static enum walk_end step(struct node **node, const struct goal *goal)
{
	const struct node *at = *node;
	enum walk_end end;
	struct place to;
	uint8_t out;

	if (port_has_lid(&at->port[0], goal->lid))
		return &at->port[0] == goal->port ? WALK_REACHED : WALK_ASTRAY;
	out = node_exit(at, goal->lid);
	if (out == LFT_DROP)
		return WALK_NO_ENTRY;
	end = cross(at, out, &to);
	if (end)
		return end;
	*node = to.node;
	return to.node->type == NODE_SWITCH ? WALK_UNKNOWN : at_end(&to, goal);
}

/*
 * follow returns how a packet's way from a switch ends, and notes it for all switches on the way.
 */
static enum walk_end follow(struct walker *walker, struct node *node, const struct goal *goal)
{
	const struct node *nodes = walker->fabric->nodes;
	enum walk_end end;
	size_t count = 0;

	for (;;) {
		end = walker->end[node - nodes];
		if (end)
			break;
		/* A packet that comes here again is in a loop. */
		walker->end[node - nodes] = WALK_LOOP;
		walker->way[count++] = node;
		end = step(&node, goal);
		if (end)
			break;
	}
	while (count)
		walker->end[walker->way[--count] - nodes] = (uint8_t)end;
	return end;
}

static enum walk_end end_from(struct walker *walker, const struct source *source,
			      const struct goal *goal)
{
	if (!goal->lid)
		return WALK_NO_LID;
	if (source->first)
		return follow(walker, source->first, goal);
	return source->end ? source->end : at_end(&source->beyond, goal);
}

static bool is_switch(const struct source *source)
{
	return source->place.node->type == NODE_SWITCH;
}

static void count(struct walker *walker, const struct goal *goal, bool from_switch,
		  enum walk_end end, uint64_t ways)
{
	struct fabric_walk *walk = walker->walk;
	uint64_t reached = end == WALK_REACHED ? ways : 0;

	walk->ended[end] += ways;
	if (from_switch || is_switch(goal->source)) {
		walk->switch_ways += ways;
		walk->switch_ways_reached += reached;
	} else {
		walk->host_ways += ways;
		walk->host_ways_reached += reached;
	}
}

/* last_of returns the last switch, or host, that a packet comes to. */
static struct node *last_of(struct walker *walker, const struct source *source,
			    const struct goal *goal)
{
	struct node *node = source->first;
	size_t steps = 0;

	if (!node || !goal->lid)
		return source->place.node;
	while (steps++ <= walker->switch_count && !step(&node, goal))
		;
	return node;
}

/* Records the sources from which no packet reaches a goal, and where its way ends. */
static void note_failures(struct walker *walker, const struct goal *goal)
{
	struct fabric_walk *walk = walker->walk;
	enum walk_end end;

	for (const struct source *source = walker->sources;
	     source < walker->sources + walker->source_count; source++) {
		if (walk->failure_count == WALK_FAILURES)
			return;
		if (source == goal->source || (is_switch(source) && is_switch(goal->source)))
			continue;
		end = end_from(walker, source, goal);
		if (end == WALK_REACHED)
			continue;
		walk->failure[walk->failure_count++] = (struct walk_failure){
			.from = source->place.node->topology,
			.from_port = source->place.port,
			.to = goal->source->place.node->topology,
			.to_port = goal->source->place.port,
			.at = last_of(walker, source, goal)->topology,
			.lid = goal->lid,
			.end = end,
		};
	}
}

/* count_switches counts the ways from all switches, and from the hosts at each of them. */
static void count_switches(struct walker *walker, const struct goal *goal)
{
	const struct node *nodes = walker->fabric->nodes;
	const struct source *own = goal->source;
	enum walk_end end;
	uint32_t hosts;

	for (size_t i = 0; i < walker->switch_count; i++)
		walker->end[walker->switches[i] - nodes] = WALK_UNKNOWN;
	for (size_t i = 0; i < walker->switch_count; i++) {
		struct node *node = walker->switches[i];

		end = goal->lid ? follow(walker, node, goal) : WALK_NO_LID;
		hosts = walker->hosts[node - nodes];
		if (own->first == node && !is_switch(own))
			hosts--;
		count(walker, goal, false, end, hosts);
		if (!is_switch(own))
			count(walker, goal, true, end, 1);
	}
}

static void walk_to(struct walker *walker, const struct goal *goal)
{
	uint64_t ways = walker->walk->host_ways + walker->walk->switch_ways;
	uint64_t reached = walker->walk->ended[WALK_REACHED];

	count_switches(walker, goal);
	for (size_t i = 0; i < walker->apart_count; i++) {
		const struct source *source = &walker->sources[walker->apart[i]];

		if (source != goal->source)
			count(walker, goal, false, end_from(walker, source, goal), 1);
	}
	ways = walker->walk->host_ways + walker->walk->switch_ways - ways;
	if (walker->walk->ended[WALK_REACHED] - reached != ways)
		note_failures(walker, goal);
}

static void walk_to_port(struct walker *walker, const struct source *source)
{
	const struct port *port = lid_port(source->place.node, source->place.port);
	struct goal goal = { .source = source, .port = port, .lid = port->lid };

	for (unsigned int i = 0; i < (port->lid ? 1u << port->lmc : 1u); i++) {
		walk_to(walker, &goal);
		goal.lid++;
	}
}

static void add_source(struct walker *walker, struct node *node, unsigned int number)
{
	struct source *source = &walker->sources[walker->source_count++];
	struct place to = { 0 };

	*source = (struct source){ .place = { .node = node, .port = number } };
	if (node->type == NODE_SWITCH) {
		source->first = node;
		walker->switches[walker->switch_count++] = node;
		walker->walk->switches++;
		return;
	}
	walker->walk->host_ports++;
	source->end = cross(node, number, &to);
	if (!source->end && to.node->type == NODE_SWITCH) {
		source->first = to.node;
		walker->hosts[to.node - walker->fabric->nodes]++;
		return;
	}
	source->beyond = to;
	walker->apart[walker->apart_count++] = (size_t)(source - walker->sources);
}

static bool has_link(const struct node *node, bool cable)
{
	for (unsigned int number = 1; number <= node->port_count; number++)
		if (cable ? node->port[number].peer != NULL : node->port[number].up)
			return true;
	return false;
}

static void add_switch(struct walker *walker, struct node *node)
{
	if (node_forwards(node) && has_link(node, false))
		add_source(walker, node, 0);
	else if (has_link(node, true))
		walker->walk->left_out++;
}

static void add_host(struct walker *walker, struct node *node)
{
	for (unsigned int number = 1; number <= node->port_count; number++) {
		if (node_forwards(node) && node->port[number].up)
			add_source(walker, node, number);
		else if (node->port[number].peer)
			walker->walk->left_out++;
	}
}

static size_t most_sources(const struct fabric *fabric)
{
	size_t most = 0;

	for (size_t i = 0; i < fabric->topology->node_count; i++)
		most += fabric->nodes[i].type == NODE_SWITCH ? 1 : fabric->nodes[i].port_count;
	return most;
}

static bool open_walker(struct walker *walker)
{
	size_t nodes = walker->fabric->topology->node_count;
	size_t most = most_sources(walker->fabric);

	walker->sources = calloc(most, sizeof(*walker->sources));
	walker->apart = calloc(most, sizeof(*walker->apart));
	walker->hosts = calloc(nodes, sizeof(*walker->hosts));
	walker->end = calloc(nodes, sizeof(*walker->end));
	walker->way = calloc(nodes, sizeof(struct node *));
	walker->switches = calloc(nodes, sizeof(struct node *));
	return walker->sources && walker->apart && walker->hosts && walker->end && walker->way &&
	       walker->switches;
}

static void close_walker(struct walker *walker)
{
	free(walker->sources);
	free(walker->apart);
	free(walker->hosts);
	free(walker->end);
	free(walker->way);
	free(walker->switches);
}

static void walk_all(struct walker *walker)
{
	for (size_t i = 0; i < walker->fabric->topology->node_count; i++) {
		struct node *node = &walker->fabric->nodes[i];

		if (node->type == NODE_SWITCH)
			add_switch(walker, node);
		else
			add_host(walker, node);
	}
	for (const struct source *source = walker->sources;
	     source < walker->sources + walker->source_count; source++)
		walk_to_port(walker, source);
}

int fabric_walk(const struct fabric *fabric, struct fabric_walk *walk)
{
	struct walker walker = { .fabric = fabric, .walk = walk };
	bool opened = open_walker(&walker);

	memset(walk, 0, sizeof(*walk));
	if (opened)
		walk_all(&walker);
	close_walker(&walker);
	return opened ? 0 : -ENOMEM;
}

bool walk_is_complete(const struct fabric_walk *walk)
{
	return walk->host_ways == walk->host_ways_reached &&
	       walk->switch_ways == walk->switch_ways_reached;
}
