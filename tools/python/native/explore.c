/* SPDX-License-Identifier: BSD-2-Clause */
#include "explore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <madring.h>
#include <madring/subnet.h>
#include <madring/sweep.h>

#include "run.h"

struct exploration {
	struct madring *ring;
	struct madring_discovery *sweep;
	struct exploration_node *nodes;
	size_t count, room;
	size_t enough; /* nodes, so that they are taken */
	bool is_out_of_memory;
};

/* Keeps a new node. Without memory, the node is lost, and the sweep ends with -ENOMEM. */
static void keep_node(void *user, const struct madring_sweep_seen *seen)
{
	struct exploration *exploration = user;
	struct exploration_node *longer, *node;
	size_t room;

	if (!seen->is_new)
		return;
	if (exploration->count == exploration->room) {
		room = exploration->room ? 2 * exploration->room : 64;
		longer = reallocarray(exploration->nodes, room, sizeof(*longer));
		if (!longer) {
			exploration->is_out_of_memory = true;
			return;
		}
		exploration->nodes = longer;
		exploration->room = room;
	}
	node = &exploration->nodes[exploration->count++];
	*node = (struct exploration_node){
		.guid = seen->node->guid,
		.port_guid = seen->node->port_guid,
		.type = (uint8_t)seen->node->type,
		.port_count = seen->node->port_count,
		.hops = seen->hops,
	};
	memcpy(node->path, seen->path, (size_t)seen->hops + 1);
}

int explore_open(struct madring_subnet *subnet, const struct madring_sweep_config *config,
		 struct exploration **exploration)
{
	struct madring_sweep_config told = *config;
	struct exploration *new = calloc(1, sizeof(*new));
	int error;

	if (!new)
		return -ENOMEM;
	new->ring = madring_subnet_ring(subnet);
	told.on_node = keep_node;
	told.user = new;
	error = madring_sweep_start(subnet, &told, &new->sweep);
	if (error) {
		free(new);
		return error;
	}
	*exploration = new;
	return 0;
}

bool explore_is_done(const struct exploration *exploration)
{
	struct madring_sweep_state state;

	madring_sweep_get_state(exploration->sweep, &state);
	return state.done;
}

int explore_error(const struct exploration *exploration)
{
	struct madring_sweep_state state;

	if (exploration->is_out_of_memory)
		return -ENOMEM;
	madring_sweep_get_state(exploration->sweep, &state);
	return state.error;
}

bool explore_is_doubtful(const struct exploration *exploration)
{
	struct madring_sweep_state state;

	madring_sweep_get_state(exploration->sweep, &state);
	return state.doubtful && !state.error && !state.canceled && !state.deadline_reached;
}

size_t explore_recalled(const struct madring_fabric *fabric)
{
	struct madring_sweep_state state;

	madring_fabric_get_sweep_state(fabric, &state);
	return state.recalled;
}

size_t explore_count(const struct exploration *exploration)
{
	return exploration->count;
}

const struct exploration_node *explore_nodes(const struct exploration *exploration)
{
	return exploration->nodes;
}

void explore_taken(struct exploration *exploration)
{
	exploration->count = 0;
}

static bool has_enough(const void *state)
{
	const struct exploration *exploration = state;

	return exploration->count >= exploration->enough || explore_is_done(exploration);
}

int explore_run(struct exploration *exploration, size_t enough, int timeout_ms)
{
	exploration->enough = enough;
	return run_until(exploration->ring, has_enough, exploration, timeout_ms);
}

int explore_close(struct exploration *exploration, struct madring_fabric **fabric)
{
	int error = madring_sweep_end(exploration->sweep, fabric);

	free(exploration->nodes);
	free(exploration);
	return error;
}

uint8_t explore_node_type(const struct madring_node *node)
{
	return (uint8_t)node->type;
}

int explore_save(const struct madring_fabric *fabric, const char *path)
{
	FILE *out = fopen(path, "we");
	int error;

	if (!out)
		return -errno;
	error = madring_fabric_save(fabric, out);
	if (fclose(out) && !error)
		error = -errno;
	return error;
}
