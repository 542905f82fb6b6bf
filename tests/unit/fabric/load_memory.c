/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * madring_fabric_load() fails cleanly at each allocation, those of json-c included: it returns a
 * whole fabric, or -ENOMEM and a text. Saving and comparing fabrics allocates nothing.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabric/public.h"
#include "unit/failing.h"

/* More hosts, and more ports of a switch, than their lists have room for at first. */
#define HOSTS 1100u
#define PORTS 70u

#define TEXT_BYTES (1u << 20)

static char file_text[TEXT_BYTES], again_text[TEXT_BYTES];
static char path[] = "/tmp/madring-load-memory-XXXXXX";

static int open_file(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	return unlink(path);
}

static void write_file(const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	fclose(out);
}

/* Writes a fabric as text. */
static void save(const struct madring_fabric *fabric, char text[TEXT_BYTES])
{
	FILE *out = fmemopen(text, TEXT_BYTES, "w");
	unsigned long calls = heap_calls;

	assert_non_null(out);
	assert_int_equal(madring_fabric_save(fabric, out), 0);
	assert_int_equal(heap_calls, calls);
	fclose(out);
}

/* Loads the file. Returns 0; or -ENOMEM, when the text says so and @fabric is untouched. */
static int load(struct madring_fabric **fabric)
{
	struct madring_fabric *const none = (struct madring_fabric *)path;
	char text[MADRING_LOAD_TEXT_BYTES] = "";
	int error;

	*fabric = none;
	error = madring_fabric_load(path, fabric, text);
	if (!error)
		return 0;
	assert_int_equal(error, -ENOMEM);
	assert_string_equal(text, "out of memory");
	assert_ptr_equal(*fabric, none);
	return error;
}

/* Fails each allocation in turn. Returns how many there are. */
static unsigned int fail_each(const struct madring_fabric *expected)
{
	long before = living_allocations;
	struct madring_fabric *fabric;
	unsigned int fail = 0;
	int error;

	do {
		fail_at = ++fail;
		error = load(&fabric);
		assert_int_equal(error, fail_at ? 0 : -ENOMEM);
		if (error)
			assert_int_equal(living_allocations, before);
	} while (error);
	fail_at = 0;
	save(fabric, again_text);
	assert_true(madring_fabric_is_complete(fabric));
	assert_int_equal(madring_fabric_compare(expected, fabric, NULL, NULL), 0);
	madring_fabric_free(fabric);
	assert_int_equal(living_allocations, before);
	return fail - 1;
}

/* The fabric of `plain` in a file with values that json-c parses. */
static const char strange[] =
	"{ \"new\": { \"a\": [ { \"b\": [ 1.5, \"\\\"\" ] } ] },\n"
	"\"nodes\": [\n"
	"{ \"guid\": \"0x1\", \"type\": \"s\\u0077itch\", \"description\": \"a \\\"switch\\\"\", "
	"\"name\": { \"a\": \"b\" }, \"revision\": { \"a\": 1 }, \"port_count\": 2, "
	"\"enhanced_port0\": { \"a\": true }, \"path\": [ { \"0\": 0 } ], \"ports\": [\n"
	"{ \"port\": 1, \"lid\": 2e0, \"state\": 4, \"physical_state\": 5, \"lmc\": { \"a\": 1 }, "
	"\"lid\": 7, \"peer\": { \"node_guid\": \"0\\u0078\\u0031\", \"port\": 2, "
	"\"new\": { \"a\": { \"b\": null } } } },\n"
	"{ \"port\": 2, \"lid\": 7, \"state\": 4, \"physical_state\": 5, \"width\": { \"a\": 1 }, "
	"\"peer\": { \"node_guid\": \"0x1\", \"port\": 1 } } ] } ],\n"
	"\"local\": { \"node_guid\": \"0x1\", \"port\": 1 } }\n";

static const char plain[] =
	"{ \"local\": { \"node_guid\": \"0x1\", \"port\": 1 }, \"nodes\": [ { \"guid\": \"0x1\", "
	"\"type\": \"switch\", \"description\": \"a \\\"switch\\\"\", \"port_count\": 2, "
	"\"path\": [ 0 ], \"ports\": [\n"
	"{ \"port\": 1, \"lid\": 7, \"state\": 4, \"physical_state\": 5, "
	"\"peer\": { \"node_guid\": \"0x1\", \"port\": 2 } },\n"
	"{ \"port\": 2, \"lid\": 7, \"state\": 4, \"physical_state\": 5, "
	"\"peer\": { \"node_guid\": \"0x1\", \"port\": 1 } } ] } ] }\n";

static void test_strange_file(void **state)
{
	struct madring_fabric *fabric;

	write_file(plain);
	assert_int_equal(load(&fabric), 0);
	write_file(strange);
	assert_true(fail_each(fabric) > 5);
	madring_fabric_free(fabric);
}

/* Checks that a file is refused, and why. */
static void check_refused(const char *why)
{
	char text[MADRING_LOAD_TEXT_BYTES] = "";
	struct madring_fabric *fabric;
	long before = living_allocations;

	assert_int_equal(madring_fabric_load(path, &fabric, text), -EINVAL);
	assert_non_null(strstr(text, why));
	assert_int_equal(living_allocations, before);
}

/* Writes a file with a CA that has so many ports, about which the file says nothing. */
static void write_empty_ports(unsigned int count)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs("{ \"nodes\": [ { \"guid\": \"0x1\", \"type\": \"ca\", \"port_count\": 1, "
	      "\"path\": [ 0 ], \"ports\": [",
	      out);
	for (unsigned int i = 0; i < count; i++)
		fputs(i ? ",{}" : "{}", out);
	fputs("] } ] }", out);
	fclose(out);
}

static void test_a_node_has_so_many_ports(void **state)
{
	write_empty_ports(255);
	check_refused("it has a port beyond the number of its node's");
	write_empty_ports(256);
	check_refused("it has a node with a list of more than 255 ports");
	write_empty_ports(300000);
	check_refused("it has a node with a list of more than 255 ports");
}

static void test_a_ca_has_no_enhanced_port(void **state)
{
	write_file("{ \"nodes\": [ { \"guid\": \"0x1\", \"type\": \"ca\", \"port_count\": 1, "
		   "\"enhanced_port0\": true, \"path\": [ 0 ], \"ports\": [ ] } ] }");
	check_refused("it has an enhanced port 0 that is no switch's");
}

static int write_port(char *at, unsigned int number, unsigned int peer_guid, unsigned int peer)
{
	return sprintf(at,
		       "%s{ \"port\": %u, \"lid\": 1, \"state\": 4, \"physical_state\": 5, "
		       "\"peer\": { \"node_guid\": \"0x%x\", \"port\": %u } }",
		       number > 1 ? ",\n" : "", number, peer_guid, peer);
}

/* Writes a fabric of one switch, and of hosts that are cabled in pairs. */
static void write_large_fabric(char *at)
{
	at += sprintf(at, "{ \"local\": { \"node_guid\": \"0x1\", \"port\": 1 }, \"nodes\": [\n"
			  "{ \"guid\": \"0x1\", \"type\": \"switch\", \"port_count\": 70, "
			  "\"path\": [ 0 ], \"ports\": [\n");
	for (unsigned int port = 1; port <= PORTS; port++)
		at += write_port(at, port, 1, PORTS + 1 - port);
	at += sprintf(at, "] }");
	for (unsigned int host = 0; host < HOSTS; host++) {
		at += sprintf(at,
			      ",\n{ \"guid\": \"0x%x\", \"type\": \"ca\", \"port_count\": 1, "
			      "\"path\": [ 0, 1 ], \"ports\": [ ",
			      host + 2);
		at += write_port(at, 1, (host ^ 1) + 2, 1);
		at += sprintf(at, " ] }");
	}
	sprintf(at, "\n] }\n");
}

/* A saved fabric is loaded as it was saved. */
static void test_large_fabric(void **state)
{
	struct madring_fabric *fabric;

	write_large_fabric(file_text);
	write_file(file_text);
	assert_int_equal(load(&fabric), 0);
	assert_int_equal(madring_fabric_node_count(fabric), HOSTS + 1);
	save(fabric, file_text);
	write_file(file_text);
	assert_true(fail_each(fabric) > HOSTS + 1);
	assert_string_equal(again_text, file_text);
	madring_fabric_free(fabric);
}

static int count_difference(void *user, const struct madring_difference *difference)
{
	char text[MADRING_DIFFERENCE_TEXT_BYTES];

	assert_true(*madring_difference_text(difference, text));
	++*(unsigned int *)user;
	return 0;
}

static void test_comparing_allocates_nothing(void **state)
{
	struct madring_fabric *small, *large;
	unsigned int count = 0;
	unsigned long calls;

	write_file(plain);
	assert_int_equal(load(&small), 0);
	write_large_fabric(file_text);
	write_file(file_text);
	assert_int_equal(load(&large), 0);
	calls = heap_calls;
	assert_int_equal(madring_fabric_compare(large, large, count_difference, &count), 0);
	assert_true(madring_fabric_compare(small, large, count_difference, &count) > 0);
	/* Each host is new, the switch has changed, and most links are new. */
	assert_true(count > HOSTS + 3 + HOSTS / 2);
	assert_int_equal(heap_calls, calls);
	madring_fabric_free(large);
	madring_fabric_free(small);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_strange_file),
	cmocka_unit_test(test_a_node_has_so_many_ports),
	cmocka_unit_test(test_a_ca_has_no_enhanced_port),
	cmocka_unit_test(test_large_fabric),
	cmocka_unit_test(test_comparing_allocates_nothing),
};

TEST_MAIN(tests, open_file, remove_file)
