/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unsolicited MADs, from one port to another: they go to the agent that has registered for their
 * class, version, method and OUI. Runs under madring-sim.
 */
#include "cmocka_all.h"

#include <string.h>
#include <unistd.h>

#include "sim_client.h"
#include "sim_subnet.h"

#define CM_CLASS     0x07
#define VENDOR_CLASS 0x32
#define SEND	     0x03
#define TRAP	     0x05
#define REPORT	     0x06
#define TRAP_REPRESS 0x07
#define REPORT_RESP  0x86
#define NOTICE	     0x0002
#define OUI_OFFSET   37 /* in a MAD */

struct asked {
	uint8_t mgmt_class, version;
	uint8_t method;
	uint32_t oui;
};

static uint32_t register_for(int fd, const struct asked *asked)
{
	struct umad_reg_attr attr = {
		.mgmt_class = asked->mgmt_class,
		.mgmt_class_version = asked->version,
		.oui = asked->oui,
	};
	uint32_t agent;

	if (asked->method)
		attr.method_mask[0] = UINT64_C(1) << asked->method;
	assert_int_equal(umad_register2(fd, &attr, &agent), 0);
	return agent;
}

static int open_port(int port)
{
	int fd = umad_open_port(NULL, port);

	assert_true(fd >= 0);
	return fd;
}

/* Makes a request to port 2. */
static struct message request(uint32_t agent, uint32_t tid, const struct asked *what)
{
	struct message message = client_request(agent, tid, HERE, PATIENCE_MS);
	uint8_t *mad = (uint8_t *)&message.smp;

	message.header.addr.lid = htobe16(LID_OF_PORT2);
	message.header.addr.qpn = htobe32(1);
	message.smp.mgmt_class = what->mgmt_class;
	message.smp.class_version = what->version;
	message.smp.method = what->method;
	message.smp.attr_id = htobe16(NOTICE);
	mad[OUI_OFFSET] = (uint8_t)(what->oui >> 16);
	mad[OUI_OFFSET + 1] = (uint8_t)(what->oui >> 8);
	mad[OUI_OFFSET + 2] = (uint8_t)what->oui;
	return message;
}

static void expect_request(int fd, uint32_t agent, uint32_t tid, uint8_t method)
{
	struct message got;

	assert_int_equal(client_read(fd, &got), sizeof(got));
	assert_int_equal(got.header.agent_id, agent);
	assert_int_equal(got.header.addr.lid, htobe16(LID_OF_PORT1));
	assert_int_equal(got.smp.method, method);
	assert_int_equal(client_low_tid(&got), tid);
}

static void test_class_version_and_oui(void **state)
{
	const struct asked asked[] = {
		{ VENDOR_CLASS, 1, UMAD_METHOD_GET, 0x001405 },
		{ VENDOR_CLASS, 1, UMAD_METHOD_GET, 0x0002c9 },
		{ VENDOR_CLASS, 1, SEND, 0x001405 },
		{ VENDOR_CLASS, 2, SEND, 0x001405 },
		{ VENDOR_CLASS + 1, 1, SEND, 0x001405 },
		{ CM_CLASS, 2, SEND, 0 },
	};
	const struct asked nobodys[] = {
		{ VENDOR_CLASS, 1, SEND, 0x0002c9 },
		{ VENDOR_CLASS, 3, SEND, 0x001405 },
		{ CM_CLASS, 1, SEND, 0 },
		{ CM_CLASS, 2, TRAP, 0 },
	};
	const struct asked nothing = { 0 };
	int from = open_port(1), to = open_port(2);
	uint32_t sender = register_for(from, &nothing), agent[6], i;
	struct message message;

	for (i = 0; i < 6; i++)
		agent[i] = register_for(to, &asked[i]);
	for (i = 0; i < 6; i++) {
		message = request(sender, i + 1, &asked[i]);
		client_write(from, &message);
		expect_request(to, agent[i], i + 1, asked[i].method);
	}
	for (i = 0; i < 4; i++) {
		message = request(sender, i + 10, &nobodys[i]);
		client_write(from, &message);
	}
	client_expect_silence(to);
	client_expect_silence(from);
	umad_close_port(from);
	umad_close_port(to);
}

/*
 * Sends a MAD, which the answer by @method ends; its TID is not touched on the way. (A subnet
 * manager's TrapRepress is the SMA's, as with HCAs.)
 */
static void exchange(const struct asked *what, uint8_t method)
{
	const struct asked client = { what->mgmt_class, what->version, 0, what->oui };
	int from = open_port(1), to = open_port(2);
	uint32_t sender = register_for(from, &client), agent = register_for(to, what);
	struct message message = request(sender, 5, what), got;

	client_write(from, &message);
	assert_int_equal(client_read(to, &got), sizeof(got));
	assert_int_equal(got.header.agent_id, agent);
	got.header.timeout_ms = 0;
	got.smp.method = method;
	client_write(to, &got);
	assert_int_equal(client_read(from, &message), sizeof(message));
	assert_int_equal(message.header.status, 0);
	assert_int_equal(message.smp.method, method);
	assert_int_equal(message.smp.tid, got.smp.tid);
	client_expect_silence(from);
	umad_close_port(from);
	umad_close_port(to);
}

static void test_trap_and_repress(void **state)
{
	exchange(&(struct asked){ VENDOR_CLASS, 1, TRAP, 0x001405 }, TRAP_REPRESS);
}

static void test_report_and_response(void **state)
{
	exchange(&(struct asked){ UMAD_CLASS_SUBN_ADM, 2, REPORT, 0 }, REPORT_RESP);
}

static void test_unwanted_get_is_unsupported(void **state)
{
	const struct asked get = { CM_CLASS, 2, UMAD_METHOD_GET, 0 }, nothing = { 0 };
	int from = open_port(1), to = open_port(2);
	struct message message = request(register_for(from, &nothing), 9, &get);

	client_write(from, &message);
	assert_int_equal(client_read(from, &message), sizeof(message));
	assert_int_equal(message.smp.method, UMAD_METHOD_GET_RESP);
	assert_int_equal(message.smp.status, htobe16(UMAD_STATUS_ATTR_NOT_SUPPORTED));
	client_expect_silence(to);
	umad_close_port(from);
	umad_close_port(to);
}

/* A port need not be active to send to its own LID. */
static void test_loopback(void **state)
{
	const struct asked asked = { CM_CLASS, 2, SEND, 0 };
	int fd = open_port(2);
	uint32_t agent = register_for(fd, &asked);
	struct message message = request(agent, 3, &asked), got;

	client_write(fd, &message);
	assert_int_equal(client_read(fd, &got), sizeof(got));
	assert_int_equal(got.header.agent_id, agent);
	assert_int_equal(got.header.addr.lid, htobe16(LID_OF_PORT2));
	umad_close_port(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_class_version_and_oui),
		cmocka_unit_test(test_trap_and_repress),
		cmocka_unit_test(test_report_and_response),
		cmocka_unit_test(test_unwanted_get_is_unsupported),
		cmocka_unit_test(test_loopback),
	};

	subnet_bring_up();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
