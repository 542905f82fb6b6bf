/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fat trees: two levels of any size, or the full tree of switches with one radix.
 *
 * The full tree of n levels, with k = radix / 2, is made of units. A unit of level 0 is a leaf
 * switch: k hosts below, k cables up. A unit of level l has k units of level l - 1 and, above
 * them, k^l switches, one for each of the cables that come up from each of those units. At the
 * top, 2k units hang under k^(n-1) switches, all of whose ports go down.
 */
#include <stdio.h>

#include "topology/generate.h"

#define MAX_LEVELS 8
#define MAX_HOSTS  BUILDER_MAX_PORTS

struct two_level {
	unsigned int leafs, spines, hosts, links;
};

static int add_hosts(struct generator *generator, uint64_t leafs, unsigned int hosts)
{
	for (unsigned int leaf = 0; leaf < leafs; leaf++) {
		for (unsigned int host = 0; host < hosts; host++) {
			int error =
				generate_node(generator, NODE_CA, 1, "host-%02u-%02u", leaf, host);

			if (error)
				return error;
		}
	}
	return 0;
}

static int add_switches(struct generator *generator, const char *level, uint64_t count,
			unsigned int ports)
{
	for (unsigned int i = 0; i < count; i++) {
		int error = generate_node(generator, NODE_SWITCH, ports, "%s-%02u", level, i);

		if (error)
			return error;
	}
	return 0;
}

/*
 * cable_hosts cables the hosts to the leaf switches. Hosts are numbered first, leaf by leaf; then
 * the leaf switches.
 */
static int cable_hosts(struct generator *generator, uint64_t leafs, unsigned int hosts,
		       unsigned int first_port)
{
	uint64_t first_leaf = leafs * hosts;
	int error = 0;

	for (uint64_t i = 0; !error && i < first_leaf; i++)
		error = generate_cable(generator, i, 1, first_leaf + i / hosts,
				       first_port + (unsigned int)(i % hosts));
	return error;
}

static int cable_leaf(struct generator *generator, const struct two_level *tree, unsigned int leaf)
{
	uint64_t first_leaf = (uint64_t)tree->leafs * tree->hosts;
	int error = 0;

	for (unsigned int spine = 0; spine < tree->spines; spine++)
		for (unsigned int link = 0; !error && link < tree->links; link++)
			error = generate_cable(
				generator, first_leaf + leaf, spine * tree->links + link + 1,
				first_leaf + tree->leafs + spine, leaf * tree->links + link + 1);
	return error;
}

/* Generates a tree of leafs and spines. Returns 0 or a negative errno. */
static int generate_two_level(struct generator *generator, const struct two_level *tree)
{
	uint64_t up = spec_times(tree->spines, tree->links);
	uint64_t down = spec_times(tree->leafs, tree->links);
	int error;

	error = spec_fits(generator, (uint64_t)tree->leafs * (tree->hosts + 1) + tree->spines,
			  up + tree->hosts);
	if (!error)
		error = spec_fits(generator, 0, down);
	if (!error)
		error = add_hosts(generator, tree->leafs, tree->hosts);
	if (!error)
		error = add_switches(generator, "leaf", tree->leafs,
				     (unsigned int)up + tree->hosts);
	if (!error)
		error = add_switches(generator, "spine", tree->spines, (unsigned int)down);
	if (!error)
		error = cable_hosts(generator, tree->leafs, tree->hosts, (unsigned int)up + 1);
	for (unsigned int leaf = 0; !error && leaf < tree->leafs; leaf++)
		error = cable_leaf(generator, tree, leaf);
	return error;
}

struct full {
	unsigned int radix, levels;
	unsigned int half;
	uint64_t per_level; /* switches in each level but the top one, which has half of that */
	uint64_t hosts;
};

/* cable_level cables the switches of one level with those of the next. */
static int cable_level(struct generator *generator, const struct full *tree, unsigned int level,
		       uint64_t switches_of_unit)
{
	uint64_t first = tree->hosts + level * tree->per_level;
	uint64_t above = first + tree->per_level;
	bool top = level + 2 == tree->levels;
	int error = 0;

	for (uint64_t i = 0; i < tree->per_level; i++) {
		uint64_t unit = i / switches_of_unit;

		for (unsigned int up = 0; !error && up < tree->half; up++) {
			uint64_t cable = i % switches_of_unit * tree->half + up;

			if (!top)
				cable += unit / tree->half * switches_of_unit * tree->half;
			error = generate_cable(generator, first + i, tree->half + up + 1,
					       above + cable,
					       (unsigned int)(top ? unit : unit % tree->half) + 1);
		}
	}
	return error;
}

static int add_full(struct generator *generator, const struct full *tree)
{
	char name[24];
	int error;

	error = add_hosts(generator, tree->hosts / tree->half, tree->half);
	for (unsigned int level = 0; !error && level < tree->levels; level++) {
		bool top = level + 1 == tree->levels;

		snprintf(name, sizeof(name), "level-%u", level);
		error = add_switches(generator, name, top ? tree->per_level / 2 : tree->per_level,
				     tree->radix);
	}
	return error;
}

/* generate_star makes a tree of one level: a switch with hosts on all its ports. */
static int generate_star(struct generator *generator, unsigned int radix)
{
	int error = add_hosts(generator, 1, radix);

	if (!error)
		error = add_switches(generator, "level-0", 1, radix);
	return error ? error : cable_hosts(generator, 1, radix, 1);
}

/* Generates a full tree of switches with one radix. Returns 0 or a negative errno. */
static int generate_full(struct generator *generator, struct full *tree)
{
	uint64_t switches_of_unit = 1;
	int error;

	if (tree->radix % 2)
		return spec_wrong(generator, "\"radix\" is an even number");
	if (tree->levels == 1)
		return generate_star(generator, tree->radix);
	tree->half = tree->radix / 2;
	tree->per_level = 2;
	for (unsigned int level = 1; level < tree->levels; level++)
		tree->per_level = spec_times(tree->per_level, tree->half);
	tree->hosts = spec_times(tree->per_level, tree->half);
	/* All levels hold no more switches than hosts times levels. */
	error = spec_fits(generator, tree->hosts, tree->radix);
	if (!error)
		error = spec_fits(generator, tree->hosts + tree->per_level * tree->levels, 1);
	if (!error)
		error = add_full(generator, tree);
	if (!error)
		error = cable_hosts(generator, tree->per_level, tree->half, 1);
	for (unsigned int level = 0; !error && level + 1 < tree->levels; level++) {
		error = cable_level(generator, tree, level, switches_of_unit);
		switches_of_unit *= tree->half;
	}
	return error;
}

int generate_fat_tree(struct generator *generator, char *spec)
{
	struct two_level two = { .links = 1 };
	struct full full = { .levels = 2 };
	struct spec_key keys[] = {
		{ "radix", &full.radix, 2, BUILDER_MAX_PORTS, false },
		{ "levels", &full.levels, 1, MAX_LEVELS, false },
		{ "leafs", &two.leafs, 1, BUILDER_MAX_PORTS, false },
		{ "spines", &two.spines, 1, BUILDER_MAX_PORTS, false },
		{ "hosts", &two.hosts, 0, MAX_HOSTS, false },
		{ "links", &two.links, 1, BUILDER_MAX_PORTS, false },
	};
	int error = spec_read(generator, spec, keys, sizeof(keys) / sizeof(keys[0]), false);
	bool by_radix = keys[0].given;

	if (error)
		return error;
	if (by_radix && !keys[2].given && !keys[3].given && !keys[4].given && !keys[5].given)
		return generate_full(generator, &full);
	if (!by_radix && !keys[1].given && keys[2].given && keys[3].given && keys[4].given)
		return generate_two_level(generator, &two);
	return spec_wrong(generator, "a fat tree has \"radix\" and \"levels\", or \"leafs\", "
				     "\"spines\", \"hosts\" and perhaps \"links\"");
}
