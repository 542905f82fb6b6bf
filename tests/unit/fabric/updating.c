/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Discoveries that look at some nodes of an earlier fabric again: they find what a discovery of the
 * whole fabric finds, with fewer queries, or doubt the result.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fake_fabric.h"

#define SEEDS  2000
#define LEAFS  6
#define SPINES 3

struct update {
	struct fake fake;
	struct discovery earlier, discovery;
	const struct madring_node *look_at[FAKE_NODES];
	size_t look_at_count;
};

/* Discovers the fabric as it is, as the earlier one. */
static void begin_update(struct update *update)
{
	update->look_at_count = 0;
	fake_discover(&update->fake, &update->earlier);
}

/* Names a node, if the earlier discovery found it. */
static void name_node(struct update *update, const struct fake_node *node)
{
	const struct madring_node *known =
		madring_fabric_node_by_guid(update->earlier.fabric, node->info.node_guid);

	for (size_t i = 0; i < update->look_at_count; i++)
		if (update->look_at[i] == known)
			return;
	if (known)
		update->look_at[update->look_at_count++] = known;
}

/* Looks at the nodes that are named. Returns how many queries that took. */
static size_t run_update(struct update *update)
{
	struct fake *fake = &update->fake;

	fake->asked = 0;
	fake->earlier = update->earlier.fabric;
	fake->look_at = update->look_at;
	fake->look_at_count = update->look_at_count;
	fake_discover(fake, &update->discovery);
	fake->earlier = NULL;
	return fake->asked;
}

static void end_update(struct update *update)
{
	fake_close(&update->discovery);
	fake_close(&update->earlier);
}

static int print_difference(void *user, const struct madring_difference *difference)
{
	char text[MADRING_DIFFERENCE_TEXT_BYTES];

	print_message("%s\n", madring_difference_text(difference, text));
	return 0;
}

/*
 * Expects that a discovery of the whole fabric finds the same. Returns how many queries that took.
 */
static size_t expect_same_as_whole(struct update *update)
{
	struct discovery whole;

	update->fake.asked = 0;
	fake_discover(&update->fake, &whole);
	assert_int_equal(madring_fabric_compare(whole.fabric, update->discovery.fabric,
						print_difference, NULL),
			 0);
	assert_int_equal(update->discovery.problems.count, whole.problems.count);
	assert_int_equal(update->discovery.fabric->node_count, whole.fabric->node_count);
	for (size_t i = 0; i < whole.fabric->node_count; i++) {
		const struct node *node = update->discovery.fabric->nodes[i];
		const struct node *same = whole.fabric->nodes[i];

		assert_int_equal(node->public.guid, same->public.guid);
		assert_int_equal(node->has_switch_info, same->has_switch_info);
		assert_memory_equal(&node->switch_info, &same->switch_info,
				    sizeof(node->switch_info));
	}
	fake_close(&whole);
	return update->fake.asked;
}

static void uncable(struct fake_node *node, uint8_t number)
{
	struct fake_port *port = &node->port[number];

	port->peer->port[port->peer_port] = (struct fake_port){ 0 };
	*port = (struct fake_port){ 0 };
}

static struct fake_node *leaf(struct update *update, unsigned int number)
{
	return fake_leaf(&update->fake, number);
}

static struct fake_node *spine(struct update *update, unsigned int number)
{
	return fake_spine(&update->fake, LEAFS, number);
}

static void change_nothing(struct update *update)
{
}

static void lose_host(struct update *update)
{
	uncable(leaf(update, 4), 1);
}

static void lose_link(struct update *update)
{
	uncable(leaf(update, 4), 2);
}

static void gain_link(struct update *update)
{
	fake_cable(leaf(update, 4), 6, spine(update, 1), 8);
}

static void gain_host(struct update *update)
{
	fake_cable(leaf(update, 4), 6, fake_add(&update->fake, MADRING_NODE_CA, 2, "new"), 2);
}

/* A switch with a host is new, and has another link to a spine. */
static void gain_switch(struct update *update)
{
	struct fake_node *new = fake_add(&update->fake, MADRING_NODE_SWITCH, 8, "new");

	fake_cable(leaf(update, 4), 6, new, 3);
	fake_cable(spine(update, 0), 8, new, 1);
	fake_cable(fake_add(&update->fake, MADRING_NODE_CA, 1, "new host"), 1, new, 2);
}

static void rename_host(struct update *update)
{
	strcpy(leaf(update, 4)->port[1].peer->description, "renamed");
	uncable(leaf(update, 4), 1);
	fake_cable(leaf(update, 4), 6, &update->fake.node[1 + LEAFS + SPINES + 3], 1);
}

static void replace_host(struct update *update)
{
	uncable(leaf(update, 4), 1);
	fake_cable(leaf(update, 4), 1, fake_add(&update->fake, MADRING_NODE_CA, 1, "other"), 1);
}

static void kill_host(struct update *update)
{
	leaf(update, 4)->port[1].peer->dead = true;
}

/* Changes at leaf 4 that are found by looking at it alone, and how many queries that takes. */
static const struct {
	const char *name;
	void (*change)(struct update *update);
	size_t most;
} changes[] = {
	{ "nothing", change_nothing, 28 },	 { "a host less", lose_host, 27 },
	{ "a link less", lose_link, 26 },	 { "a link more", gain_link, 29 },
	{ "a host more", gain_host, 31 },	 { "a switch more", gain_switch, 52 },
	{ "a host elsewhere", rename_host, 30 }, { "another host", replace_host, 30 },
	{ "a dead host", kill_host, 28 },
};

static void test_change_at_a_switch(void **state)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		for (uint64_t seed = 1; seed <= 50; seed++) {
			struct update update;
			size_t asked;

			fake_fat_tree(&update.fake, seed, LEAFS, SPINES);
			begin_update(&update);
			changes[i].change(&update);
			name_node(&update, leaf(&update, 4));
			asked = run_update(&update);
			assert_false(update.discovery.earlier.is_doubtful);
			if (asked > changes[i].most)
				fail_msg("%s, seed %d: %zu queries", changes[i].name, (int)seed,
					 asked);
			assert_true(expect_same_as_whole(&update) > 2 * asked);
			end_update(&update);
		}
	}
}

/* Moves a host from one leaf to another. */
static void move_host(struct update *update)
{
	struct fake_node *host = leaf(update, 4)->port[1].peer;

	uncable(leaf(update, 4), 1);
	fake_cable(leaf(update, 3), 6, host, 1);
}

/* Names the new place of a moved host, and its old one if @both. */
static void expect_moved_host(bool both)
{
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct update update;

		fake_fat_tree(&update.fake, seed, LEAFS, SPINES);
		begin_update(&update);
		move_host(&update);
		name_node(&update, leaf(&update, 3));
		if (both)
			name_node(&update, leaf(&update, 4));
		run_update(&update);
		assert_int_equal(update.discovery.earlier.is_doubtful, !both);
		assert_int_equal(discovery_complete(&update.discovery), both);
		if (both)
			expect_same_as_whole(&update);
		end_update(&update);
	}
}

static void test_moved_host(void **state)
{
	expect_moved_host(true);
}

/*
 * A host moved from switch A to B. An update of B alone finds it there, while the recalled link of
 * A contradicts what is found.
 */
static void test_contradiction_is_doubtful(void **state)
{
	expect_moved_host(false);
}

/* The only way to the host of leaf 1 is gone, or leads elsewhere, and nobody names its nodes. */
static void test_lost_way_is_doubtful(void **state)
{
	for (unsigned int elsewhere = 0; elsewhere < 2; elsewhere++) {
		struct update update;

		fake_fat_tree(&update.fake, 1, 2, 1);
		begin_update(&update);
		uncable(fake_leaf(&update.fake, 1), 2);
		if (elsewhere)
			fake_cable(fake_spine(&update.fake, 2, 0), 2,
				   fake_add(&update.fake, MADRING_NODE_SWITCH, 8, "other"), 2);
		name_node(&update, fake_leaf(&update.fake, 1)->port[1].peer);
		run_update(&update);
		assert_true(update.discovery.earlier.is_doubtful);
		end_update(&update);
	}
}

/* An update looks at nodes with problems again, whatever is named. */
static void test_problems_are_looked_at(void **state)
{
	struct update update;

	fake_fat_tree(&update.fake, 1, LEAFS, SPINES);
	leaf(&update, 4)->port[1].peer->dead = true;
	spine(&update, 1)->dead = true;
	begin_update(&update);
	assert_true(update.earlier.problems.count > 0);
	leaf(&update, 4)->port[1].peer->dead = false;
	spine(&update, 1)->dead = false;
	run_update(&update);
	assert_true(discovery_complete(&update.discovery));
	expect_same_as_whole(&update);
	end_update(&update);
}

static void test_all_switches(void **state)
{
	struct update update;
	size_t asked;

	fake_fat_tree(&update.fake, 1, LEAFS, SPINES);
	begin_update(&update);
	lose_link(&update);
	move_host(&update);
	update.fake.earlier = update.earlier.fabric;
	update.fake.look_at = NULL;
	update.fake.look_at_count = 0;
	update.fake.asked = 0;
	fake_discover(&update.fake, &update.discovery);
	asked = update.fake.asked;
	update.fake.earlier = NULL;
	assert_true(discovery_complete(&update.discovery));
	/* Hosts behind unchanged links are asked for NodeInfo only. */
	assert_int_equal(expect_same_as_whole(&update) - asked, 8);
	end_update(&update);
}

/* A fabric from a file lacks what ports support, and is as good otherwise. */
static void test_fabric_of_a_file(void **state)
{
	char name[] = "/tmp/madring-updating-XXXXXX";
	struct madring_fabric *loaded;
	struct update update;
	FILE *file;

	fake_fat_tree(&update.fake, 1, LEAFS, SPINES);
	for (unsigned int i = 0; i < update.fake.count; i++) {
		update.fake.node[i].speed = 4;
		update.fake.node[i].speed_ext = 2;
		update.fake.node[i].capability_mask = PORT_EXTENDED_SPEEDS;
	}
	begin_update(&update);
	file = fdopen(mkstemp(name), "w");
	assert_non_null(file);
	assert_int_equal(madring_fabric_save(update.earlier.fabric, file), 0);
	fclose(file);
	assert_int_equal(madring_fabric_load(name, &loaded, NULL), 0);
	unlink(name);
	fabric_free(update.earlier.fabric);
	update.earlier.fabric = loaded;
	lose_link(&update);
	name_node(&update, leaf(&update, 4));
	assert_true(run_update(&update) < 30);
	assert_true(discovery_complete(&update.discovery));
	expect_same_as_whole(&update);
	end_update(&update);
}

static void test_refused_nodes(void **state)
{
	struct earlier earlier;
	struct update update;
	struct discovery other;
	const struct madring_node *node;

	fake_fat_tree(&update.fake, 1, LEAFS, SPINES);
	begin_update(&update);
	fake_discover(&update.fake, &other);
	node = madring_fabric_node(other.fabric, 2);
	assert_int_equal(earlier_open(&earlier, update.earlier.fabric, &node, 1), -EINVAL);
	earlier_close(&earlier);
	node = NULL;
	assert_int_equal(earlier_open(&earlier, update.earlier.fabric, &node, 1), -EINVAL);
	earlier_close(&earlier);
	fake_close(&other);
	fake_close(&update.earlier);
}

/* Switches with random cables, and hosts at some of them; each port has at most one cable. */
static void build_random(struct fake *fake, uint64_t seed)
{
	unsigned int switches;

	fake_open(fake, seed);
	switches = (unsigned int)prng_range(&fake->prng, 2, 12);
	fake_add(fake, MADRING_NODE_CA, 2, "local");
	for (unsigned int i = 0; i < switches; i++)
		fake_add(fake, MADRING_NODE_SWITCH, 8, "switch");
	for (unsigned int i = 0; i < switches; i++)
		fake_add(fake,
			 prng_chance(&fake->prng, 900000) ? MADRING_NODE_CA : MADRING_NODE_ROUTER,
			 2, "end");
	fake_cable(fake->local, 1, &fake->node[1], 1);
}

/* Cables a free port of a random node to one of another, if there are. */
static bool add_random_cable(struct fake *fake, struct fake_node *ends[2])
{
	uint8_t numbers[2];

	for (unsigned int i = 0; i < 2; i++) {
		ends[i] = &fake->node[prng_below(&fake->prng, fake->count)];
		numbers[i] = (uint8_t)prng_range(&fake->prng, 1, ends[i]->info.port_count);
		if (ends[i]->port[numbers[i]].peer)
			return false;
	}
	if (ends[0] == ends[1] && numbers[0] == numbers[1])
		return false;
	if (ends[0]->info.type != MADRING_NODE_SWITCH && ends[1]->info.type != MADRING_NODE_SWITCH)
		return false;
	fake_cable(ends[0], numbers[0], ends[1], numbers[1]);
	return true;
}

static bool remove_random_cable(struct fake *fake, struct fake_node *ends[2])
{
	uint8_t number;

	ends[0] = &fake->node[prng_below(&fake->prng, fake->count)];
	number = (uint8_t)prng_range(&fake->prng, 1, ends[0]->info.port_count);
	ends[1] = ends[0]->port[number].peer;
	if (!ends[1])
		return false;
	uncable(ends[0], number);
	return true;
}

/*
 * Makes random changes. Names the switches at the ends of each cable, as their notices would, but
 * some of them only if @all is false.
 */
static void change_randomly(struct update *update, bool all)
{
	struct fake *fake = &update->fake;
	unsigned int count = (unsigned int)prng_range(&fake->prng, 1, 5);

	for (unsigned int change = 0; change < count;) {
		bool adds = prng_chance(&fake->prng, 500000);
		struct fake_node *ends[2];

		change++;
		if (adds ? !add_random_cable(fake, ends) : !remove_random_cable(fake, ends))
			continue;
		for (unsigned int i = 0; i < 2; i++)
			if (ends[i]->info.type == MADRING_NODE_SWITCH &&
			    (all || prng_chance(&fake->prng, 500000)))
				name_node(update, ends[i]);
	}
}

static void begin_random(struct update *update, uint64_t seed)
{
	struct fake_node *ends[2];

	build_random(&update->fake, seed);
	for (unsigned int i = 0; i < 8 * update->fake.count; i++)
		add_random_cable(&update->fake, ends);
	begin_update(update);
}

static void test_random_changes(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct update update;

		begin_random(&update, seed);
		change_randomly(&update, true);
		run_update(&update);
		if (update.discovery.earlier.is_doubtful)
			fail_msg("seed %d is doubtful", (int)seed);
		expect_same_as_whole(&update);
		end_update(&update);
	}
}

/* Expects that a node that was looked at is as in the whole fabric. */
static void expect_same_links(const struct update *update, const struct madring_node *known,
			      const struct madring_fabric *whole, uint64_t seed)
{
	const struct madring_node *now =
		madring_fabric_node_by_guid(update->discovery.fabric, known->guid);
	const struct madring_node *true_node = madring_fabric_node_by_guid(whole, known->guid);

	if (!now != !true_node)
		fail_msg("seed %d: node %#llx", (int)seed, (unsigned long long)known->guid);
	for (unsigned int p = 1; now && p <= now->port_count; p++) {
		const struct madring_node_port *peer = madring_node_port_by_number(now, p)->peer;
		const struct madring_node_port *true_peer =
			madring_node_port_by_number(true_node, p)->peer;

		if (!peer != !true_peer || (peer && (peer->node->guid != true_peer->node->guid ||
						     peer->number != true_peer->number)))
			fail_msg("seed %d: node %#llx port %u", (int)seed,
				 (unsigned long long)known->guid, p);
	}
}

/* An update that does not name all changes finds its nodes right, or doubts the result. */
static void test_unnamed_changes_are_found_or_doubted(void **state)
{
	unsigned int doubtful = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery whole;
		struct update update;

		begin_random(&update, seed);
		change_randomly(&update, false);
		run_update(&update);
		fake_discover(&update.fake, &whole);
		doubtful += update.discovery.earlier.is_doubtful;
		for (size_t i = 0;
		     !update.discovery.earlier.is_doubtful && i < update.look_at_count; i++)
			expect_same_links(&update, update.look_at[i], whole.fabric, seed);
		fake_close(&whole);
		end_update(&update);
	}
	print_message("%u of %u are doubtful\n", doubtful, SEEDS);
	assert_true(doubtful > 0 && doubtful < SEEDS / 2);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_change_at_a_switch),
	cmocka_unit_test(test_moved_host),
	cmocka_unit_test(test_contradiction_is_doubtful),
	cmocka_unit_test(test_lost_way_is_doubtful),
	cmocka_unit_test(test_problems_are_looked_at),
	cmocka_unit_test(test_all_switches),
	cmocka_unit_test(test_fabric_of_a_file),
	cmocka_unit_test(test_refused_nodes),
	cmocka_unit_test(test_random_changes),
	cmocka_unit_test(test_unnamed_changes_are_found_or_doubted),
};

TEST_MAIN(tests, NULL, NULL)
