/* SPDX-License-Identifier: BSD-2-Clause */
/* madring_fabric_compare() reports each kind of difference, in one order, whatever came first. */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_fabric.h"

#define SEEDS 50

/* The nodes by their places in the fake. */
enum { HOST, A, B, TAIL };

/* host[1] - a[1]   a[2] - b[2]   a[3] - b[3]   b[4] - tail[1] */
static void build(struct fake *fake, uint64_t seed)
{
	struct fake_node *a, *b;

	fake_open(fake, seed);
	fake_add(fake, MADRING_NODE_CA, 1, "host");
	a = fake_add(fake, MADRING_NODE_SWITCH, 8, "a");
	b = fake_add(fake, MADRING_NODE_SWITCH, 8, "b");
	fake_add(fake, MADRING_NODE_CA, 2, "tail");
	fake_cable(&fake->node[HOST], 1, a, 1);
	fake_cable(a, 2, b, 2);
	fake_cable(a, 3, b, 3);
	fake_cable(b, 4, &fake->node[TAIL], 1);
}

static void uncable(struct fake_node *node, uint8_t number)
{
	struct fake_port *port = &node->port[number];

	port->peer->port[port->peer_port] = (struct fake_port){ 0 };
	*port = (struct fake_port){ 0 };
}

static void change_nothing(struct fake *fake)
{
}

static void lose_tail(struct fake *fake)
{
	uncable(&fake->node[B], 4);
}

static void add_node(struct fake *fake)
{
	fake_cable(&fake->node[B], 5, fake_add(fake, MADRING_NODE_ROUTER, 2, "router"), 2);
}

static void move_cable(struct fake *fake)
{
	uncable(&fake->node[A], 3);
	fake_cable(&fake->node[A], 3, &fake->node[B], 6);
}

static void change_node(struct fake *fake)
{
	struct fake_node *tail = &fake->node[TAIL];

	strcpy(tail->description, "head");
	tail->info.device_id = 0x1003;
	tail->info.vendor_id = 0x15b3;
	tail->info.system_guid = 0x9;
	tail->info.port_count = 1;
}

static void change_type(struct fake *fake)
{
	fake->node[TAIL].info.type = MADRING_NODE_ROUTER;
}

/* The link that is changed at one end shows at both. */
static void change_width_and_speed(struct fake *fake)
{
	fake->node[TAIL].width = 1;
	fake->node[TAIL].speed = 4;
	fake->node[TAIL].info.port_guid = 0x480;
}

static const char gone_tail[] = "switch 0x0000000000000300 \"b\" port 4: state down, was active\n"
				"switch 0x0000000000000300 \"b\" port 4: physical_state polling, "
				"was link up\n"
				"ca 0x0000000000000400 \"tail\" is gone\n"
				"link from switch 0x0000000000000300 \"b\" port 4 to "
				"ca 0x0000000000000400 \"tail\" port 1 is gone\n";

static const struct {
	void (*change)(struct fake *fake);
	int count;
	const char *text;
} changes[] = {
	{ change_nothing, 0, "" },
	{ lose_tail, 4, gone_tail },
	{ add_node, 4,
	  "switch 0x0000000000000300 \"b\" port 5: state active, was down\n"
	  "switch 0x0000000000000300 \"b\" port 5: physical_state link up, was polling\n"
	  "router 0x0000000000000500 \"router\" is new\n"
	  "link from switch 0x0000000000000300 \"b\" port 5 to router 0x0000000000000500 "
	  "\"router\" port 2 is new\n" },
	{ move_cable, 6,
	  "switch 0x0000000000000300 \"b\" port 3: state down, was active\n"
	  "switch 0x0000000000000300 \"b\" port 3: physical_state polling, was link up\n"
	  "switch 0x0000000000000300 \"b\" port 6: state active, was down\n"
	  "switch 0x0000000000000300 \"b\" port 6: physical_state link up, was polling\n"
	  "link from switch 0x0000000000000200 \"a\" port 3 to switch 0x0000000000000300 \"b\" "
	  "port 3 is gone\n"
	  "link from switch 0x0000000000000200 \"a\" port 3 to switch 0x0000000000000300 \"b\" "
	  "port 6 is new\n" },
	{ change_node, 5,
	  "ca 0x0000000000000400 \"head\": description head, was tail\n"
	  "ca 0x0000000000000400 \"head\": system_guid 0x9, was 0x400\n"
	  "ca 0x0000000000000400 \"head\": vendor_id 0x15b3, was 0x2c9\n"
	  "ca 0x0000000000000400 \"head\": device_id 0x1003, was 0x0\n"
	  "ca 0x0000000000000400 \"head\": port_count 1, was 2\n" },
	{ change_type, 1, "router 0x0000000000000400 \"tail\": type router, was ca\n" },
	{ change_width_and_speed, 3,
	  "ca 0x0000000000000400 \"tail\" port 1: guid 0x481, was 0x401\n"
	  "ca 0x0000000000000400 \"tail\" port 1: width 1x, was 4x\n"
	  "ca 0x0000000000000400 \"tail\" port 1: speed QDR, was SDR\n" },
};

static int write_text(void *user, const struct madring_difference *difference)
{
	char text[MADRING_DIFFERENCE_TEXT_BYTES];

	fprintf(user, "%s\n", madring_difference_text(difference, text));
	return 0;
}

static void check_differences(const struct madring_fabric *old, const struct madring_fabric *now,
			      int count, const char *expected)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(madring_fabric_compare(old, now, write_text, out), count);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	assert_int_equal(madring_fabric_compare(old, now, NULL, NULL), count);
}

static void test_every_kind_of_change(void **state)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct discovery old, now;
			struct fake fake;

			build(&fake, seed);
			fake_discover(&fake, &old);
			changes[i].change(&fake);
			fake_discover(&fake, &now);
			check_differences(old.fabric, now.fabric, changes[i].count,
					  changes[i].text);
			fake_close(&now);
			fake_close(&old);
		}
}

/* Returns @fabric as it comes back from a file. */
static struct madring_fabric *save_and_load(const struct madring_fabric *fabric)
{
	char path[] = "/tmp/madring-comparing-XXXXXX", text[MADRING_LOAD_TEXT_BYTES];
	struct madring_fabric *loaded;
	int fd = mkstemp(path);
	FILE *out = fdopen(fd, "w");

	assert_non_null(out);
	assert_int_equal(madring_fabric_save(fabric, out), 0);
	fclose(out);
	assert_int_equal(madring_fabric_load(path, &loaded, text), 0);
	unlink(path);
	return loaded;
}

static void test_file_keeps_compared_values(void **state)
{
	struct madring_fabric *loaded;
	struct discovery old, now;
	struct port *port;
	struct fake fake;

	build(&fake, 1);
	fake_discover(&fake, &old);
	fake_discover(&fake, &now);
	port = &fabric_find(now.fabric, 0x300)->port[0];
	port->public.lmc = 3;
	port->info.lid = 8;
	port_combine(port);
	port = &fabric_find(now.fabric, 0x100)->port[1];
	port->public.vl_cap = 2;
	port->public.known = true;
	port_combine(port);
	fabric_find(now.fabric, 0x200)->public.revision = 7;
	fabric_find(now.fabric, 0x200)->public.enhanced_port0 = false;
	loaded = save_and_load(now.fabric);
	check_differences(loaded, now.fabric, 0, "");
	check_differences(old.fabric, loaded, 5,
			  "ca 0x0000000000000100 \"host\" port 1: vl_cap 2, was 4\n"
			  "switch 0x0000000000000200 \"a\": revision 0x7, was 0x0\n"
			  "switch 0x0000000000000200 \"a\": enhanced_port0 0, was 1\n"
			  "switch 0x0000000000000300 \"b\" port 0: lid 8, was 3\n"
			  "switch 0x0000000000000300 \"b\" port 0: lmc 3, was 0\n");
	madring_fabric_free(loaded);
	fake_close(&now);
	fake_close(&old);
}

static void test_a_port_without_port_info(void **state)
{
	struct discovery old, now;
	struct port *port;
	struct fake fake;

	build(&fake, 1);
	fake_discover(&fake, &old);
	fake_discover(&fake, &now);
	port = &fabric_find(now.fabric, 0x300)->port[4];
	port->public.known = false;
	port->info = (struct port_info){ 0 };
	port->public = (struct madring_node_port){
		.node = port->public.node,
		.peer = port->public.peer,
		.guid = port->public.guid,
		.number = port->public.number,
		.found = port->public.found,
	};
	port_combine(port);
	check_differences(old.fabric, now.fabric, 1,
			  "switch 0x0000000000000300 \"b\" port 4: known no, was yes\n");
	fake_close(&now);
	fake_close(&old);
}

static int check_link_and_stop(void *user, const struct madring_difference *difference)
{
	int *calls = user;

	if (difference->kind != MADRING_DIFFERENCE_LINK_GONE)
		return 0;
	assert_ptr_equal(difference->old_node, difference->old_port->node);
	assert_int_equal(difference->old_port->number, 4);
	assert_int_equal(difference->old_port->peer->node->guid, 0x400);
	assert_null(difference->node);
	assert_null(difference->port);
	assert_null(difference->value);
	++*calls;
	return -ECANCELED;
}

static void test_callback_ends_the_comparison(void **state)
{
	struct discovery old, now;
	struct fake fake;
	int calls = 0;

	build(&fake, 1);
	fake_discover(&fake, &old);
	lose_tail(&fake);
	add_node(&fake);
	fake_discover(&fake, &now);
	assert_int_equal(
		madring_fabric_compare(old.fabric, now.fabric, check_link_and_stop, &calls),
		-ECANCELED);
	assert_int_equal(calls, 1);
	fake_close(&now);
	fake_close(&old);
}

static void test_names(void **state)
{
	assert_string_equal(madring_difference_name(MADRING_DIFFERENCE_NODE_GONE), "node_gone");
	assert_string_equal(madring_difference_name(MADRING_DIFFERENCE_NODE_ADDED), "node_added");
	assert_string_equal(madring_difference_name(MADRING_DIFFERENCE_NODE_CHANGED),
			    "node_changed");
	assert_string_equal(madring_difference_name(MADRING_DIFFERENCE_PORT_CHANGED),
			    "port_changed");
	assert_string_equal(madring_difference_name(MADRING_DIFFERENCE_LINK_GONE), "link_gone");
	assert_string_equal(madring_difference_name(MADRING_DIFFERENCE_LINK_ADDED), "link_added");
	assert_string_equal(madring_difference_name((enum madring_difference_kind)99), "unknown");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_kind_of_change),
	cmocka_unit_test(test_file_keeps_compared_values),
	cmocka_unit_test(test_a_port_without_port_info),
	cmocka_unit_test(test_callback_ends_the_comparison),
	cmocka_unit_test(test_names),
};

TEST_MAIN(tests, NULL, NULL)
