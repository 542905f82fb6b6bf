/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HCA is removed under agents that do other than send MADs and wait for replies: they wait for
 * requests, send what has no reply, or messages that the kernel has in segments.
 */
#include "removable.h"

#include <errno.h>
#include <stdio.h>

#include "fabrics.h"

#define GUID	      0x0002c90300001000u
#define CLASS_SA      0x03
#define CLASS_DEVICE  0x06 /* management, which nobody else in the guest answers */
#define ATTRIBUTE     0x0011
#define HOST_LID      0x102
#define MESSAGES      100u
#define MESSAGE_BYTES 4000u

struct received {
	unsigned int count;
	int status;
};

static void on_request(const struct madring_received *received)
{
	struct received *last = received->user;

	assert_null(received->mad);
	last->count++;
	last->status = received->status;
}

/*
 * The receive callback tells of the removal: a program that does nothing but answer has no other
 * way to learn of it.
 */
static void test_receiver_of_requests_learns_of_removal(void **state)
{
	struct received received = { 0 };
	const struct madring_agent_config config = {
		.mgmt_class = CLASS_DEVICE,
		.class_version = 1,
		.method_mask = { 1u << MADRING_GET },
		.receive = on_request,
		.receive_user = &received,
	};
	struct madring *ring = removable_ring();
	struct madring_agent *agent;
	struct madring_port *port;
	struct fabric fabric;

	fabric_start(&fabric, GUID, true);
	assert_int_equal(madring_port_open(ring, fabric.ca_name, 1, NULL, &port), 0);
	assert_int_equal(madring_agent_open(port, &config, &agent), 0);
	assert_int_equal(madring_run(ring, 10), 0);
	fabric_kill(&fabric);
	assert_int_equal(madring_run(ring, -1), 1);
	assert_int_equal(received.count, 1);
	assert_int_equal(received.status, -ENODEV);
	/* There is nothing left to wait for. */
	assert_int_equal(madring_run(ring, -1), 0);
	assert_int_equal(received.count, 1);
	assert_int_equal(madring_close(ring), 0);
	fabric_reap(&fabric);
}

static void agent_open(struct removable *removable, struct madring *ring, const char *ca_name,
		       enum madring_rmpp rmpp)
{
	const struct madring_agent_config config = {
		.mgmt_class = CLASS_SA,
		.class_version = 2,
		.rmpp = rmpp,
		.window = IN_FLIGHT,
		.pin_window = true,
		.flow_window = IN_FLIGHT,
		.pin_flow_window = true,
		.timeout_ms = MADRING_FOREVER,
	};

	removable->ring = ring;
	assert_int_equal(madring_port_open(ring, ca_name, 1, NULL, &removable->port), 0);
	assert_int_equal(madring_agent_open(removable->port, &config, &removable->agent), 0);
}

static uint64_t message_bytes_in_use(const struct madring *ring)
{
	struct madring_stats stats;

	madring_get_stats(ring, &stats);
	return stats.pool_message_in_use;
}

static void send_messages(const struct removable *removable, struct outcomes *outcomes)
{
	const struct madring_send_options send = {
		.callback = on_outcome,
		.user = outcomes,
		.length = MESSAGE_BYTES,
	};

	for (unsigned int i = 0; i < MESSAGES; i++) {
		struct madring_mad *mad =
			madring_mad_alloc_message(removable->agent, MESSAGE_BYTES);

		assert_non_null(mad);
		madring_gmp_prepare(mad, HOST_LID, MADRING_GET, ATTRIBUTE, i);
		madring_rmpp_prepare(mad);
		assert_int_equal(madring_send(removable->agent, mad, &send), 0);
	}
}

/* The HCA goes while the kernel waits for ACKs of the messages' first segments. */
static void test_messages_in_segments_end(void **state)
{
	struct madring *ring = removable_ring();
	struct outcomes outcomes = { 0 };
	struct removable removable;
	struct fabric fabric;
	uint64_t in_use;

	fabric_start(&fabric, GUID, true);
	agent_open(&removable, ring, fabric.ca_name, MADRING_RMPP_KERNEL);
	in_use = message_bytes_in_use(ring);
	send_messages(&removable, &outcomes);
	removable_take_off(&removable, MESSAGES);
	assert_true(message_bytes_in_use(ring) > in_use);
	fabric_kill(&fabric);
	removable_wait(ring, &outcomes, MESSAGES);
	assert_int_equal(outcomes.gone, MESSAGES);
	assert_int_equal(message_bytes_in_use(ring), in_use);
	assert_int_equal(madring_port_close(removable.port), 0);
	assert_int_equal(madring_close(ring), 0);
	fabric_reap(&fabric);
}

/* A send without a reply ends when it is written, to a device that is there or not. */
static void test_send_without_reply_ends(void **state)
{
	struct outcomes outcomes = { 0 };
	const struct madring_send_options send = {
		.callback = on_outcome,
		.user = &outcomes,
		.no_reply = true,
	};
	struct madring *ring = removable_ring();
	struct removable removable;
	struct fabric fabric;

	fabric_start(&fabric, GUID, true);
	agent_open(&removable, ring, fabric.ca_name, MADRING_RMPP_NONE);
	for (unsigned int i = 0; i < IN_FLIGHT; i++) {
		struct madring_mad *mad = madring_mad_alloc(removable.agent);

		assert_non_null(mad);
		madring_gmp_prepare(mad, HOST_LID, MADRING_SEND, ATTRIBUTE, i);
		assert_int_equal(madring_send(removable.agent, mad, &send), 0);
		if (i == IN_FLIGHT / 2) {
			assert_true(madring_submit(ring) > 0);
			fabric_kill(&fabric);
			fabric_reap(&fabric);
		}
	}
	removable_wait(ring, &outcomes, IN_FLIGHT);
	assert_true(outcomes.answered > 0 && outcomes.gone > 0);
	assert_int_equal(outcomes.answered + outcomes.gone, IN_FLIGHT);
	assert_int_equal(madring_close(ring), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_receiver_of_requests_learns_of_removal),
		cmocka_unit_test(test_messages_in_segments_end),
		cmocka_unit_test(test_send_without_reply_ends),
	};

	removable_options(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
