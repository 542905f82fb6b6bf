/* SPDX-License-Identifier: BSD-2-Clause */
/* Agents: what they are registered for, what they receive by that, and why they are refused. */
#include "abilities_local.h"

#include <errno.h>
#include <string.h>

#define CLASS_VENDOR 0x0a
#define REQUESTS     300
#define MANY	     900
#define MOST_AGENTS  32 /* of a umad file */
#define MARK	     100
#define NOBODY	     0xbff0 /* a LID */

static struct madring *answering;

static void on_request(const struct madring_received *received)
{
	const struct madring_send_options send = { .no_reply = true };
	unsigned int *count = received->user;
	struct madring_mad *mad;

	assert_int_equal(received->status, 0);
	assert_int_equal(received->length, MADRING_MAD_BYTES);
	++*count;
	mad = received->mad;
	assert_int_equal(madring_mad_keep(answering, mad), 0);
	madring_response_prepare(mad, mad);
	assert_int_equal(madring_send(received->agent, mad, &send), 0);
}

/* Answers Gets and Sets. */
static struct madring_agent_config replier(unsigned int *count)
{
	return (struct madring_agent_config){
		.mgmt_class = CLASS_VENDOR,
		.class_version = 1,
		.method_mask = { 1 << MADRING_GET | 1 << MADRING_SET },
		.receive = on_request,
		.receive_user = count,
	};
}

static unsigned int refusal(struct local *local, const struct madring_agent_config *config)
{
	struct madring_agent *agent;

	return (unsigned int)-madring_agent_open(local->port, config, &agent);
}

static void on_answer(const struct madring_completion *completion)
{
	unsigned int *answered = completion->user;
	const uint8_t *request = madring_mad_data(completion->request);

	assert_int_equal(completion->status, 0);
	assert_int_equal(madring_mad_header(completion->mad)->method, MADRING_GET_RESP);
	assert_memory_equal((uint8_t *)madring_mad_data(completion->mad) + MARK, request + MARK, 4);
	++*answered;
}

static void test_requests_to_oneself(void **state)
{
	unsigned int requests = 0, answered = 0;
	struct madring_agent_config config = replier(&requests);
	struct madring_agent *client, *agent;
	struct madring_ca_port *port;
	struct madring_stats stats;
	struct local local;

	local_open(&local);
	answering = local.ring;
	assert_int_equal(madring_ca_port_get(NULL, 0, &port), 0);
	assert_int_equal(madring_agent_open(local.port, &config, &agent), 0);
	client = local_agent(&local, CLASS_VENDOR);
	for (uint32_t i = 0; i < REQUESTS; i++) {
		const struct madring_send_options send = { .callback = on_answer,
							   .user = &answered };
		struct madring_mad *mad = local_mad(client);

		madring_gmp_prepare(mad, (uint16_t)port->lid, i % 2 ? MADRING_GET : MADRING_SET,
				    0x11, i);
		memcpy((uint8_t *)madring_mad_data(mad) + MARK, &i, sizeof(i));
		assert_int_equal(madring_send(client, mad, &send), 0);
	}
	while (answered < REQUESTS)
		assert_true(madring_run(local.ring, -1) > 0);
	/* A busy machine may have had some of them asked again. */
	assert_true(requests >= REQUESTS);
	madring_get_stats(local.ring, &stats);
	assert_int_equal(stats.requests, requests);
	assert_int_equal(stats.unsolicited, 0);
	madring_ca_port_release(port);
	local_close(&local);
}

/*
 * A request that has no room in an agent's queue is left in the kernel, and counted; and comes in
 * the end.
 */
static void test_a_full_queue(void **state)
{
	const struct madring_agent_config asking = {
		.mgmt_class = CLASS_VENDOR,
		.class_version = 1,
		.timeout_ms = MADRING_FOREVER,
		.flow_window = MANY,
		.pin_flow_window = true,
		.window = MANY,
		.pin_window = true,
	};
	unsigned int requests = 0, answered = 0;
	struct madring_agent_config config = replier(&requests);
	const struct madring_send_options send = { .callback = on_answer, .user = &answered };
	struct madring_agent *client, *agent;
	struct madring_ca_port *port;
	struct madring_stats stats;
	struct local local, far;

	local_open(&local);
	local_open(&far);
	answering = far.ring;
	config.receive_queue = 8;
	assert_int_equal(madring_ca_port_get(NULL, 0, &port), 0);
	assert_int_equal(madring_agent_open(far.port, &config, &agent), 0);
	assert_int_equal(madring_agent_open(local.port, &asking, &client), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		struct madring_mad *mad = local_mad(client);

		madring_gmp_prepare(mad, (uint16_t)port->lid, MADRING_GET, 0x11, i);
		memcpy((uint8_t *)madring_mad_data(mad) + MARK, &i, sizeof(i));
		assert_int_equal(madring_send(client, mad, &send), 0);
	}
	/* Nobody is called back meanwhile. */
	do {
		assert_true(madring_run(local.ring, 1) >= 0);
		assert_true(madring_submit(far.ring) >= 0);
		madring_get_stats(far.ring, &stats);
	} while (!stats.requests_left);
	for (unsigned int turn = 0; turn < 20; turn++) {
		assert_true(madring_run(local.ring, 1) >= 0);
		assert_true(madring_submit(far.ring) >= 0);
	}
	madring_get_stats(far.ring, &stats);
	assert_in_range(stats.received, 8, MANY - 1);
	assert_int_equal(requests, 0);
	while (answered < MANY) {
		assert_true(madring_run(far.ring, 1) >= 0);
		assert_true(madring_run(local.ring, 1) >= 0);
	}
	assert_int_equal(requests, MANY);
	madring_get_stats(far.ring, &stats);
	assert_int_equal(stats.requests, MANY);
	assert_int_equal(stats.unsolicited, 0);
	madring_ca_port_release(port);
	local_close(&local);
	local_close(&far);
}

static void test_a_class_that_is_taken(void **state)
{
	unsigned int requests = 0;
	struct madring_agent_config config = replier(&requests);
	struct madring_agent *agent;
	struct local local, other;

	local_open(&local);
	local_open(&other);
	assert_int_equal(madring_agent_open(other.port, &config, &agent), 0);
	assert_int_equal(refusal(&local, &config), EADDRINUSE);
	config.method_mask[0] = 1 << MADRING_SET | 1 << MADRING_REPORT;
	assert_int_equal(refusal(&local, &config), EADDRINUSE);
	config.method_mask[0] = 1 << MADRING_REPORT;
	assert_int_equal(refusal(&local, &config), 0);
	/* The method can be registered for again when it is free. */
	assert_int_equal(madring_agent_close(agent), 0);
	config.method_mask[0] = 1 << MADRING_GET;
	assert_int_equal(refusal(&local, &config), 0);
	local_close(&other);
	local_close(&local);
}

static void test_flags(void **state)
{
	uint32_t supported = 99;
	struct madring_agent_config config = {
		.mgmt_class = CLASS_SA,
		.class_version = 2,
		.flags = UMAD_USER_RMPP,
		.flags_supported = &supported,
	};
	struct local local;

	local_open(&local);
	assert_int_equal(refusal(&local, &config), 0);
	assert_int_equal(supported, 0);
	config.flags |= 0x80;
	assert_int_equal(refusal(&local, &config), ENOPROTOOPT);
	assert_int_equal(supported, UMAD_USER_RMPP);
	local_close(&local);
}

static void test_rmpp_needs_its_class(void **state)
{
	struct madring_agent_config config = {
		.mgmt_class = CLASS_PERF,
		.class_version = 1,
		.rmpp = MADRING_RMPP_KERNEL,
	};
	struct local local;

	local_open(&local);
	assert_int_equal(refusal(&local, &config), EINVAL);
	config.mgmt_class = CLASS_SA;
	config.class_version = 2;
	assert_int_equal(refusal(&local, &config), 0);
	local_close(&local);
}

static void on_end(const struct madring_completion *completion)
{
	unsigned int *canceled = completion->user;

	assert_int_equal(completion->status, -ECANCELED);
	assert_null(completion->agent);
	assert_null(completion->mad);
	++*canceled;
}

/*
 * Closing cancels the requests in flight, and those that wait; the class can be registered for
 * again, and again.
 */
static void test_closing_with_requests_in_flight(void **state)
{
	struct local local;

	local_open(&local);
	for (unsigned int turn = 0; turn < 5; turn++) {
		struct madring_agent *agent = local_agent(&local, CLASS_PERF);
		unsigned int canceled = 0;
		struct madring_agent_state now;

		for (uint32_t i = 0; i < REQUESTS; i++) {
			const struct madring_send_options send = { .callback = on_end,
								   .user = &canceled };
			struct madring_mad *mad = local_mad(agent);

			madring_gmp_prepare(mad, (uint16_t)(NOBODY + i % 4), MADRING_GET, 0x12, 0);
			assert_int_equal(madring_send(agent, mad, &send), 0);
		}
		assert_true(madring_submit(local.ring) > 0);
		madring_agent_get_state(agent, &now);
		assert_true(now.in_flight > 0 && now.queued > 0);
		assert_int_equal(madring_agent_close(agent), 0);
		assert_int_equal(canceled, 0);
		while (madring_outstanding(local.ring))
			assert_true(madring_run(local.ring, -1) >= 0);
		assert_int_equal(canceled, REQUESTS);
	}
	local_close(&local);
}

/*
 * An OUI is for the vendor classes that have one; in the config of other classes it has no effect.
 */
static void test_an_oui_is_ignored_elsewhere(void **state)
{
	struct madring_agent_config config = {
		.mgmt_class = CLASS_PERF,
		.class_version = 1,
		.oui = 0x001405,
	};
	struct local local;

	local_open(&local);
	assert_int_equal(refusal(&local, &config), 0);
	config.mgmt_class = CLASS_VENDOR;
	assert_int_equal(refusal(&local, &config), 0);
	local_close(&local);
}

static void test_agent_over_the_limit_is_refused(void **state)
{
	const struct madring_agent_config config = { .mgmt_class = CLASS_PERF, .class_version = 1 };
	struct local local;

	local_open(&local);
	for (unsigned int i = 0; i < MOST_AGENTS; i++)
		assert_int_equal(refusal(&local, &config), 0);
	assert_int_equal(refusal(&local, &config), EUSERS);
	local_close(&local);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_requests_to_oneself),
	cmocka_unit_test(test_a_full_queue),
	cmocka_unit_test(test_a_class_that_is_taken),
	cmocka_unit_test(test_flags),
	cmocka_unit_test(test_rmpp_needs_its_class),
	cmocka_unit_test(test_closing_with_requests_in_flight),
	cmocka_unit_test(test_an_oui_is_ignored_elsewhere),
	cmocka_unit_test(test_agent_over_the_limit_is_refused),
};

TEST_MAIN(tests, NULL, NULL)
