/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests with a GRH, and their answers, which have one too. Runs under madring-sim, by its shim
 * and on the real driver.
 */
#include "cmocka_all.h"

#include <string.h>
#include <unistd.h>

#include "sim_client.h"
#include "sim_subnet.h"

#define VENDOR_CLASS  0x32
#define OUI	      0x001405
#define OUI_OFFSET    37 /* in a MAD */
#define PERF_CLASS    UMAD_CLASS_PERF_MGMT
#define PORT_COUNTERS 0x0012
#define PORT_SELECT   65 /* in a MAD with PortCounters */
#define TRAFFIC_CLASS 0x5a
#define FLOW_LABEL    0xabcde

struct gid {
	__be64 prefix, guid;
};

static struct gid gid_of(int number)
{
	struct gid gid;
	umad_port_t port;

	assert_int_equal(umad_get_port(NULL, number, &port), 0);
	gid = (struct gid){ .prefix = port.gid_prefix, .guid = port.port_guid };
	umad_release_port(&port);
	return gid;
}

static uint32_t register_class(int fd, uint8_t mgmt_class, uint64_t methods)
{
	struct umad_reg_attr attr = {
		.mgmt_class = mgmt_class,
		.mgmt_class_version = 1,
		.oui = mgmt_class == VENDOR_CLASS ? OUI : 0,
		.method_mask[0] = methods,
	};
	uint32_t agent;

	assert_int_equal(umad_register2(fd, &attr, &agent), 0);
	return agent;
}

/* Makes a request from port 1 to port 2. */
static struct message request(uint32_t agent, uint8_t mgmt_class, uint32_t tid)
{
	struct message message = client_request(agent, tid, HERE, PATIENCE_MS);
	uint8_t *mad = (uint8_t *)&message.smp;
	struct ib_mad_addr *to = &message.header.addr;
	struct gid gid = gid_of(2);

	to->lid = htobe16(LID_OF_PORT2);
	to->qpn = htobe32(1);
	to->qkey = htobe32(0x80010000);
	to->grh_present = 1;
	to->hop_limit = 64;
	to->traffic_class = TRAFFIC_CLASS;
	to->flow_label = htobe32(FLOW_LABEL);
	memcpy(to->gid, &gid, sizeof(to->gid));
	memset(mad, 0, 256);
	message.smp.base_version = 1;
	message.smp.mgmt_class = mgmt_class;
	message.smp.class_version = 1;
	message.smp.method = UMAD_METHOD_GET;
	message.smp.tid = htobe64(tid);
	if (mgmt_class == VENDOR_CLASS) {
		mad[OUI_OFFSET + 1] = OUI >> 8 & 0xff;
		mad[OUI_OFFSET + 2] = OUI & 0xff;
	}
	return message;
}

static void expect_grh(const struct message *got, int from_port)
{
	const struct ib_mad_addr *from = &got->header.addr;
	struct gid gid = gid_of(from_port);

	assert_int_equal(from->grh_present, 1);
	assert_int_equal(from->gid_index, 0);
	assert_int_equal(from->traffic_class, TRAFFIC_CLASS);
	assert_int_equal(be32toh(from->flow_label), FLOW_LABEL);
	assert_int_equal(from->hop_limit, 0xff);
	assert_memory_equal(from->gid, &gid, sizeof(from->gid));
}

/* The node's own agent answers a request that has a GRH. */
static void test_own_agent(void **state)
{
	int fd = umad_open_port(NULL, 1);
	uint32_t agent = register_class(fd, PERF_CLASS, 0);
	struct message message = request(agent, PERF_CLASS, 3), got;

	message.smp.attr_id = htobe16(PORT_COUNTERS);
	((uint8_t *)&message.smp)[PORT_SELECT] = 2;
	client_write(fd, &message);
	assert_int_equal(client_read(fd, &got), sizeof(got));
	assert_int_equal(got.header.status, 0);
	assert_int_equal(got.smp.method, UMAD_METHOD_GET_RESP);
	assert_int_equal(got.smp.status, 0);
	assert_int_equal(client_low_tid(&got), 3);
	expect_grh(&got, 2);
	umad_close_port(fd);
}

/* A program answers to the address that the request came from. */
static void test_program(void **state)
{
	int from = umad_open_port(NULL, 1), to = umad_open_port(NULL, 2);
	uint32_t asker = register_class(from, VENDOR_CLASS, 0);
	struct message message = request(asker, VENDOR_CLASS, 4), got;

	register_class(to, VENDOR_CLASS, UINT64_C(1) << UMAD_METHOD_GET);
	client_write(from, &message);
	assert_int_equal(client_read(to, &got), sizeof(got));
	assert_int_equal(client_low_tid(&got), 4);
	expect_grh(&got, 1);

	/* An answer without a GRH is no answer. */
	got.header.timeout_ms = 0;
	got.header.addr.grh_present = 0;
	got.smp.method = UMAD_METHOD_GET_RESP;
	client_write(to, &got);
	client_expect_silence(from);
	got.header.addr.grh_present = 1;
	client_write(to, &got);
	assert_int_equal(client_read(from, &got), sizeof(got));
	assert_int_equal(got.header.status, 0);
	assert_int_equal(client_low_tid(&got), 4);
	expect_grh(&got, 2);
	umad_close_port(from);
	umad_close_port(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_agent),
		cmocka_unit_test(test_program),
	};

	subnet_bring_up();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
