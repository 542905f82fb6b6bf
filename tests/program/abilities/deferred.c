/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers that put off (IBA 13.4.7): a server that is busy is asked again, one that redirects to
 * another LID is taken at its word, and what leads to a GID is handed to the caller. The client and
 * the redirecting server are on port 1, the other server on port 2.
 */
#include "abilities_local.h"

#include <string.h>

#define CLASS_VENDOR 0x0a
#define ATTRIBUTE    0x0020
#define BUSY	     0x0001
#define REDIRECT     0x0002
#define QKEY	     0x80010000

/* Offsets of this class' attribute, and of the redirection in a ClassPortInfo (IBA 13.4.8.1). */
#define DATA	      24
#define REDIRECT_GID  (DATA + 8)
#define REDIRECT_LID  (DATA + 28)
#define REDIRECT_PKEY (DATA + 30)
#define REDIRECT_QP   (DATA + 32)
#define REDIRECT_QKEY (DATA + 36)

#define MARK	 200
#define REQUESTS 50
#define BUSY_FOR 3

enum way { ANSWER, SAY_BUSY, TO_LID, TO_GID };

struct server {
	struct madring_port *port;
	struct madring_agent *agent;
	uint16_t lid;
	enum way way;
	unsigned int requests;
};

static struct {
	struct madring *ring;
	struct server server[2]; /* by port */
	struct madring_agent *client;
	unsigned int answers;
	uint16_t status, from; /* of the last one */
	unsigned int attempts;
} test;

static void put16(uint8_t *to, uint16_t value)
{
	value = htobe16(value);
	memcpy(to, &value, sizeof(value));
}

static void put32(uint8_t *to, uint32_t value)
{
	value = htobe32(value);
	memcpy(to, &value, sizeof(value));
}

static void redirect(const struct server *server, uint8_t *mad)
{
	put16(mad + REDIRECT_PKEY, 0xffff);
	put32(mad + REDIRECT_QP, 1);
	put32(mad + REDIRECT_QKEY, QKEY);
	if (server->way == TO_LID)
		put16(mad + REDIRECT_LID, test.server[1].lid);
	else
		memset(mad + REDIRECT_GID, 0xfe, 16);
}

static void on_request(const struct madring_received *received)
{
	const struct madring_send_options send = { .no_reply = true };
	struct server *server = received->user;
	uint16_t status = 0;

	assert_int_equal(received->status, 0);
	server->requests++;
	if (server->way == SAY_BUSY && server->requests % (BUSY_FOR + 1))
		status = BUSY;
	else if (server->way == TO_LID || server->way == TO_GID)
		status = REDIRECT;
	assert_int_equal(madring_mad_keep(test.ring, received->mad), 0);
	madring_response_prepare(received->mad, received->mad);
	madring_mad_header(received->mad)->status = htobe16(status);
	if (status == REDIRECT)
		redirect(server, madring_mad_data(received->mad));
	assert_int_equal(madring_send(received->agent, received->mad, &send), 0);
}

static void on_answer(const struct madring_completion *completion)
{
	const uint8_t *request = madring_mad_data(completion->request);

	assert_int_equal(completion->status, 0);
	assert_memory_equal((uint8_t *)madring_mad_data(completion->mad) + MARK, request + MARK, 4);
	test.answers++;
	test.status = madring_mad_status(completion->mad);
	test.from = be16toh(madring_mad_address(completion->mad)->lid);
	test.attempts = completion->attempts;
}

static int setup(void **state)
{
	struct madring_agent_config config = {
		.mgmt_class = CLASS_VENDOR,
		.class_version = 1,
		.timeout_ms = 200, /* after which one who is busy is asked again */
		.retries = 100,
	};

	memset(&test, 0, sizeof(test));
	assert_int_equal(madring_open(&test.ring, &(struct madring_config){ .transactions = 256,
									    .reads = 256 }),
			 0);
	for (int i = 0; i < 2; i++) {
		struct server *server = &test.server[i];
		struct madring_ca_port *port;

		assert_int_equal(madring_ca_port_get(NULL, i + 1, &port), 0);
		server->lid = (uint16_t)port->lid;
		madring_ca_port_release(port);
		assert_int_equal(madring_port_open(test.ring, NULL, i + 1,
						   &(struct madring_port_config){ .lanes = 2 },
						   &server->port),
				 0);
		config.receive = on_request;
		config.receive_user = server;
		config.method_mask[0] = 1 << MADRING_GET;
		assert_int_equal(madring_agent_open(server->port, &config, &server->agent), 0);
	}
	config.receive = NULL;
	config.method_mask[0] = 0;
	assert_int_equal(madring_agent_open(test.server[0].port, &config, &test.client), 0);
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(madring_close(test.ring), 0);
	return 0;
}

/* Asks the server of port 1. */
static void ask(unsigned int count)
{
	const struct madring_send_options send = { .callback = on_answer };

	for (uint32_t i = 0; i < count; i++) {
		struct madring_mad *mad = local_mad(test.client);

		madring_gmp_prepare(mad, test.server[0].lid, MADRING_GET, ATTRIBUTE, i);
		memcpy((uint8_t *)madring_mad_data(mad) + MARK, &i, sizeof(i));
		assert_int_equal(madring_send(test.client, mad, &send), 0);
	}
	while (test.answers < count)
		assert_true(madring_run(test.ring, -1) >= 0);
}

static void test_the_busy_are_asked_again(void **state)
{
	struct madring_stats stats;

	test.server[0].way = SAY_BUSY;
	ask(1);
	assert_int_equal(test.status, 0);
	assert_true(test.attempts > BUSY_FOR);
	madring_get_stats(test.ring, &stats);
	assert_true(stats.busy >= BUSY_FOR);
}

static void test_redirects_to_a_lid_are_followed(void **state)
{
	struct madring_stats stats;

	test.server[0].way = TO_LID;
	ask(REQUESTS);
	assert_int_equal(test.status, 0);
	assert_int_equal(test.from, test.server[1].lid);
	assert_true(test.server[0].requests >= REQUESTS);
	assert_true(test.server[1].requests >= REQUESTS);
	madring_get_stats(test.ring, &stats);
	assert_true(stats.redirected >= REQUESTS);
}

static void test_redirects_to_a_gid_are_the_callers(void **state)
{
	struct madring_stats stats;

	test.server[0].way = TO_GID;
	ask(1);
	assert_int_equal(test.status, REDIRECT);
	assert_int_equal(test.from, test.server[0].lid);
	assert_int_equal(test.server[1].requests, 0);
	madring_get_stats(test.ring, &stats);
	assert_int_equal(stats.redirected, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_the_busy_are_asked_again, setup, teardown),
	cmocka_unit_test_setup_teardown(test_redirects_to_a_lid_are_followed, setup, teardown),
	cmocka_unit_test_setup_teardown(test_redirects_to_a_gid_are_the_callers, setup, teardown),
};

TEST_MAIN(tests, NULL, NULL)
