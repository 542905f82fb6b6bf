/* SPDX-License-Identifier: BSD-2-Clause */
/* Tori and meshes of up to six dimensions. */
#include <stdio.h>

#include "topology/generate.h"

#define MAX_SIZE 1000

struct grid {
	const unsigned int *size;
	unsigned int dimensions, hosts, links;
	uint64_t switches;
	bool wraps;
};

static void coordinates(const struct grid *grid, uint64_t number, char *text, size_t room)
{
	uint64_t stride = grid->switches;
	size_t length = 0;
	unsigned int i;

	for (i = 0; i < grid->dimensions; i++) {
		stride /= grid->size[i];
		length += (size_t)snprintf(text + length, room - length, "-%u",
					   (unsigned int)(number / stride % grid->size[i]));
	}
}

static int add_nodes(struct generator *generator, const struct grid *grid)
{
	unsigned int ports = 2 * grid->dimensions * grid->links + grid->hosts;
	unsigned int host;
	char at[40];
	uint64_t i;
	int ret = 0;

	for (i = 0; i < grid->switches; i++) {
		coordinates(grid, i, at, sizeof(at));
		for (host = 0; !ret && host < grid->hosts; host++)
			ret = generate_node(generator, NODE_CA, 1, "host%s-%u", at, host);
	}
	for (i = 0; !ret && i < grid->switches; i++) {
		coordinates(grid, i, at, sizeof(at));
		ret = generate_node(generator, NODE_SWITCH, ports, "switch%s", at);
	}
	return ret;
}

/* Each dimension has the ports of its ascending cables, and then of its descending ones. */
static int cable_dimension(struct generator *generator, const struct grid *grid, unsigned int d,
			   uint64_t stride)
{
	uint64_t first_switch = grid->switches * grid->hosts;
	unsigned int size = grid->size[d];
	unsigned int up = 2 * d * grid->links + 1, down = up + grid->links;
	uint64_t i, next;
	unsigned int link;
	int ret = 0;

	for (i = 0; i < grid->switches; i++) {
		bool last = i / stride % size == size - 1;

		/* The way round in two is the cable that is there already. */
		if (last && (!grid->wraps || size == 2))
			continue;
		next = last ? i - stride * (size - 1) : i + stride;
		for (link = 0; !ret && link < grid->links; link++)
			ret = generate_cable(generator, first_switch + i, up + link,
					     first_switch + next, down + link);
	}
	return ret;
}

static int cable_all(struct generator *generator, const struct grid *grid)
{
	unsigned int first_port = 2 * grid->dimensions * grid->links + 1;
	uint64_t hosts = grid->switches * grid->hosts;
	uint64_t stride = grid->switches;
	uint64_t i;
	unsigned int d;
	int ret = 0;

	for (i = 0; !ret && i < hosts; i++)
		ret = generate_cable(generator, i, 1, hosts + i / grid->hosts,
				     first_port + (unsigned int)(i % grid->hosts));
	for (d = 0; !ret && d < grid->dimensions; d++) {
		stride /= grid->size[d];
		ret = cable_dimension(generator, grid, d, stride);
	}
	return ret;
}

static int generate_grid(struct generator *generator, char *spec, bool wraps)
{
	struct grid grid = {
		.size = generator->dimensions, .hosts = 1, .links = 1, .wraps = wraps
	};
	struct spec_key keys[] = {
		{ "hosts", &grid.hosts, 0, BUILDER_MAX_PORTS, false },
		{ "links", &grid.links, 1, BUILDER_MAX_PORTS, false },
	};
	unsigned int d;
	int ret = spec_read(generator, spec, keys, sizeof(keys) / sizeof(keys[0]), true);

	if (ret)
		return ret;
	grid.dimensions = generator->dimension_count;
	grid.switches = 1;
	for (d = 0; d < grid.dimensions; d++) {
		if (grid.size[d] < 2 || grid.size[d] > MAX_SIZE)
			return spec_wrong(generator, "each dimension is from 2 to %d", MAX_SIZE);
		grid.switches = spec_times(grid.switches, grid.size[d]);
	}
	ret = spec_fits(generator, spec_times(grid.switches, grid.hosts + 1),
			2 * (uint64_t)grid.dimensions * grid.links + grid.hosts);
	if (!ret)
		ret = add_nodes(generator, &grid);
	return ret ? ret : cable_all(generator, &grid);
}

int generate_torus(struct generator *generator, char *spec)
{
	return generate_grid(generator, spec, true);
}

int generate_mesh(struct generator *generator, char *spec)
{
	return generate_grid(generator, spec, false);
}
