/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dragonflies, in the usual letters: groups of a switches, all cabled to each other, each with
 * p hosts and h cables to other groups. Every pair of groups has the same number of cables.
 */
#include <errno.h>
#include <stdlib.h>

#include "topology/generate.h"

struct dragonfly {
	unsigned int a, p, h, groups;
	uint64_t first_switch; /* the hosts come first */
};

static uint64_t switch_of(const struct dragonfly *fly, unsigned int group, unsigned int i)
{
	return fly->first_switch + (uint64_t)group * fly->a + i;
}

static int add_nodes(struct generator *generator, const struct dragonfly *fly)
{
	int error = 0;

	for (unsigned int group = 0; group < fly->groups; group++)
		for (unsigned int i = 0; i < fly->a; i++)
			for (unsigned int host = 0; !error && host < fly->p; host++)
				error = generate_node(generator, NODE_CA, 1, "host-%02u-%02u-%02u",
						      group, i, host);
	for (unsigned int group = 0; group < fly->groups; group++)
		for (unsigned int i = 0; !error && i < fly->a; i++)
			error = generate_node(generator, NODE_SWITCH, fly->a - 1 + fly->h + fly->p,
					      "switch-%02u-%02u", group, i);
	return error;
}

/*
 * cable_group cables the switches of a group. Ports 1 to a - 1 lead to the group's other switches,
 * in order; the next h out; the next p to hosts.
 */
static int cable_group(struct generator *generator, const struct dragonfly *fly, unsigned int group)
{
	int error = 0;

	for (unsigned int i = 0; i < fly->a; i++) {
		uint64_t here = switch_of(fly, group, i);

		for (unsigned int other = i + 1; !error && other < fly->a; other++)
			error = generate_cable(generator, here, other, switch_of(fly, group, other),
					       i + 1);
		for (unsigned int host = 0; !error && host < fly->p; host++)
			error = generate_cable(generator,
					       (here - fly->first_switch) * fly->p + host, 1, here,
					       fly->a + fly->h + host);
	}
	return error;
}

/* cable_pair cables two groups. The cables out of a group are dealt to its switches in turn. */
static int cable_pair(struct generator *generator, const struct dragonfly *fly, unsigned int from,
		      unsigned int to, unsigned int *used)
{
	unsigned int near = used[from]++, far = used[to]++;

	return generate_cable(generator, switch_of(fly, from, near % fly->a),
			      fly->a + near / fly->a, switch_of(fly, to, far % fly->a),
			      fly->a + far / fly->a);
}

static int cable_groups(struct generator *generator, const struct dragonfly *fly)
{
	unsigned int rounds = fly->groups > 1 ? fly->a * fly->h / (fly->groups - 1) : 0;
	unsigned int *used = calloc(fly->groups, sizeof(*used));
	int error = 0;

	if (!used) {
		spec_wrong(generator, "out of memory");
		return -ENOMEM;
	}
	for (; rounds; rounds--)
		for (unsigned int from = 0; from < fly->groups; from++)
			for (unsigned int to = from + 1; !error && to < fly->groups; to++)
				error = cable_pair(generator, fly, from, to, used);
	free(used);
	return error;
}

int generate_dragonfly(struct generator *generator, char *spec)
{
	struct dragonfly fly = { .p = 1, .h = 1 };
	struct spec_key keys[] = {
		{ "a", &fly.a, 1, BUILDER_MAX_PORTS, false },
		{ "p", &fly.p, 0, BUILDER_MAX_PORTS, false },
		{ "h", &fly.h, 0, BUILDER_MAX_PORTS, false },
		{ "groups", &fly.groups, 1, BUILDER_MAX_NODES, false },
	};
	int error = spec_read(generator, spec, keys, sizeof(keys) / sizeof(keys[0]), false);

	if (error)
		return error;
	if (!keys[0].given)
		return spec_wrong(generator, "a dragonfly needs \"a\", the switches of a group");
	if (!keys[3].given)
		fly.groups = fly.a * fly.h + 1;
	if (fly.groups > fly.a * fly.h + 1)
		return spec_wrong(generator,
				  "with these \"a\" and \"h\" there are at most %u groups",
				  fly.a * fly.h + 1);
	fly.first_switch = (uint64_t)fly.groups * fly.a * fly.p;
	error = spec_fits(generator, fly.first_switch + (uint64_t)fly.groups * fly.a,
			  (uint64_t)fly.a - 1 + fly.h + fly.p);
	if (!error)
		error = add_nodes(generator, &fly);
	for (unsigned int group = 0; !error && group < fly.groups; group++)
		error = cable_group(generator, &fly, group);
	return error ? error : cable_groups(generator, &fly);
}
