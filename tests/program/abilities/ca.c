/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices and ports: on nodes of a simulated fabric, where libibumad itself is asked beside
 * madring, and on machines made up of several HCAs.
 */
#include "abilities_local.h"
#include "machine.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOWN   1
#define INIT   2
#define ACTIVE 4

#define POLLING 2
#define LINK_UP 5

#define CA     1
#define SWITCH 2

#define GUID(n) (0x0002c90300001000ull + (n))

static void expect_port(const struct madring_ca_port *port, const umad_port_t *expected)
{
	assert_string_equal(port->ca_name, expected->ca_name);
	assert_int_equal(port->number, expected->portnum);
	assert_int_equal(port->lid, expected->base_lid);
	assert_int_equal(port->lmc, expected->lmc);
	assert_int_equal(port->sm_lid, expected->sm_lid);
	assert_int_equal(port->sm_sl, expected->sm_sl);
	assert_int_equal(port->state, expected->state);
	assert_int_equal(port->phys_state, expected->phys_state);
	assert_int_equal(port->rate, expected->rate);
	assert_int_equal(port->capability_mask, be32toh(expected->capmask));
	assert_int_equal(port->gid_prefix, be64toh(expected->gid_prefix));
	assert_int_equal(port->guid, be64toh(expected->port_guid));
	assert_memory_equal(port->gid, &expected->gid_prefix, 8);
	assert_memory_equal(port->gid + 8, &expected->port_guid, 8);
	assert_string_equal(port->link_layer, expected->link_layer);
	assert_int_equal(port->pkey_count, expected->pkeys_size);
	assert_memory_equal(port->pkeys, expected->pkeys, 2 * expected->pkeys_size);
}

/* Checks that what a subnet manager sets of a port can be read alone. */
static void expect_link(const struct madring_ca_port *port)
{
	struct madring_ca_port *link;

	assert_int_equal(madring_ca_port_get_link(port->ca_name, (int)port->number, &link), 0);
	assert_string_equal(link->ca_name, port->ca_name);
	assert_int_equal(link->number, port->number);
	assert_int_equal(link->lid, port->lid);
	assert_int_equal(link->lmc, port->lmc);
	assert_int_equal(link->state, port->state);
	assert_int_equal(link->sm_lid, port->sm_lid);
	assert_int_equal(link->sm_sl, port->sm_sl);
	assert_memory_equal(link->gid, port->gid, sizeof(port->gid));
	assert_int_equal(link->pkey_count, 0);
	assert_int_equal(link->rate, 0);
	madring_ca_port_release(link);
}

/* Requires that a device, and each of its ports by itself, is as libibumad has it. */
static void expect_ca(const char *name)
{
	unsigned int ports = 0;
	struct madring_ca *ca;
	umad_ca_t expected = { 0 };

	assert_int_equal(umad_get_ca(name, &expected), 0);
	assert_int_equal(madring_ca_get(name, &ca), 0);
	assert_string_equal(ca->name, expected.ca_name);
	assert_int_equal(ca->node_type, expected.node_type);
	assert_string_equal(ca->firmware, expected.fw_ver);
	assert_string_equal(ca->type, expected.ca_type);
	assert_string_equal(ca->hardware, expected.hw_ver);
	assert_int_equal(ca->node_guid, be64toh(expected.node_guid));
	assert_int_equal(ca->system_guid, be64toh(expected.system_guid));
	for (int i = 0; i <= expected.numports; i++) {
		struct madring_ca_port *port;

		if (!expected.ports[i])
			continue;
		assert_true(ports < ca->port_count);
		expect_port(ca->ports[ports++], expected.ports[i]);
		assert_int_equal(madring_ca_port_get(ca->name, i, &port), 0);
		expect_port(port, expected.ports[i]);
		expect_link(port);
		madring_ca_port_release(port);
	}
	assert_int_equal(ca->port_count, ports);
	madring_ca_release(ca);
	umad_release_ca(&expected);
}

static void test_each_node_has_its_own_device(void **state)
{
	static const char *const nodes[] = { "host1", "host2", "switch1" };
	uint64_t guids[3] = { 0 };

	for (unsigned int i = 0; i < 3; i++) {
		char names[2][MADRING_CA_NAME_BYTES], umad_names[2][UMAD_CA_NAME_LEN];
		struct madring_ca *ca;

		setenv("SIM_HOST", nodes[i], 1);
		assert_int_equal(madring_ca_names(names, 2), 1);
		assert_int_equal(umad_get_cas_names(umad_names, 2), 1);
		assert_string_equal(names[0], umad_names[0]);
		expect_ca(names[0]);
		assert_int_equal(madring_ca_get(NULL, &ca), 0);
		guids[i] = ca->node_guid;
		assert_int_equal(ca->node_type, i == 2 ? SWITCH : CA);
		assert_int_equal(ca->port_count, i == 0 ? 2 : 1);
		assert_int_equal(ca->ports[0]->number, i == 2 ? 0 : 1);
		madring_ca_release(ca);
	}
	unsetenv("SIM_HOST");
	assert_true(guids[0] && guids[0] != guids[1] && guids[1] != guids[2]);
}

/* The devices are those of the machine that the test runs on. */
static void test_devices_are_as_in_libibumad(void **state)
{
	char names[UMAD_MAX_DEVICES][MADRING_CA_NAME_BYTES];
	char umad_names[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN];
	int count = madring_ca_names(names, UMAD_MAX_DEVICES);

	assert_true(count > 0);
	assert_int_equal(umad_get_cas_names(umad_names, UMAD_MAX_DEVICES), count);
	for (int i = 0; i < count; i++) {
		assert_string_equal(names[i], umad_names[i]);
		expect_ca(names[i]);
	}
}

static void add(const char *ca, unsigned int number, uint64_t guid, unsigned int port_state,
		unsigned int phys_state, int umad)
{
	machine_add_port(&(struct machine_port){
		.ca = ca,
		.number = number,
		.guid = guid,
		.state = port_state,
		.phys_state = phys_state,
		.umad = umad,
	});
}

/*
 * Makes a machine. mlx5_0: port 1 down, port 2 up. mlx5_1: a RoCE port. mthca0: port 1 down, port 2
 * active.
 */
static int open_machine(void **state)
{
	machine_open();
	machine_add_ca("mthca0", CA, GUID(0x20));
	add("mthca0", 1, GUID(0x21), DOWN, POLLING, 4);
	add("mthca0", 2, GUID(0x22), ACTIVE, LINK_UP, 3);
	machine_add_ca("mlx5_1", CA, GUID(0x10));
	machine_add_port(&(struct machine_port){
		.ca = "mlx5_1",
		.number = 1,
		.guid = GUID(0x11),
		.state = ACTIVE,
		.phys_state = LINK_UP,
		.link_layer = "Ethernet",
		.umad = 2,
	});
	machine_add_ca("mlx5_0", CA, GUID(0));
	add("mlx5_0", 1, GUID(1), DOWN, POLLING, 0);
	add("mlx5_0", 2, GUID(2), INIT, LINK_UP, 1);
	return 0;
}

static int close_machine(void **state)
{
	machine_close();
	return 0;
}

static void test_names_are_in_order(void **state)
{
	char names[4][MADRING_CA_NAME_BYTES];

	memset(names, 'x', sizeof(names));
	assert_int_equal(madring_ca_names(names, 4), 3);
	assert_string_equal(names[0], "mlx5_0");
	assert_string_equal(names[1], "mlx5_1");
	assert_string_equal(names[2], "mthca0");
	assert_int_equal(names[3][0], 'x');

	memset(names, 'x', sizeof(names));
	assert_int_equal(madring_ca_names(names, 1), 3);
	assert_string_equal(names[0], "mlx5_0");
	assert_int_equal(names[1][0], 'x');
	assert_int_equal(madring_ca_names(NULL, 0), 3);
}

static void test_attributes(void **state)
{
	struct madring_ca_port *port;

	expect_ca("mlx5_0");
	expect_ca("mlx5_1");
	expect_ca("mthca0");
	assert_int_equal(madring_ca_port_get("mthca0", 2, &port), 0);
	assert_int_equal(port->lid, 0x1234);
	assert_int_equal(port->lmc, 2);
	assert_int_equal(port->sm_lid, 0x11);
	assert_int_equal(port->sm_sl, 3);
	assert_int_equal(port->rate, 100);
	assert_int_equal(port->state, ACTIVE);
	assert_int_equal(port->phys_state, LINK_UP);
	assert_int_equal(port->guid, GUID(0x22));
	assert_int_equal(port->gid_prefix, 0xfe80000000000001);
	assert_memory_equal(port->gid, "\xfe\x80\0\0\0\0\0\1\0\2\xc9\3\0\0\x10\x22", 16);
	assert_string_equal(port->link_layer, "InfiniBand");
	assert_int_equal(port->pkey_count, 3);
	assert_int_equal(port->pkeys[0], 0xffff);
	assert_int_equal(port->pkeys[1], 0x8001);
	assert_int_equal(port->pkeys[2], 0);
	madring_ca_port_release(port);
	madring_ca_port_release(NULL);
	madring_ca_release(NULL);
}

/*
 * Requires that the default rule, with what is given, leads to this port, and libibumad's own to
 * the same.
 */
static void expect_found(const char *ca_name, int portnum, const char *expected, int number)
{
	struct madring_ca_port *port;
	umad_port_t umad = { 0 };

	assert_int_equal(madring_ca_port_get(ca_name, portnum, &port), 0);
	assert_string_equal(port->ca_name, expected);
	assert_int_equal(port->number, number);
	assert_int_equal(umad_get_port(ca_name, portnum, &umad), 0);
	expect_port(port, &umad);
	umad_release_port(&umad);
	madring_ca_port_release(port);
}

static void test_the_default_port(void **state)
{
	struct madring_ca *ca;

	/* The first that is active, and not Ethernet. */
	expect_found(NULL, 0, "mthca0", 2);
	assert_int_equal(madring_ca_get(NULL, &ca), 0);
	assert_string_equal(ca->name, "mthca0");
	madring_ca_release(ca);
	/* Name and number are filters, and the rest is by the rule. */
	expect_found("mlx5_0", 0, "mlx5_0", 2);
	expect_found("mthca0", 0, "mthca0", 2);
	expect_found(NULL, 2, "mthca0", 2);
	expect_found("mlx5_0", 1, "mlx5_0", 1);
	/* If there is no other, the port may be Ethernet. */
	expect_found("mlx5_1", 0, "mlx5_1", 1);
	/* If no port is active, the first that is up is chosen. */
	machine_remove("infiniband/mthca0");
	expect_found(NULL, 0, "mlx5_0", 2);
}

static void test_missing_devices_and_ports(void **state)
{
	struct madring_ca_port *port = NULL;
	struct madring_ca_pair pair;
	struct madring_ca *ca = NULL;
	char path[64];

	assert_int_equal(madring_ca_get("mlx4_0", &ca), -ENODEV);
	assert_int_equal(madring_ca_port_get("mlx4_0", 1, &port), -ENODEV);
	assert_int_equal(madring_ca_port_get("mlx5_0", 3, &port), -ENXIO);
	assert_int_equal(madring_ca_port_get("mlx5_0", 1000, &port), -ENXIO);
	assert_int_equal(madring_ca_port_get(NULL, 3, &port), -ENXIO);
	assert_int_equal(madring_ca_port_get("mlx5_0", -1, &port), -EINVAL);
	assert_int_equal(madring_ca_get("a_name_that_is_too_long", &ca), -EINVAL);
	assert_int_equal(madring_ca_port_get("a_name_that_is_too_long", 1, &port), -EINVAL);
	assert_int_equal(madring_ca_port_guids("mlx4_0", NULL, 0), -ENODEV);
	assert_int_equal(madring_ca_get_pair("mlx5_0", 3, &pair), -ENXIO);

	machine_remove("infiniband/mlx5_0/ports/2/lid");
	assert_int_equal(madring_ca_get("mlx5_0", &ca), -EIO);
	assert_int_equal(madring_ca_port_get("mlx5_0", 2, &port), -EIO);
	machine_remove("infiniband");
	assert_int_equal(madring_ca_names(NULL, 0), 0);
	assert_int_equal(madring_ca_get(NULL, &ca), -ENODEV);
	assert_int_equal(madring_ca_port_get(NULL, 0, &port), -ENODEV);
	assert_int_equal(madring_ca_issm_path(NULL, 0, path, sizeof(path)), -ENODEV);
	assert_int_equal(madring_ca_pairs(NULL, 0), 0);
	assert_null(ca);
	assert_null(port);
}

/*
 * When a device is removed, the files of its table of P_Keys go one by one, in any order. If a
 * file's number is not below the count of files, others are missing: that is no table, and nothing
 * is stored at that number.
 */
static void test_pkeys_that_are_missing(void **state)
{
	static const char *const names[] = { "2", "127", "65535", "4000000000" };
	struct madring_ca_port *port = NULL;
	struct madring_ca *ca = NULL;
	char path[64];

	machine_remove("infiniband/mthca0/ports/2/pkeys/1");
	machine_remove("infiniband/mthca0/ports/2/pkeys/2");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		machine_add_pkey("mthca0", 2, names[i], 0x8001);
		assert_int_equal(madring_ca_port_get("mthca0", 2, &port), -EIO);
		assert_int_equal(madring_ca_port_get("mthca0", 0, &port), -EIO);
		assert_int_equal(madring_ca_get("mthca0", &ca), -EIO);
		snprintf(path, sizeof(path), "infiniband/mthca0/ports/2/pkeys/%s", names[i]);
		machine_remove(path);
	}
	assert_int_equal(madring_ca_port_get("mthca0", 2, &port), 0);
	assert_int_equal(port->pkey_count, 1);
	madring_ca_port_release(port);
	machine_remove("infiniband/mthca0/ports/2/pkeys/0");
	assert_int_equal(madring_ca_port_get("mthca0", 2, &port), -EIO);
	/* A port of another device is the default then. */
	expect_found(NULL, 0, "mlx5_0", 2);
	machine_remove("infiniband_mad/umad3");
	machine_remove("infiniband_mad/umad4");
	assert_int_equal(madring_ca_port_get("mthca0", 2, &port), -ENODEV);
}

#define PKEYS  128u
#define ROUNDS 50u

static void name_pkey(char name[2][64], unsigned int index)
{
	snprintf(name[0], 64, "infiniband/mthca0/ports/2/pkeys/%u", index);
	snprintf(name[1], 64, "infiniband/mthca0/%u", index);
}

/* Takes the P_Keys away and brings them back, out of order, until it is told to stop. */
static void *move_pkeys(void *stop)
{
	char name[2][64];

	while (!atomic_load((atomic_bool *)stop)) {
		for (unsigned int i = 0; i < PKEYS; i++) {
			name_pkey(name, i * 37 % PKEYS);
			machine_rename(name[0], name[1]);
		}
		for (unsigned int i = 0; i < PKEYS; i++) {
			name_pkey(name, i * 53 % PKEYS);
			machine_rename(name[1], name[0]);
		}
	}
	return NULL;
}

static void test_pkeys_vanish_while_they_are_read(void **state)
{
	atomic_bool stop = false;
	pthread_t thread;
	char name[16];

	for (unsigned int i = 0; i < PKEYS; i++) {
		snprintf(name, sizeof(name), "%u", i);
		machine_add_pkey("mthca0", 2, name, (uint16_t)(0x8000 | i));
	}
	assert_int_equal(pthread_create(&thread, NULL, move_pkeys, &stop), 0);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		struct madring_ca_port *port;
		int error = madring_ca_port_get("mthca0", 2, &port);

		if (error) {
			assert_int_equal(error, -EIO);
			continue;
		}
		assert_in_range(port->pkey_count, 1, PKEYS);
		for (unsigned int i = 0; i < port->pkey_count; i++)
			assert_int_equal(port->pkeys[i], 0x8000 | i);
		madring_ca_port_release(port);
	}
	atomic_store(&stop, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void test_port_guids(void **state)
{
	uint64_t guids[4] = { 7, 7, 7, 7 };
	__be64 expected[UMAD_CA_MAX_PORTS];

	assert_int_equal(madring_ca_port_guids("mlx5_0", guids, 4), 3);
	assert_int_equal(umad_get_ca_portguids("mlx5_0", expected, UMAD_CA_MAX_PORTS), 3);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(guids[i], be64toh(expected[i]));
	assert_int_equal(guids[0], 0);
	assert_int_equal(guids[1], GUID(1));
	assert_int_equal(guids[2], GUID(2));
	guids[1] = 7;
	assert_int_equal(madring_ca_port_guids(NULL, guids, 1), 3);
	assert_int_equal(guids[1], 7);
	assert_int_equal(madring_ca_port_guids(NULL, NULL, 0), 3);
	/* A port that is not there, between others. */
	machine_remove("infiniband/mthca0/ports/1");
	assert_int_equal(madring_ca_port_guids(NULL, guids, 4), 3);
	assert_int_equal(guids[1], 0);
	assert_int_equal(guids[2], GUID(0x22));
}

static void test_issm_path(void **state)
{
	char path[64];

	assert_int_equal(madring_ca_issm_path(NULL, 0, path, sizeof(path)), 0);
	assert_string_equal(path, "/dev/infiniband/issm3");
	assert_int_equal(madring_ca_issm_path("mlx5_0", 1, path, sizeof(path)), 0);
	assert_string_equal(path, "/dev/infiniband/issm0");
	assert_int_equal(madring_ca_issm_path("mlx5_0", 3, path, sizeof(path)), -ENXIO);
	/* The path's end has to fit, too. */
	memset(path, 'x', sizeof(path));
	assert_int_equal(madring_ca_issm_path("mlx5_0", 1, path, 21), -ENAMETOOLONG);
	assert_int_equal(path[0], 'x');
	assert_int_equal(madring_ca_issm_path("mlx5_0", 1, path, 22), 0);
	machine_remove("infiniband_mad/umad0");
	assert_int_equal(madring_ca_issm_path("mlx5_0", 1, path, sizeof(path)), -ENODEV);
}

static void expect_pair(const struct madring_ca_pair *pair, uint64_t guid, const char *smi,
			unsigned int smi_port, const char *gsi, unsigned int gsi_port)
{
	assert_int_equal(pair->guid, guid);
	assert_string_equal(pair->smi_name, smi);
	assert_string_equal(pair->gsi_name, gsi);
	assert_int_equal(pair->smi_port, smi_port);
	assert_int_equal(pair->gsi_port, gsi_port);
}

static void add_without_smi(const char *ca, unsigned int number, uint64_t guid)
{
	machine_add_port(&(struct machine_port){
		.ca = ca,
		.number = number,
		.guid = guid,
		.state = ACTIVE,
		.phys_state = LINK_UP,
		.capability_mask = MADRING_CAPABILITY_SM_DISABLED | 0x48,
		.umad = -1,
	});
}

/* mlx5_2 has the other side of mlx5_0's ports, the other way round; mlx5_3 only one side. */
static void test_smi_and_gsi_pairs(void **state)
{
	struct madring_ca_pair pairs[8], pair;

	machine_add_ca("mlx5_2", CA, GUID(0x30));
	add_without_smi("mlx5_2", 1, GUID(2));
	add_without_smi("mlx5_2", 2, GUID(1));
	machine_add_ca("mlx5_3", CA, GUID(0x40));
	add_without_smi("mlx5_3", 1, GUID(0x41));
	machine_add_ca("mlx5_4", CA, GUID(0x50));
	add("mlx5_4", 1, 0, ACTIVE, LINK_UP, -1); /* no GUID: no pair */

	memset(pairs, 'x', sizeof(pairs));
	assert_int_equal(madring_ca_pairs(pairs, 8), 5);
	expect_pair(&pairs[0], GUID(1), "mlx5_0", 1, "mlx5_2", 2);
	expect_pair(&pairs[1], GUID(2), "mlx5_0", 2, "mlx5_2", 1);
	expect_pair(&pairs[2], GUID(0x41), "", 0, "mlx5_3", 1);
	expect_pair(&pairs[3], GUID(0x21), "mthca0", 1, "mthca0", 1);
	expect_pair(&pairs[4], GUID(0x22), "mthca0", 2, "mthca0", 2);
	assert_int_equal(pairs[5].smi_name[0], 'x');
	assert_int_equal(madring_ca_pairs(NULL, 0), 5);

	/* A pair is found by either side. */
	assert_int_equal(madring_ca_get_pair("mlx5_0", 1, &pair), 0);
	expect_pair(&pair, GUID(1), "mlx5_0", 1, "mlx5_2", 2);
	assert_int_equal(madring_ca_get_pair("mlx5_2", 1, &pair), 0);
	expect_pair(&pair, GUID(2), "mlx5_0", 2, "mlx5_2", 1);
	assert_int_equal(madring_ca_get_pair("mthca0", 0, &pair), 0);
	expect_pair(&pair, GUID(0x22), "mthca0", 2, "mthca0", 2);
	assert_int_equal(madring_ca_get_pair("mlx5_4", 1, &pair), -ENODEV);
	assert_int_equal(madring_ca_get_pair(NULL, 7, &pair), -ENXIO);
	/* A device that cannot be looked at does not hide the others. */
	machine_remove("infiniband/mlx5_2/ports/1/lid");
	assert_int_equal(madring_ca_pairs(pairs, 8), 5);
	expect_pair(&pairs[0], GUID(1), "mlx5_0", 1, "mlx5_0", 1);
}

/* mlx5_5 is the GSI side of a port of four planes, and smi5 has the SMI side of each. */
static void test_planes(void **state)
{
	struct madring_ca_pair pairs[8], pair;

	machine_add_ca("mlx5_5", CA, GUID(0x60));
	add_without_smi("mlx5_5", 1, GUID(0x61));
	machine_add_ca("smi5", CA, GUID(0x60));
	add("smi5", 1, GUID(0x61), DOWN, POLLING, -1);
	add("smi5", 2, GUID(0x61), INIT, LINK_UP, -1);
	add("smi5", 3, GUID(0x61), ACTIVE, LINK_UP, -1);
	add("smi5", 4, GUID(0x61), ACTIVE, LINK_UP, -1);
	machine_add_ca("mlx5_6", CA, GUID(0x70));
	machine_add_port(&(struct machine_port){ .ca = "mlx5_6",
						 .number = 1,
						 .guid = GUID(0x71),
						 .state = ACTIVE,
						 .phys_state = LINK_UP,
						 .link_layer = "Ethernet",
						 .umad = -1 });

	/* The first active plane is in the pair, and an Ethernet port in none. */
	assert_int_equal(madring_ca_pairs(pairs, 8), 5);
	expect_pair(&pairs[2], GUID(0x61), "smi5", 3, "mlx5_5", 1);
	assert_int_equal(madring_ca_get_pair("mlx5_5", 0, &pair), 0);
	expect_pair(&pair, GUID(0x61), "smi5", 3, "mlx5_5", 1);
	assert_int_equal(madring_ca_get_pair("smi5", 0, &pair), 0);
	expect_pair(&pair, GUID(0x61), "smi5", 3, "mlx5_5", 1);
	/* A plane that is named is taken, even if its link is down. */
	assert_int_equal(madring_ca_get_pair("smi5", 4, &pair), 0);
	expect_pair(&pair, GUID(0x61), "smi5", 4, "mlx5_5", 1);
	assert_int_equal(madring_ca_get_pair("smi5", 1, &pair), 0);
	expect_pair(&pair, GUID(0x61), "smi5", 1, "mlx5_5", 1);
	assert_int_equal(madring_ca_get_pair("mlx5_6", 1, &pair), -ENODEV);
	/* A link that is up is better than none. */
	machine_remove("infiniband/smi5/ports/3");
	machine_remove("infiniband/smi5/ports/4");
	assert_int_equal(madring_ca_get_pair("mlx5_5", 1, &pair), 0);
	expect_pair(&pair, GUID(0x61), "smi5", 2, "mlx5_5", 1);
}

#define MANY_DEVICES 200
#define MANY_PORTS   192
#define HIGH_UMAD    900 /* a number that the kernel gives when the first 64 are taken */

/* libibumad 56 has room for 32 devices. Most of them are links to one: files take time to make. */
static void test_more_devices_than_libibumad_has_room_for(void **state)
{
	static char names[MANY_DEVICES + 3][MADRING_CA_NAME_BYTES];
	char path[64], link[80];
	struct madring_ca_pair pair;

	machine_remove("infiniband/mthca0");
	machine_remove("infiniband/mlx5_0");
	for (unsigned int i = 1; i < MANY_DEVICES; i++) {
		snprintf(link, sizeof(link), "infiniband/mlx5_%u", 1000 + i);
		machine_link(link, "mlx5_1");
	}
	machine_add_ca("mlx5_9", CA, GUID(0x1000));
	add("mlx5_9", 1, GUID(0x1001), ACTIVE, LINK_UP, HIGH_UMAD);
	assert_int_equal(madring_ca_names(names, MANY_DEVICES + 3), MANY_DEVICES + 1);
	assert_string_equal(names[0], "mlx5_1");
	for (unsigned int i = 1; i < MANY_DEVICES; i++) {
		snprintf(link, sizeof(link), "mlx5_%u", 1000 + i);
		assert_string_equal(names[i], link);
	}
	assert_string_equal(names[MANY_DEVICES], "mlx5_9");
	/* The default port is that of the last device, the only one that is not Ethernet. */
	expect_found(NULL, 0, "mlx5_9", 1);
	assert_int_equal(madring_ca_issm_path(NULL, 0, path, sizeof(path)), 0);
	assert_string_equal(path, "/dev/infiniband/issm900");
	/* Ethernet ports are in no pair. */
	assert_int_equal(madring_ca_pairs(NULL, 0), 1);
	assert_int_equal(madring_ca_get_pair("mlx5_9", 1, &pair), 0);
	expect_pair(&pair, GUID(0x1001), "mlx5_9", 1, "mlx5_9", 1);
}

/* libibumad 56 has room for the ports 0 to 9. Most of them are links to one. */
static void test_more_ports_than_libibumad_has_room_for(void **state)
{
	static uint64_t guids[MANY_PORTS + 2];
	struct madring_ca_port *port;
	struct madring_ca *ca;
	char path[64];

	machine_remove("infiniband/mthca0");
	machine_add_ca("wide0", CA, GUID(0x2000));
	add("wide0", MANY_PORTS, GUID(0x2000 + MANY_PORTS), ACTIVE, LINK_UP, HIGH_UMAD);
	add("wide0", 1, GUID(0x2001), DOWN, POLLING, HIGH_UMAD + 1);
	for (unsigned int i = 2; i < MANY_PORTS; i++) {
		snprintf(path, sizeof(path), "infiniband/wide0/ports/%u", i);
		machine_link(path, "1");
	}
	assert_int_equal(madring_ca_get("wide0", &ca), 0);
	assert_int_equal(ca->port_count, MANY_PORTS);
	for (unsigned int i = 0; i < MANY_PORTS; i++) {
		const struct madring_ca_port *one = ca->ports[i];

		assert_int_equal(one->number, i + 1);
		assert_int_equal(one->guid, GUID(0x2000 + (i + 1 < MANY_PORTS ? 1 : MANY_PORTS)));
		assert_int_equal(one->state, i + 1 < MANY_PORTS ? DOWN : ACTIVE);
		assert_int_equal(one->pkey_count, 3);
		assert_int_equal(one->pkeys[1], 0x8001);
	}
	madring_ca_release(ca);
	memset(guids, 0xff, sizeof(guids));
	assert_int_equal(madring_ca_port_guids("wide0", guids, MANY_PORTS + 2), MANY_PORTS + 1);
	assert_int_equal(guids[0], 0);
	assert_int_equal(guids[MANY_PORTS - 1], GUID(0x2001));
	assert_int_equal(guids[MANY_PORTS], GUID(0x2000 + MANY_PORTS));
	assert_int_equal(guids[MANY_PORTS + 1], 0);
	/* The last port is the default: no other is active. libibumad finds none on this device. */
	assert_int_equal(madring_ca_port_get(NULL, 0, &port), 0);
	assert_string_equal(port->ca_name, "wide0");
	assert_int_equal(port->number, MANY_PORTS);
	madring_ca_port_release(port);
	assert_int_equal(madring_ca_issm_path("wide0", MANY_PORTS, path, sizeof(path)), 0);
	assert_string_equal(path, "/dev/infiniband/issm900");
	assert_int_equal(madring_ca_port_get("wide0", MANY_PORTS + 1, &port), -ENXIO);
}

#define on_machine(test) cmocka_unit_test_setup_teardown(test, open_machine, close_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_devices_are_as_in_libibumad),
		cmocka_unit_test(test_each_node_has_its_own_device),
		on_machine(test_names_are_in_order),
		on_machine(test_attributes),
		on_machine(test_the_default_port),
		on_machine(test_missing_devices_and_ports),
		on_machine(test_pkeys_that_are_missing),
		on_machine(test_pkeys_vanish_while_they_are_read),
		on_machine(test_port_guids),
		on_machine(test_issm_path),
		on_machine(test_smi_and_gsi_pairs),
		on_machine(test_planes),
		on_machine(test_more_devices_than_libibumad_has_room_for),
		on_machine(test_more_ports_than_libibumad_has_room_for),
	};

	const struct CMUnitTest real[] = {
		cmocka_unit_test(test_devices_are_as_in_libibumad),
	};

	if (local_has_driver())
		return cmocka_run_group_tests(real, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
