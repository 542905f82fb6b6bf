/* SPDX-License-Identifier: BSD-2-Clause */
/* The records between a virtual HCA's kernel and the fabric. The argument is a netlist. */
#include <endian.h>

#include <infiniband/mad.h>

#include "vhca_kernel.h"

#define MS	      UINT64_C(1000000)
#define RETURNS	      0x8000
#define NODE_DESC     0x0010
#define NODE_INFO     0x0011
#define PORT_INFO     0x0015
#define SM_INFO	      0x0020
#define PERF_CLASS    0x04
#define PERF_COUNTERS 0x0012
#define GSI_QKEY      0x80010000u
#define MKEY	      UINT64_C(0x1234)
#define LOCAL_PORT    36 /* in NodeInfo */
#define STATES	      32 /* two bytes in PortInfo; 0: no change */
#define SGID	      8	 /* in a GRH */
#define DGID	      24

static struct umad_smp answer_smp(const struct vhca_answer *answer)
{
	assert_int_equal(answer->result, VHCA_REPLY);
	return kernel_smp(answer->mad);
}

static void test_appearance(void **state)
{
	struct kernel *kernel = *state;
	const struct topology_node *host = topology_find(kernel->topology, "host1");
	struct vhca_create create;
	struct vhca_port_record port;

	assert_int_equal(kernel_add(kernel, 0, "host1", 0), 0);
	kernel_run(kernel);
	create = kernel_read(kernel, 0, VHCA_CREATE).create;
	assert_int_equal(create.version, VHCA_ABI_VERSION);
	assert_int_equal(create.ports, 2);
	assert_true(create.node_guid == htobe64(host->node_guid));
	assert_string_equal((const char *)create.node_desc, "host1");
	for (unsigned int number = 1; number <= 2; number++) {
		port = kernel_read(kernel, 0, VHCA_PORT).port;
		assert_int_equal(port.head.port, number);
		assert_true(port.guid == htobe64(host->port[number].guid));
		assert_true(port.gid_prefix == htobe64(UINT64_C(0xfe80000000000000)));
		assert_int_equal(port.state, 2);
		assert_int_equal(port.phys_state, 5);
		assert_int_equal(port.lid, 0);
		assert_int_equal(port.width, 2);
		assert_int_equal(port.pkeys[0], 0xffff);
		assert_int_equal(port.pkeys[1], 0);
	}
}

static void test_one_port_only(void **state)
{
	const struct umad_smp nobody = kernel_get(NODE_INFO, 0, NULL);
	struct kernel *kernel = *state;

	assert_int_equal(kernel_add(kernel, 0, "host1", 2), 0);
	kernel_run(kernel);
	assert_int_equal(kernel_read(kernel, 0, VHCA_CREATE).create.ports, 2);
	assert_int_equal(kernel_read(kernel, 0, VHCA_PORT).head.port, 2);
	assert_int_equal(kernel_upcall(kernel, 1, &nobody, 0).result, VHCA_FAILED);
	assert_int_equal(kernel_upcall(kernel, 2, &nobody, 0).result, VHCA_REPLY);
}

static void test_directed_route(void **state)
{
	struct kernel *kernel = *state;
	struct vhca_mad got;
	struct umad_smp smp;
	uint8_t port;

	kernel_start(kernel);
	for (port = 1; port <= 2; port++) {
		smp = kernel_get(NODE_INFO, 1, &port);
		kernel_send_smp(kernel, 0, port, &smp);
		got = kernel_read(kernel, 0, VHCA_MAD).mad;
		assert_int_equal(got.head.port, port);
		assert_int_equal(got.dqp, 0);
		assert_int_equal(got.slid, PERMISSIVE);
		assert_int_equal(got.dlid, PERMISSIVE);
		smp = kernel_smp(got.mad);
		assert_int_equal(smp.method, UMAD_METHOD_GET_RESP);
		assert_int_equal(be16toh(smp.status), RETURNS);
		assert_int_equal(smp.hop_ptr, 1);
		assert_int_equal(smp.tid, htobe64(0x1234));
		assert_int_equal(smp.data[0], 1); /* NodeInfo's version, and the type of a switch */
		assert_int_equal(smp.data[2], 2);
	}
}

/* A manager asks another one over the switch, and gets the answer back. */
static void test_between_hcas(void **state)
{
	static const uint8_t path[] = { 1, 3 };
	struct umad_smp smp = kernel_get(SM_INFO, 2, path);
	struct kernel *kernel = *state;

	assert_int_equal(kernel_add(kernel, 0, "host1", 0), 0);
	assert_int_equal(kernel_add(kernel, 1, "host2", 0), 0);
	kernel_run(kernel);

	kernel_send_smp(kernel, 0, 1, &smp);
	smp = kernel_smp(kernel_find(kernel, 1, VHCA_MAD).mad.mad);
	assert_int_equal(smp.attr_id, htobe16(SM_INFO));
	assert_int_equal(smp.method, UMAD_METHOD_GET);
	assert_int_equal(smp.hop_ptr, 2);
	assert_int_equal(smp.return_path[1], 1);

	/* The other kernel's SMI steps on to hop_cnt + 1, and back from there when it answers. */
	smp.method = UMAD_METHOD_GET_RESP;
	smp.status = htobe16(RETURNS);
	smp.return_path[2] = 1;
	kernel_send_smp(kernel, 1, 1, &smp);
	smp = kernel_smp(kernel_find(kernel, 0, VHCA_MAD).mad.mad);
	assert_int_equal(smp.method, UMAD_METHOD_GET_RESP);
	assert_int_equal(smp.hop_ptr, 1);
}

static void test_upcalls(void **state)
{
	struct umad_smp get = kernel_get(NODE_INFO, 0, NULL), smp;
	struct kernel *kernel = *state;
	struct vhca_answer answer;

	kernel_start(kernel);
	for (unsigned int port = 1; port <= 2; port++) {
		answer = kernel_upcall(kernel, port, &get, 0);
		smp = answer_smp(&answer);
		assert_int_equal(smp.method, UMAD_METHOD_GET_RESP);
		assert_int_equal(be16toh(smp.status), RETURNS);
		assert_int_equal(smp.hop_ptr, 0);
		assert_int_equal(smp.data[LOCAL_PORT], port);
	}
	get.mgmt_class = PERF_CLASS;
	get.attr_id = htobe16(PERF_COUNTERS);
	answer = kernel_upcall(kernel, 1, &get, 0);
	assert_int_equal(answer_smp(&answer).method, UMAD_METHOD_GET_RESP);

	/* The agents pass on a request to a manager, whom they do not know. */
	get.mgmt_class = UMAD_CLASS_SUBN_ADM;
	assert_int_equal(kernel_upcall(kernel, 1, &get, 0).result, VHCA_PASS);
	get = kernel_get(SM_INFO, 0, NULL);
	assert_int_equal(kernel_upcall(kernel, 1, &get, 0).result, VHCA_PASS);
	get = kernel_get(NODE_INFO, 0, NULL);
	get.method = UMAD_METHOD_TRAP_REPRESS;
	assert_int_equal(kernel_upcall(kernel, 1, &get, 0).result, VHCA_CONSUMED);
}

/* Gives a port its LID, which is also the manager's, as a subnet manager does. */
static void set_lid(struct kernel *kernel, uint16_t lid)
{
	struct umad_smp smp = kernel_get(PORT_INFO, 0, NULL);
	struct vhca_answer answer = kernel_upcall(kernel, 1, &smp, 0);

	smp = answer_smp(&answer);
	smp.method = UMAD_METHOD_SET;
	smp.status = 0;
	smp.attr_mod = htobe32(1);
	mad_set_field(smp.data, 0, IB_PORT_LID_F, lid);
	mad_set_field(smp.data, 0, IB_PORT_SMLID_F, lid);
	memset(smp.data + STATES, 0, 2);
	answer = kernel_upcall(kernel, 1, &smp, 1);
	assert_int_equal(be16toh(answer_smp(&answer).status), RETURNS);
}

/* A program that has the answer finds the change in sysfs. */
static void test_port_is_told_before_the_answer(void **state)
{
	struct kernel *kernel = *state;

	kernel_start(kernel);
	set_lid(kernel, 0x17);
}

/* The M_Key is not checked where the stack says so, and only there. */
static void test_mkey_is_not_checked(void **state)
{
	struct umad_smp get = kernel_get(PORT_INFO, 0, NULL), set;
	struct kernel *kernel = *state;
	struct vhca_answer answer;

	kernel_start(kernel);
	answer = kernel_upcall(kernel, 1, &get, 0);
	set = answer_smp(&answer);
	set.method = UMAD_METHOD_SET;
	set.status = 0;
	set.attr_mod = htobe32(1);
	mad_set_field(set.data, 0, IB_PORT_LID_F, 0x17);
	mad_set_field(set.data, 0, IB_PORT_SMLID_F, 0x18); /* nobody's: its traps are lost */
	mad_set_field64(set.data, 0, IB_PORT_MKEY_F, MKEY);
	mad_set_field(set.data, 0, IB_PORT_MKEY_PROT_BITS_F, 2);
	memset(set.data + STATES, 0, 2);
	answer = kernel_upcall(kernel, 1, &set, 1);
	assert_int_equal(be16toh(answer_smp(&answer).status), RETURNS);

	assert_int_equal(kernel_upcall(kernel, 1, &get, 0).result, VHCA_FAILED);
	answer = kernel_upcall_unchecked(kernel, 1, &get, VHCA_NO_BKEY_CHECK);
	assert_int_equal(answer.result, VHCA_FAILED);
	answer = kernel_upcall_unchecked(kernel, 1, &get, VHCA_NO_MKEY_CHECK);
	set = answer_smp(&answer);
	assert_true(mad_get_field64(set.data, 0, IB_PORT_MKEY_F) == MKEY);
	assert_int_equal(mad_get_field(set.data, 0, IB_PORT_MKEY_VIOL_F), 2);
}

static void test_host_sets_capabilities_and_description(void **state)
{
	struct umad_smp get = kernel_get(PORT_INFO, 0, NULL), smp;
	struct vhca_port_caps caps = {
		.head = kernel_head(VHCA_PORT_CAPS, sizeof(caps), 1),
		.capability_mask = MASTER_BIT | 1u << 2, /* and one that is not the host's */
	};
	struct vhca_node_desc description = {
		.head = kernel_head(VHCA_NODE_DESC, sizeof(description), 0),
		.node_desc = "another name",
	};
	struct kernel *kernel = *state;
	struct vhca_answer answer;
	uint32_t mask;

	kernel_start(kernel);
	set_lid(kernel, 0x17);
	kernel_write(kernel, 0, &caps, sizeof(caps));
	mask = kernel_read(kernel, 0, VHCA_PORT).port.capability_mask;
	assert_true(mask & MASTER_BIT);
	assert_false(mask & 1u << 2);
	/* The master, which it is itself, is told. */
	smp = kernel_smp(kernel_read(kernel, 0, VHCA_MAD).mad.mad);
	assert_int_equal(smp.method, UMAD_METHOD_TRAP);
	answer = kernel_upcall(kernel, 1, &get, 0);
	smp = answer_smp(&answer);
	assert_int_equal(mad_get_field(smp.data, 0, IB_PORT_CAPMASK_F), mask);

	kernel_write(kernel, 0, &description, sizeof(description));
	get = kernel_get(NODE_DESC, 0, NULL);
	answer = kernel_upcall(kernel, 2, &get, 0);
	smp = answer_smp(&answer);
	assert_string_equal((const char *)smp.data, "another name");
}

static void test_gmp_has_the_qkey_and_the_grh(void **state)
{
	struct vhca_mad mad = {
		.head = kernel_head(VHCA_MAD, sizeof(mad), 1),
		.slid = 0x17,
		.dlid = 0x17,
		.sqp = 1,
		.dqp = 1,
		.qkey = GSI_QKEY,
		.flags = VHCA_GRH_PRESENT,
		.grh = { 0x60, [SGID] = 0xfe, 0x80, [DGID] = 0xfe, 0x81 },
	}, got;
	struct umad_hdr header = {
		.base_version = 1,
		.mgmt_class = PERF_CLASS,
		.class_version = 1,
		.method = UMAD_METHOD_GET,
		.attr_id = htobe16(PERF_COUNTERS),
	};
	struct kernel *kernel = *state;

	kernel_start(kernel);
	set_lid(kernel, 0x17);
	memcpy(mad.mad, &header, sizeof(header));
	kernel_write(kernel, 0, &mad, sizeof(mad));
	got = kernel_read(kernel, 0, VHCA_MAD).mad;
	assert_int_equal(got.dqp, 1);
	assert_int_equal(got.qkey, GSI_QKEY);
	assert_int_equal(got.slid, 0x17);
	assert_int_equal(got.flags, VHCA_GRH_PRESENT);
	assert_int_equal(got.grh[0], 0x60);
	assert_int_equal(got.grh[SGID + 1], 0x81);
	assert_int_equal(got.grh[DGID + 1], 0x80);
	assert_int_equal(got.mad[offsetof(struct umad_hdr, method)], UMAD_METHOD_GET_RESP);
}

static void pull_cable(struct fabric *fabric, void *user)
{
	assert_int_equal(fabric_set_cable(fabric, user, 2, false), 0);
}

static void test_link_goes_down(void **state)
{
	struct kernel *kernel = *state;
	struct vhca_port_record port;

	assert_int_equal(
		fabric_at(kernel->fabric, MS, pull_cable, topology_find(kernel->topology, "host1")),
		0);
	kernel_start(kernel);
	port = kernel_read(kernel, 0, VHCA_PORT).port;
	assert_int_equal(port.head.port, 2);
	assert_int_equal(port.state, 1);
	assert_int_equal(port.phys_state, 2);
}

/* The kernel asks more at once than the slow agent has answered. */
static void test_answers_slower_than_upcalls(void **state)
{
	enum { COUNT = 100 };
	struct fabric_model slow = { .service = { [NODE_CA] = MS / 10 } };
	struct vhca_upcall_record upcall = {
		.head = kernel_head(VHCA_UPCALL, sizeof(upcall), 1),
		.slid = PERMISSIVE,
	};
	struct umad_smp get = kernel_get(NODE_INFO, 0, NULL);
	struct kernel *kernel = *state;
	bool seen[COUNT] = { false };
	struct vhca_answer answer;

	assert_int_equal(fabric_set_model(kernel->fabric, &slow), 0);
	kernel_start(kernel);
	memcpy(upcall.mad, &get, sizeof(get));
	for (unsigned int i = 0; i < COUNT; i++) {
		upcall.id = i;
		kernel_write(kernel, 0, &upcall, sizeof(upcall));
	}
	for (unsigned int i = 0; i < COUNT; i++) {
		answer = kernel_read(kernel, 0, VHCA_ANSWER).answer;
		assert_int_equal(answer.result, VHCA_REPLY);
		assert_in_range(answer.id, 0, COUNT - 1);
		assert_false(seen[answer.id]);
		seen[answer.id] = true;
	}
}

static void test_dead_node(void **state)
{
	struct kernel *kernel = *state;
	struct umad_smp get = kernel_get(NODE_INFO, 0, NULL);

	fabric_set_health(kernel->fabric, topology_find(kernel->topology, "host1"), FABRIC_HUNG);
	kernel_start(kernel);
	assert_int_equal(kernel_upcall(kernel, 1, &get, 0).result, VHCA_FAILED);
}

/* A kernel that takes nothing for a while gets all of it, and answers to upcalls first. */
static void test_slow_kernel(void **state)
{
	enum { COUNT = 5000 };
	static const uint8_t path = 1;
	struct umad_smp smp = kernel_get(NODE_INFO, 1, &path);
	struct kernel *kernel = *state;

	kernel_start(kernel);
	for (unsigned int i = 0; i < COUNT; i++) {
		smp.tid = htobe64(i);
		kernel_send_smp(kernel, 0, 1, &smp);
	}
	for (unsigned int i = 0; i < COUNT; i++) {
		smp = kernel_smp(kernel_read(kernel, 0, VHCA_MAD).mad.mad);
		assert_true(smp.tid == htobe64(i));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, kernel_open, kernel_close)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(appearance),
		TEST(one_port_only),
		TEST(directed_route),
		TEST(between_hcas),
		TEST(upcalls),
		TEST(port_is_told_before_the_answer),
		TEST(mkey_is_not_checked),
		TEST(host_sets_capabilities_and_description),
		TEST(gmp_has_the_qkey_and_the_grh),
		TEST(link_goes_down),
		TEST(answers_slower_than_upcalls),
		TEST(dead_node),
		TEST(slow_kernel),
	};

	if (argc != 2)
		return 2;
	kernel_netlist = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
