/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/chance.h"
#include "scenario/schedule.h"
#include "scenario/targets.h"

#define PATTERN_MAX 255

/*
 * A name or pattern of nodes: the node that has this name or, if there is none, all nodes that
 * match it.
 */
struct wanted {
	const struct topology *topology;
	const struct topology_node *node; /* NULL: by @name */
	char name[PATTERN_MAX + 1];
	const char *port; /* NULL: nodes are meant */
	bool cables;	  /* only ports with a cable, and each cable once */
};

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[");
}

static bool matches(const char *pattern, const char *text)
{
	return !fnmatch(pattern, text, 0);
}

static bool node_matches(const struct wanted *wanted, const struct topology_node *node)
{
	if (wanted->node)
		return node == wanted->node;
	return matches(wanted->name, node->id) || matches(wanted->name, node->description);
}

static bool port_matches(const struct wanted *wanted, unsigned int port)
{
	char number[sizeof("4294967295")];

	snprintf(number, sizeof(number), "%u", port);
	return matches(wanted->port, number);
}

/*
 * stands_for_cable tells whether this end stands for its cable: of two ends that match, the first
 * does.
 */
static bool stands_for_cable(const struct wanted *wanted, const struct topology_node *node,
			     unsigned int number)
{
	const struct topology_port *port = &node->port[number];

	if (!number || !port->peer)
		return false;
	if (port->peer->index > node->index || (port->peer == node && port->peer_port >= number))
		return true;
	return !node_matches(wanted, port->peer) || !port_matches(wanted, port->peer_port);
}

static int add(struct parser *parser, struct targets *targets, const struct topology_node *node,
	       unsigned int port)
{
	struct target *target = targets->target;

	/* The room doubles whenever the count is a power of 2. */
	if (!(targets->count & (targets->count - 1))) {
		size_t room = targets->count ? 2 * targets->count : 1;

		target = reallocarray(target, room, sizeof(*target));
		if (!target)
			return refuse_because(parser->error, -ENOMEM);
		targets->target = target;
	}
	target[targets->count++] = (struct target){ .node = node, .port = port };
	return 0;
}

static int add_ports(struct parser *parser, struct targets *targets, const struct wanted *wanted,
		     const struct topology_node *node)
{
	unsigned int port = node->type == NODE_SWITCH ? 0 : 1;
	int error = 0;

	for (; port <= node->port_count && !error; port++) {
		if (!port_matches(wanted, port))
			continue;
		if (!wanted->cables || stands_for_cable(wanted, node, port))
			error = add(parser, targets, node, port);
	}
	return error;
}

static int add_matching(struct parser *parser, struct targets *targets, const struct wanted *wanted)
{
	size_t i = wanted->node ? wanted->node->index : 0, end;
	int error = 0;

	end = wanted->node ? i + 1 : wanted->topology->node_count;
	for (; i < end && !error; i++) {
		const struct topology_node *node = wanted->topology->nodes[i];

		if (!node_matches(wanted, node))
			continue;
		error = wanted->port ? add_ports(parser, targets, wanted, node)
				     : add(parser, targets, node, 0);
	}
	return error;
}

/* look_for takes NODE or NODE:PORT apart; a node's name may have colons, too. */
static int look_for(struct parser *parser, const char *word, struct wanted *wanted)
{
	const char *colon = strrchr(word, ':');
	size_t length = strlen(word);

	if (wanted->port) {
		if (!colon || colon == word || !colon[1])
			return refuse(parser->error, "%.80s: not NODE:PORT", word);
		wanted->port = colon + 1;
		length = (size_t)(colon - word);
	}
	if (length > PATTERN_MAX)
		return refuse(parser->error, "%.80s: too long a name", word);
	memcpy(wanted->name, word, length);
	wanted->name[length] = '\0';
	wanted->node = topology_find(wanted->topology, wanted->name);
	if (!wanted->node && !is_pattern(wanted->name))
		return refuse(parser->error, "%.80s: no such node", wanted->name);
	return 0;
}

static int refuse_none(struct parser *parser, const char *word, const struct wanted *wanted)
{
	if (!wanted->port)
		return refuse(parser->error, "%.80s: no node has such a name", word);
	if (wanted->cables)
		return refuse(parser->error, "%.80s: no such port has a cable", word);
	return refuse(parser->error, "%.80s: no such port", word);
}

/* take_pick takes a leading "N of". A number alone may be a node's name. */
static int take_pick(struct parser *parser, uint64_t *pick)
{
	*pick = 0;
	if (parser->count - parser->next < 2 || strcmp(parser->words[parser->next + 1], "of") != 0)
		return 0;
	if (take_number(parser, 1, UINT32_MAX, pick))
		return -EINVAL;
	parser->next++;
	return 0;
}

/*
 * Reads which nodes or links a command is about, and how many of these to pick. Returns 0 or
 * -EINVAL after it has refused.
 */
static int find_targets(struct parser *parser, struct targets *targets, struct wanted *wanted)
{
	const char *word;
	uint64_t pick;
	int error = take_pick(parser, &pick);

	if (!error)
		error = take_word(parser, &word);
	if (!error)
		error = look_for(parser, word, wanted);
	if (!error)
		error = add_matching(parser, targets, wanted);
	if (error)
		return error;
	if (!targets->count)
		return refuse_none(parser, word, wanted);
	if (pick > targets->count)
		return refuse(parser->error, "%.80s: only %zu match", word, targets->count);
	targets->pick = (size_t)pick;
	if (!charge_targets(parser->scenario, targets->count))
		return refuse_because(parser->error, -ENOSPC);
	return 0;
}

static int take_targets(struct parser *parser, struct targets *targets, struct wanted *wanted)
{
	int error = find_targets(parser, targets, wanted);

	if (error) {
		targets_free(targets);
		*targets = (struct targets){ 0 };
	}
	return error;
}

int take_nodes(struct parser *parser, struct targets *targets)
{
	struct wanted wanted = { .topology = fabric_topology(parser->scenario->config.fabric) };

	return take_targets(parser, targets, &wanted);
}

int take_links(struct parser *parser, struct targets *targets)
{
	struct wanted wanted = {
		.topology = fabric_topology(parser->scenario->config.fabric),
		.port = "",
		.cables = true,
	};

	return take_targets(parser, targets, &wanted);
}

int take_ports(struct parser *parser, struct targets *targets)
{
	struct wanted wanted = {
		.topology = fabric_topology(parser->scenario->config.fabric),
		.port = "",
	};

	return take_targets(parser, targets, &wanted);
}

size_t targets_pick(struct targets *targets, uint64_t *random)
{
	struct target kept;

	for (size_t i = 0; i < targets->pick; i++) {
		size_t other = i + mix_next(random) % (targets->count - i);

		kept = targets->target[i];
		targets->target[i] = targets->target[other];
		targets->target[other] = kept;
	}
	return targets->pick ? targets->pick : targets->count;
}

void targets_free(struct targets *targets)
{
	free(targets->target);
}
