/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The address of a MAD, sent and received: what port 1 writes into an address is what port 2 reads
 * there, and the answer goes back by it, with a GRH and without.
 */
#include "abilities_local.h"

#include <string.h>

#define CLASS_VENDOR  0x0a
#define ATTRIBUTE     0x0020
#define QKEY	      0x80010000
#define PATIENCE_MS   5000
#define TRAFFIC_CLASS 0x5a
#define FLOW_LABEL    0xabcde
#define ARRIVED	      0xff /* the hop limit that a receiver is shown */

struct end {
	struct madring_ca_port *attributes;
	struct madring_port *port;
	struct madring_agent *agent;
	/* The address of the request that was received last. */
	struct ib_mad_addr address;
	bool has_grh;
	struct madring_grh grh;
};

static struct madring *ring;
static struct end client, server;

static void note(struct end *end, const struct madring_mad *mad)
{
	memset(&end->grh, 0, sizeof(end->grh));
	end->address = *madring_mad_const_address(mad);
	end->has_grh = madring_mad_grh(mad, &end->grh);
}

static void on_request(const struct madring_received *received)
{
	const struct madring_send_options send = { .no_reply = true };

	assert_int_equal(received->status, 0);
	note(&server, received->mad);
	assert_int_equal(madring_mad_keep(ring, received->mad), 0);
	madring_response_prepare(received->mad, received->mad);
	assert_int_equal(madring_send(received->agent, received->mad, &send), 0);
}

static void open_end(struct end *end, int number, bool serves)
{
	const struct madring_port_config lanes = { .lanes = 1 };
	const struct madring_agent_config config = {
		.mgmt_class = CLASS_VENDOR,
		.class_version = 1,
		.timeout_ms = PATIENCE_MS,
		.method_mask = { serves ? 1 << MADRING_GET : 0 },
		.receive = serves ? on_request : NULL,
	};

	assert_int_equal(madring_ca_port_get(NULL, number, &end->attributes), 0);
	assert_int_equal(madring_port_open(ring, NULL, number, &lanes, &end->port), 0);
	assert_int_equal(madring_agent_open(end->port, &config, &end->agent), 0);
}

static int setup(void **state)
{
	const struct madring_config config = { .transactions = 64, .reads = 64 };

	assert_int_equal(madring_open(&ring, &config), 0);
	open_end(&client, 1, false);
	open_end(&server, 2, true);
	return 0;
}

static int teardown(void **state)
{
	madring_ca_port_release(client.attributes);
	madring_ca_port_release(server.attributes);
	assert_int_equal(madring_close(ring), 0);
	return 0;
}

static uint16_t lid_of(const struct end *end)
{
	return (uint16_t)end->attributes->lid;
}

static struct madring_mad *request(void)
{
	struct madring_mad *mad = local_mad(client.agent);

	madring_gmp_prepare(mad, lid_of(&server), MADRING_GET, ATTRIBUTE, 0);
	return mad;
}

/* Waits for the answer, which is kept for a moment and given back. */
static void ask(struct madring_mad *mad)
{
	struct madring_completion completion;

	assert_int_equal(madring_call(client.agent, mad, NULL, &completion), 0);
	assert_int_equal(completion.status, 0);
	note(&client, completion.mad);
	madring_mad_free(ring, completion.mad);
	madring_mad_free(ring, completion.request);
	assert_int_equal(be16toh(server.address.lid), lid_of(&client));
	assert_int_equal(be32toh(server.address.qpn), 1);
	assert_int_equal(server.address.pkey_index, 0);
	assert_int_equal(be16toh(client.address.lid), lid_of(&server));
	assert_int_equal(be32toh(client.address.qpn), 1);
	assert_int_equal(client.has_grh, server.has_grh);
}

static void test_lid_qp_sl_and_qkey(void **state)
{
	static const uint8_t levels[] = { 0, 1, 7 };

	for (size_t i = 0; i < sizeof(levels); i++) {
		struct madring_mad *mad = request();

		madring_mad_set_address(mad, lid_of(&server), 1, levels[i], QKEY);
		ask(mad);
		assert_int_equal(server.address.sl, levels[i]);
		assert_false(server.has_grh);
		/* The second setter takes the same values in network order. */
		mad = request();
		madring_mad_set_address_net(mad, htobe16(lid_of(&server)), htobe32(1), levels[i],
					    htobe32(QKEY));
		ask(mad);
		assert_int_equal(server.address.sl, levels[i]);
	}
}

static void expect_grh(const struct end *end, const struct end *from)
{
	assert_true(end->has_grh);
	assert_memory_equal(end->grh.gid, from->attributes->gid, sizeof(end->grh.gid));
	assert_int_equal(end->grh.traffic_class, TRAFFIC_CLASS);
	assert_int_equal(end->grh.flow_label, FLOW_LABEL);
	assert_int_equal(end->grh.hop_limit, ARRIVED);
	assert_int_equal(end->grh.gid_index, 0);
}

static struct madring_grh grh_to_server(void)
{
	struct madring_grh grh = {
		.traffic_class = TRAFFIC_CLASS,
		.flow_label = FLOW_LABEL,
		.hop_limit = 64,
	};

	memcpy(grh.gid, server.attributes->gid, sizeof(grh.gid));
	return grh;
}

static void test_a_grh_both_ways(void **state)
{
	const struct madring_grh grh = grh_to_server();
	struct madring_mad *mad = request();

	madring_mad_set_grh(mad, &grh);
	ask(mad);
	expect_grh(&server, &client);
	expect_grh(&client, &server);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lid_qp_sl_and_qkey),
	cmocka_unit_test(test_a_grh_both_ways),
};

TEST_MAIN(tests, setup, teardown)
