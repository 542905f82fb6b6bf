/* SPDX-License-Identifier: BSD-2-Clause */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "known_nodes.h"

void known_nodes_init(struct known_nodes *known)
{
	*known = (struct known_nodes){ 0 };
	TAILQ_INIT(&known->present);
	TAILQ_INIT(&known->gone);
}

static int by_guid(const void *a, const void *b)
{
	const struct known_node *left = a, *right = b;

	return left->guid < right->guid ? -1 : left->guid > right->guid;
}

static void forget_node(struct known_nodes *known, struct known_list *list, struct known_node *node)
{
	TAILQ_REMOVE(list, node, entry);
	tdelete(node, &known->by_guid, by_guid);
	last_readings_free(&node->last);
	free(node->name);
	free(node);
}

void known_nodes_free(struct known_nodes *known)
{
	while (!TAILQ_EMPTY(&known->present))
		forget_node(known, &known->present, TAILQ_FIRST(&known->present));
	while (!TAILQ_EMPTY(&known->gone))
		forget_node(known, &known->gone, TAILQ_FIRST(&known->gone));
}

static struct known_node *add_node(struct known_nodes *known, uint64_t guid)
{
	struct known_node *node = memory_get(1, sizeof(*node));

	node->guid = guid;
	if (!tsearch(node, &known->by_guid, by_guid))
		memory_end();
	TAILQ_INSERT_TAIL(&known->present, node, entry);
	return node;
}

struct known_node *known_nodes_find(const struct known_nodes *known, uint64_t guid)
{
	struct known_node key = { .guid = guid };
	void *place = tfind(&key, &known->by_guid, by_guid);

	return place ? *(struct known_node **)place : NULL;
}

static void set_name(struct known_node *node, const char *name)
{
	if (node->name && !strcmp(node->name, name))
		return;
	free(node->name);
	node->name = strdup(name);
	if (!node->name)
		memory_end();
}

static void note_found(struct known_nodes *known, const struct madring_node *found,
		       const char *name)
{
	struct known_node *node = known_nodes_find(known, found->guid);

	if (!node)
		node = add_node(known, found->guid);
	if (node->gone_ns) {
		TAILQ_REMOVE(&known->gone, node, entry);
		TAILQ_INSERT_TAIL(&known->present, node, entry);
		known->gone_count--;
		node->gone_ns = 0;
	}
	node->type = found->type;
	node->update = known->updates;
	set_name(node, name);
}

static void note_gone(struct known_nodes *known, uint64_t now_ns)
{
	struct known_node *node, *next;

	for (node = TAILQ_FIRST(&known->present); node; node = next) {
		next = TAILQ_NEXT(node, entry);
		if (node->update == known->updates)
			continue;
		TAILQ_REMOVE(&known->present, node, entry);
		TAILQ_INSERT_TAIL(&known->gone, node, entry);
		known->gone_count++;
		node->gone_ns = now_ns;
	}
}

static void forget_some(struct known_nodes *known, uint64_t now_ns)
{
	struct known_node *oldest;

	while ((oldest = TAILQ_FIRST(&known->gone))) {
		if (known->gone_count <= GONE_MAX && now_ns - oldest->gone_ns < GONE_NS)
			return;
		forget_node(known, &known->gone, oldest);
		known->gone_count--;
	}
}

void known_nodes_update(struct known_nodes *known, const struct collection *collection,
			const struct names *names, bool looked_everywhere, uint64_t now_ns)
{
	known->updates++;
	for (size_t i = 0; i < collection->node_count; i++) {
		const struct node_counters *node = &collection->nodes[i];

		if (node->wanted)
			note_found(known, node->node, node_name(names, node->node));
	}
	if (looked_everywhere)
		note_gone(known, now_ns);
	forget_some(known, now_ns);
}

void known_nodes_keep_readings(struct known_nodes *known, struct collection *collection)
{
	for (size_t i = 0; i < collection->node_count; i++) {
		struct node_counters *node = &collection->nodes[i];
		struct known_node *its = known_nodes_find(known, node->node->guid);

		if (its && node->wanted)
			last_readings_take(&its->last, node);
	}
}
