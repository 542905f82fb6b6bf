/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SMPs between programs on the simulated device: requests that an agent has
 * registered for, its responses, and requests that nobody wants. Runs under madring-sim.
 */
#include "cmocka_all.h"

#include <string.h>
#include <unistd.h>

#include "sim_client.h"

#define PORT_INFO	 0x0015
#define SM_INFO		 0x0020
#define PORT_INFO_LID	 16 /* offsets in PortInfo */
#define PORT_INFO_SM_LID 18
#define PORT_INFO_STATES 32 /* two bytes; 0: no change */
#define LID		 0x12
#define DIRECTION	 0x8000 /* in the status */
#define MASK_LONGS	 (16 / sizeof(long))

static void put16(uint8_t *where, uint16_t value)
{
	where[0] = (uint8_t)(value >> 8);
	where[1] = (uint8_t)value;
}

/* Gives the first port its LID, and the manager's, as a subnet manager does. */
static void set_lid(uint16_t lid)
{
	struct message message, reply;
	int fd = client_open();

	message = client_request(client_agent(fd), 1, HERE, PATIENCE_MS);
	message.smp.attr_id = htobe16(PORT_INFO);
	message.smp.attr_mod = htobe32(1);
	client_write(fd, &message);
	assert_int_equal(client_read(fd, &reply), sizeof(reply));

	message.smp.method = UMAD_METHOD_SET;
	message.smp.tid = htobe64(2);
	memcpy(message.smp.data, reply.smp.data, sizeof(message.smp.data));
	put16(message.smp.data + PORT_INFO_LID, lid);
	put16(message.smp.data + PORT_INFO_SM_LID, lid);
	memset(message.smp.data + PORT_INFO_STATES, 0, 2);
	client_write(fd, &message);
	client_expect_reply(fd, 2);
	umad_close_port(fd);
}

static int register_class1(int fd, long methods)
{
	long mask[MASK_LONGS] = { methods };

	return umad_register(fd, UMAD_CLASS_SUBN_LID_ROUTED, 1, 0, mask);
}

static struct message sm_info_request(int agent, uint32_t tid)
{
	struct message message = client_request((uint32_t)agent, tid, HERE, PATIENCE_MS);

	message.header.addr.lid = htobe16(LID);
	message.smp.mgmt_class = UMAD_CLASS_SUBN_LID_ROUTED;
	message.smp.attr_id = htobe16(SM_INFO);
	return message;
}

static void test_sysfs_follows_the_fabric(void **state)
{
	umad_port_t port;

	set_lid(LID + 1);
	set_lid(LID);
	assert_int_equal(umad_get_port(NULL, 1, &port), 0);
	assert_int_equal(port.base_lid, LID);
	assert_int_equal(port.sm_lid, LID);
	umad_release_port(&port);
}

static void test_request_and_response(void **state)
{
	int server = client_open(), asker = client_open();
	int server_agent = register_class1(server, 1L << UMAD_METHOD_GET);
	int asker_agent = register_class1(asker, 0);
	struct message request = sm_info_request(asker_agent, 0x77), got;

	set_lid(LID);
	assert_true(server_agent >= 0 && asker_agent >= 0);
	client_write(asker, &request);

	assert_int_equal(client_read(server, &got), sizeof(got));
	assert_int_equal(got.header.agent_id, server_agent);
	assert_int_equal(got.header.addr.lid, htobe16(LID));
	assert_int_equal(got.smp.method, UMAD_METHOD_GET);
	assert_int_equal(client_low_tid(&got), 0x77);
	assert_int_not_equal(client_high_tid(&got), 0);

	/* A stranger's response first: the wrong TID, the wrong class of answer. */
	got.header.agent_id = (uint32_t)server_agent;
	got.smp.method = UMAD_METHOD_GET_RESP;
	got.smp.tid ^= htobe64(1);
	client_write(server, &got);
	got.smp.tid ^= htobe64(1);
	client_write(server, &got);
	client_write(server, &got); /* a duplicate */
	client_expect_reply(asker, 0x77);
	client_expect_silence(asker);
	umad_close_port(server);
	umad_close_port(asker);
}

static void test_unwanted_requests_are_unsupported(void **state)
{
	int fd = client_open();
	int agent = register_class1(fd, 0);
	struct message request = sm_info_request(agent, 5), reply;

	set_lid(LID);
	client_write(fd, &request);
	assert_int_equal(client_read(fd, &reply), sizeof(reply));
	assert_int_equal(reply.smp.method, UMAD_METHOD_GET_RESP);
	assert_int_equal(reply.smp.status, htobe16(UMAD_STATUS_ATTR_NOT_SUPPORTED));
	assert_int_equal(client_low_tid(&reply), 5);

	request = client_request(client_agent(fd), 7, HERE, PATIENCE_MS);
	request.smp.attr_id = htobe16(SM_INFO);
	client_write(fd, &request);
	assert_int_equal(client_read(fd, &reply), sizeof(reply));
	assert_int_equal(reply.smp.method, UMAD_METHOD_GET_RESP);
	assert_int_equal(reply.smp.status, htobe16(UMAD_STATUS_ATTR_NOT_SUPPORTED | DIRECTION));
	assert_int_equal(reply.smp.hop_ptr, 0);

	request = sm_info_request(agent, 6);
	request.smp.method = UMAD_METHOD_TRAP;
	request.smp.tid = htobe64(6);
	request.header.timeout_ms = SHORT_MS / 2;
	client_write(fd, &request);
	assert_int_equal(client_read(fd, &reply), NOTICE_BYTES);
	assert_int_equal(client_low_tid(&reply), 6);
	umad_close_port(fd);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_sysfs_follows_the_fabric),
	cmocka_unit_test(test_request_and_response),
	cmocka_unit_test(test_unwanted_requests_are_unsupported),
};

TEST_MAIN(tests, NULL, NULL)
