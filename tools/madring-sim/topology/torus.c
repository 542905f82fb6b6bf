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

	for (unsigned int i = 0; i < grid->dimensions; i++) {
		stride /= grid->size[i];
		length += (size_t)snprintf(text + length, room - length, "-%u",
					   (unsigned int)(number / stride % grid->size[i]));
	}
}

static int add_nodes(struct generator *generator, const struct grid *grid)
{
	unsigned int ports = 2 * grid->dimensions * grid->links + grid->hosts;
	char at[40];
	int error = 0;

	for (uint64_t i = 0; i < grid->switches; i++) {
		coordinates(grid, i, at, sizeof(at));
		for (unsigned int host = 0; !error && host < grid->hosts; host++)
			error = generate_node(generator, NODE_CA, 1, "host%s-%u", at, host);
	}
	for (uint64_t i = 0; !error && i < grid->switches; i++) {
		coordinates(grid, i, at, sizeof(at));
		error = generate_node(generator, NODE_SWITCH, ports, "switch%s", at);
	}
	return error;
}

/*
 * cable_dimension cables the switches along a dimension. Each dimension has the ports of its
 * ascending cables, and then of its descending ones.
 */
static int cable_dimension(struct generator *generator, const struct grid *grid, unsigned int d,
			   uint64_t stride)
{
	uint64_t first_switch = grid->switches * grid->hosts;
	unsigned int size = grid->size[d];
	unsigned int up = 2 * d * grid->links + 1, down = up + grid->links;
	uint64_t next;
	int error = 0;

	for (uint64_t i = 0; i < grid->switches; i++) {
		bool last = i / stride % size == size - 1;

		/* In a dimension of 2, the cable that would close the ring exists already. */
		if (last && (!grid->wraps || size == 2))
			continue;
		next = last ? i - stride * (size - 1) : i + stride;
		for (unsigned int link = 0; !error && link < grid->links; link++)
			error = generate_cable(generator, first_switch + i, up + link,
					       first_switch + next, down + link);
	}
	return error;
}

static int cable_all(struct generator *generator, const struct grid *grid)
{
	unsigned int first_port = 2 * grid->dimensions * grid->links + 1;
	uint64_t hosts = grid->switches * grid->hosts;
	uint64_t stride = grid->switches;
	int error = 0;

	for (uint64_t i = 0; !error && i < hosts; i++)
		error = generate_cable(generator, i, 1, hosts + i / grid->hosts,
				       first_port + (unsigned int)(i % grid->hosts));
	for (unsigned int d = 0; !error && d < grid->dimensions; d++) {
		stride /= grid->size[d];
		error = cable_dimension(generator, grid, d, stride);
	}
	return error;
}

/* Generates a torus, or a mesh, which does not wrap. Returns 0 or a negative errno. */
static int generate_grid(struct generator *generator, char *spec, bool wraps)
{
	struct grid grid = {
		.size = generator->dimensions, .hosts = 1, .links = 1, .wraps = wraps
	};
	struct spec_key keys[] = {
		{ "hosts", &grid.hosts, 0, BUILDER_MAX_PORTS, false },
		{ "links", &grid.links, 1, BUILDER_MAX_PORTS, false },
	};
	int error = spec_read(generator, spec, keys, sizeof(keys) / sizeof(keys[0]), true);

	if (error)
		return error;
	grid.dimensions = generator->dimension_count;
	grid.switches = 1;
	for (unsigned int d = 0; d < grid.dimensions; d++) {
		if (grid.size[d] < 2 || grid.size[d] > MAX_SIZE)
			return spec_wrong(generator, "each dimension is from 2 to %d", MAX_SIZE);
		grid.switches = spec_times(grid.switches, grid.size[d]);
	}
	error = spec_fits(generator, spec_times(grid.switches, grid.hosts + 1),
			  2 * (uint64_t)grid.dimensions * grid.links + grid.hosts);
	if (!error)
		error = add_nodes(generator, &grid);
	return error ? error : cable_all(generator, &grid);
}

int generate_torus(struct generator *generator, char *spec)
{
	return generate_grid(generator, spec, true);
}

int generate_mesh(struct generator *generator, char *spec)
{
	return generate_grid(generator, spec, false);
}
