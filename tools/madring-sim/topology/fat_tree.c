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
	unsigned int leaf, host;
	int ret;

	for (leaf = 0; leaf < leafs; leaf++) {
		for (host = 0; host < hosts; host++) {
			ret = generate_node(generator, NODE_CA, 1, "host-%02u-%02u", leaf, host);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int add_switches(struct generator *generator, const char *level, uint64_t count,
			unsigned int ports)
{
	unsigned int i;
	int ret;

	for (i = 0; i < count; i++) {
		ret = generate_node(generator, NODE_SWITCH, ports, "%s-%02u", level, i);
		if (ret)
			return ret;
	}
	return 0;
}

/* Hosts come first, leaf by leaf; then the leaf switches. */
static int cable_hosts(struct generator *generator, uint64_t leafs, unsigned int hosts,
		       unsigned int first_port)
{
	uint64_t first_leaf = leafs * hosts;
	uint64_t i;
	int ret = 0;

	for (i = 0; !ret && i < first_leaf; i++)
		ret = generate_cable(generator, i, 1, first_leaf + i / hosts,
				     first_port + (unsigned int)(i % hosts));
	return ret;
}

static int cable_leaf(struct generator *generator, const struct two_level *tree, unsigned int leaf)
{
	uint64_t first_leaf = (uint64_t)tree->leafs * tree->hosts;
	unsigned int spine, link;
	int ret = 0;

	for (spine = 0; spine < tree->spines; spine++)
		for (link = 0; !ret && link < tree->links; link++)
			ret = generate_cable(
				generator, first_leaf + leaf, spine * tree->links + link + 1,
				first_leaf + tree->leafs + spine, leaf * tree->links + link + 1);
	return ret;
}

static int generate_two_level(struct generator *generator, const struct two_level *tree)
{
	uint64_t up = spec_times(tree->spines, tree->links);
	uint64_t down = spec_times(tree->leafs, tree->links);
	unsigned int leaf;
	int ret;

	ret = spec_fits(generator, (uint64_t)tree->leafs * (tree->hosts + 1) + tree->spines,
			up + tree->hosts);
	if (!ret)
		ret = spec_fits(generator, 0, down);
	if (!ret)
		ret = add_hosts(generator, tree->leafs, tree->hosts);
	if (!ret)
		ret = add_switches(generator, "leaf", tree->leafs, (unsigned int)up + tree->hosts);
	if (!ret)
		ret = add_switches(generator, "spine", tree->spines, (unsigned int)down);
	if (!ret)
		ret = cable_hosts(generator, tree->leafs, tree->hosts, (unsigned int)up + 1);
	for (leaf = 0; !ret && leaf < tree->leafs; leaf++)
		ret = cable_leaf(generator, tree, leaf);
	return ret;
}

struct full {
	unsigned int radix, levels;
	unsigned int half;
	uint64_t per_level; /* switches in each level but the top one, which has half of that */
	uint64_t hosts;
};

/* The cables from the switches of one level to those of the next. */
static int cable_level(struct generator *generator, const struct full *tree, unsigned int level,
		       uint64_t switches_of_unit)
{
	uint64_t first = tree->hosts + level * tree->per_level;
	uint64_t above = first + tree->per_level;
	bool top = level + 2 == tree->levels;
	uint64_t i, unit, cable;
	unsigned int up;
	int ret = 0;

	for (i = 0; i < tree->per_level; i++) {
		unit = i / switches_of_unit;
		for (up = 0; !ret && up < tree->half; up++) {
			cable = i % switches_of_unit * tree->half + up;
			if (!top)
				cable += unit / tree->half * switches_of_unit * tree->half;
			ret = generate_cable(generator, first + i, tree->half + up + 1,
					     above + cable,
					     (unsigned int)(top ? unit : unit % tree->half) + 1);
		}
	}
	return ret;
}

static int add_full(struct generator *generator, const struct full *tree)
{
	char name[24];
	unsigned int level;
	int ret;

	ret = add_hosts(generator, tree->hosts / tree->half, tree->half);
	for (level = 0; !ret && level < tree->levels; level++) {
		bool top = level + 1 == tree->levels;

		snprintf(name, sizeof(name), "level-%u", level);
		ret = add_switches(generator, name, top ? tree->per_level / 2 : tree->per_level,
				   tree->radix);
	}
	return ret;
}

/* Tree of levels 1: one switch, with hosts on all its ports. */
static int generate_star(struct generator *generator, unsigned int radix)
{
	int ret = add_hosts(generator, 1, radix);

	if (!ret)
		ret = add_switches(generator, "level-0", 1, radix);
	return ret ? ret : cable_hosts(generator, 1, radix, 1);
}

static int generate_full(struct generator *generator, struct full *tree)
{
	uint64_t switches_of_unit = 1;
	unsigned int level;
	int ret;

	if (tree->radix % 2)
		return spec_wrong(generator, "\"radix\" is an even number");
	if (tree->levels == 1)
		return generate_star(generator, tree->radix);
	tree->half = tree->radix / 2;
	tree->per_level = 2;
	for (level = 1; level < tree->levels; level++)
		tree->per_level = spec_times(tree->per_level, tree->half);
	tree->hosts = spec_times(tree->per_level, tree->half);
	/* All levels hold no more switches than hosts times levels. */
	ret = spec_fits(generator, tree->hosts, tree->radix);
	if (!ret)
		ret = spec_fits(generator, tree->hosts + tree->per_level * tree->levels, 1);
	if (!ret)
		ret = add_full(generator, tree);
	if (!ret)
		ret = cable_hosts(generator, tree->per_level, tree->half, 1);
	for (level = 0; !ret && level + 1 < tree->levels; level++) {
		ret = cable_level(generator, tree, level, switches_of_unit);
		switches_of_unit *= tree->half;
	}
	return ret;
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
	int ret = spec_read(generator, spec, keys, sizeof(keys) / sizeof(keys[0]), false);
	bool by_radix = keys[0].given;

	if (ret)
		return ret;
	if (by_radix && !keys[2].given && !keys[3].given && !keys[4].given && !keys[5].given)
		return generate_full(generator, &full);
	if (!by_radix && !keys[1].given && keys[2].given && keys[3].given && keys[4].given)
		return generate_two_level(generator, &two);
	return spec_wrong(generator, "a fat tree has \"radix\" and \"levels\", or \"leafs\", "
				     "\"spines\", \"hosts\" and perhaps \"links\"");
}
