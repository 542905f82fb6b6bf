/* SPDX-License-Identifier: BSD-2-Clause */
/* The generators of the shapes, and what they share: a spec's keys, and adding nodes and cables. */
#ifndef SIM_GENERATE_H
#define SIM_GENERATE_H

#include "topology/builder.h"

#define MAX_DIMENSIONS 6

/* A "key=number" of a spec. The value is the default, until the spec is read. */
struct spec_key {
	const char *name;
	unsigned int *value;
	unsigned int min, max;
	bool given;
};

struct generator {
	struct builder builder;
	struct topology_error *error;
	unsigned int dimensions[MAX_DIMENSIONS]; /* "4x4x4", where a shape has it */
	unsigned int dimension_count;
};

/*
 * The functions below make a shape from the text after "shape:". They return 0, -EINVAL or -ENOMEM.
 */
int generate_fat_tree(struct generator *generator, char *spec);
int generate_dragonfly(struct generator *generator, char *spec);
int generate_torus(struct generator *generator, char *spec);
int generate_mesh(struct generator *generator, char *spec);

/* spec_wrong sets the error's text. Returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int spec_wrong(struct generator *generator,
						     const char *format, ...);

/*
 * spec_read reads "key=number,key=number", "width=" and "speed=", and dimensions when @dimensions.
 */
int spec_read(struct generator *generator, char *spec, struct spec_key *keys, size_t key_count,
	      bool dimensions);

/* spec_times returns a * b, or UINT64_MAX if it is more. */
uint64_t spec_times(uint64_t a, uint64_t b);

/* spec_fits checks the size of what is to be made. */
int spec_fits(struct generator *generator, uint64_t nodes, uint64_t switch_ports);

/* generate_node adds a node named by the format. Returns 0, -EINVAL or -ENOMEM. */
__attribute__((format(printf, 4, 5))) int generate_node(struct generator *generator,
							enum node_type type, unsigned int ports,
							const char *format, ...);

/* generate_cable cables two nodes by their numbers, in the order they were added. */
int generate_cable(struct generator *generator, uint64_t a, unsigned int port_a, uint64_t b,
		   unsigned int port_b);

#endif
