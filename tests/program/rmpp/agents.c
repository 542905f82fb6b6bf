/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Agents that leave RMPP to madring, or to the kernel, ask and answer each other at length: the
 * arguments are the numbers of segments, behind --lossy where packets are lost. Runs under
 * madring-sim, whose device has a model of the kernel's RMPP; or whose fabric the kernel's own
 * drives.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <madring.h>

#include "sim_subnet.h"

#define SA_CLASS   0x03
#define SA_VERSION 2
#define GET_TABLE  0x12
#define GET_MULTI  0x14
#define ATTRIBUTE  0x0035

#define SEGMENT	    200
#define UNALIGNED   77
#define MANY	    200
#define MESSAGES    16		/* of the longest that there are at once, and as they grow */
#define ROOM	    (8 << 20)	/* for those that are many, too */
#define TIMEOUT_MS  20000	/* where the kernel has to be told how long all of it takes */
#define DEVICE_MOST (16u << 20) /* bytes of a message that the simulated device takes */

static size_t segments; /* of the test's messages */

/* The two ends in one ring: a client on one port, a server on the other. */
struct ends {
	struct madring *ring;
	struct madring_port *port[2];
	struct madring_agent *client, *server;
	enum madring_rmpp client_rmpp, server_rmpp;
	bool long_response;
	unsigned int requests, responses; /* received; sent as a whole */
	unsigned int replies;
	bool silent; /* the server says nothing */
};

/* Returns a byte of a message, all of which follows from a number in its attribute modifier. */
static uint8_t byte_at(uint32_t number, size_t at)
{
	return (uint8_t)((at + 1) * (2 * number + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

static size_t message_length(bool is_long)
{
	return MADRING_SA_DATA + (is_long ? (segments - 1) * SEGMENT + UNALIGNED : SEGMENT);
}

static uint32_t number_of(const struct madring_mad *mad)
{
	return be32toh(madring_mad_const_header(mad)->attr_mod);
}

static void fill(struct madring_mad *mad, bool is_long)
{
	uint8_t *bytes = madring_mad_data(mad);
	size_t length = message_length(is_long);

	for (size_t i = MADRING_SA_DATA; i < length; i++)
		bytes[i] = byte_at(number_of(mad) ^ madring_mad_header(mad)->method, i);
	if (is_long)
		madring_rmpp_prepare(mad);
}

static void check(const struct madring_mad *mad, size_t length, bool is_long)
{
	const uint8_t *bytes = madring_mad_const_data(mad);
	size_t expected = message_length(is_long);
	size_t at = MADRING_SA_DATA;

	/* A short one comes with its padding, or without. */
	assert_in_range(length, expected, is_long ? expected : MADRING_MAD_BYTES);
	assert_int_equal(madring_mad_const_umad(mad)->length, sizeof(struct ib_user_mad) + length);
	while (at < expected &&
	       bytes[at] == byte_at(number_of(mad) ^ madring_mad_const_header(mad)->method, at))
		at++;
	assert_int_equal(at, expected);
}

static void on_response_sent(const struct madring_completion *completion)
{
	struct ends *ends = completion->user;

	/* Whoever asks twice, because it took so long, wants one response and no more. */
	assert_true(!completion->status || completion->status == -ECONNABORTED);
	ends->responses += !completion->status;
}

static void on_request(const struct madring_received *received)
{
	struct ends *ends = received->user;
	struct madring_send_options how = { .callback = on_response_sent,
					    .user = ends,
					    .no_reply = true };
	struct madring_mad *response;

	assert_int_equal(received->status, 0);
	check(received->mad, received->length,
	      madring_mad_header(received->mad)->method == GET_MULTI);
	ends->requests++;
	if (ends->silent)
		return;
	how.length = message_length(ends->long_response);
	response = madring_mad_alloc_message(
		received->agent, how.length < MADRING_MAD_BYTES ? MADRING_MAD_BYTES : how.length);
	assert_non_null(response);
	memset(madring_mad_data(response), 0, MADRING_MAD_BYTES);
	madring_response_prepare(response, received->mad);
	fill(response, ends->long_response);
	if (!ends->long_response)
		how.length = MADRING_MAD_BYTES;
	assert_int_equal(madring_send(received->agent, response, &how), 0);
}

static struct madring_agent *open_agent(struct ends *ends, unsigned int port, bool serves,
					enum madring_rmpp rmpp)
{
	struct madring_agent_config config = {
		.mgmt_class = SA_CLASS,
		.class_version = SA_VERSION,
		.rmpp = rmpp,
		.timeout_ms = rmpp == MADRING_RMPP_KERNEL ? TIMEOUT_MS : 0,
	};
	struct madring_agent *agent;

	if (serves) {
		config.method_mask[0] = 1u << GET_TABLE | 1u << GET_MULTI;
		config.receive = on_request;
		config.receive_user = ends;
	}
	assert_int_equal(madring_agent_open(ends->port[port], &config, &agent), 0);
	return agent;
}

static void ends_open(struct ends *ends, enum madring_rmpp client, enum madring_rmpp server)
{
	const struct madring_config config = {
		.transactions = 1024,
		.lanes = 2,
		.message_bytes = ROOM + MESSAGES * segments * SEGMENT,
		.pin = MADRING_PIN_BEST_EFFORT,
	};

	*ends = (struct ends){ .client_rmpp = client, .server_rmpp = server };
	assert_int_equal(madring_open(&ends->ring, &config), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(madring_port_open(ends->ring, NULL, i + 1, NULL, &ends->port[i]),
				 0);
	ends->client = open_agent(ends, 0, false, client);
	ends->server = open_agent(ends, 1, true, server);
}

static void on_reply(const struct madring_completion *completion)
{
	struct ends *ends = completion->user;

	assert_int_equal(completion->status, 0);
	check(completion->mad, completion->length, ends->long_response);
	ends->replies++;
}

static void ask(struct ends *ends, uint32_t number, bool at_length, madring_callback callback,
		uint64_t *id)
{
	struct madring_send_options how = { .callback = callback, .user = ends, .id = id };
	struct madring_mad *request;

	how.length = at_length ? message_length(true) : MADRING_MAD_BYTES;
	request = madring_mad_alloc_message(
		ends->client, how.length < MADRING_MAD_BYTES ? MADRING_MAD_BYTES : how.length);
	assert_non_null(request);
	madring_sa_prepare(request, LID_OF_PORT2, 0, at_length ? GET_MULTI : GET_TABLE, ATTRIBUTE,
			   number, 0);
	fill(request, at_length);
	assert_int_equal(madring_send(ends->client, request, &how), 0);
}

static void run_until(struct ends *ends, const unsigned int *count, unsigned int enough)
{
	while (*count < enough)
		assert_true(madring_run(ends->ring, -1) >= 0);
}

static void ask_and_answer(enum madring_rmpp client, enum madring_rmpp server, bool long_request,
			   bool long_response)
{
	struct ends ends;

	ends_open(&ends, client, server);
	ends.long_response = long_response;
	ask(&ends, 1, long_request, on_reply, NULL);
	run_until(&ends, &ends.replies, 1);
	run_until(&ends, &ends.responses, 1);
	assert_int_equal(madring_close(ends.ring), 0);
}

static void test_long_reply(void **state)
{
	ask_and_answer(MADRING_RMPP_USER, MADRING_RMPP_USER, false, true);
}

static void test_long_request(void **state)
{
	ask_and_answer(MADRING_RMPP_USER, MADRING_RMPP_USER, true, false);
}

static void test_request_and_reply_in_segments(void **state)
{
	ask_and_answer(MADRING_RMPP_USER, MADRING_RMPP_USER, true, true);
}

static void test_server_in_the_kernel(void **state)
{
	ask_and_answer(MADRING_RMPP_USER, MADRING_RMPP_KERNEL, false, true);
	ask_and_answer(MADRING_RMPP_USER, MADRING_RMPP_KERNEL, true, false);
	ask_and_answer(MADRING_RMPP_USER, MADRING_RMPP_KERNEL, true, true);
}

static void test_client_in_the_kernel(void **state)
{
	ask_and_answer(MADRING_RMPP_KERNEL, MADRING_RMPP_USER, false, true);
	ask_and_answer(MADRING_RMPP_KERNEL, MADRING_RMPP_USER, true, false);
	ask_and_answer(MADRING_RMPP_KERNEL, MADRING_RMPP_USER, true, true);
}

static void test_many_at_once(void **state)
{
	struct ends ends;
	size_t kept = segments;

	segments = 30;
	ends_open(&ends, MADRING_RMPP_USER, MADRING_RMPP_USER);
	ends.long_response = true;
	for (uint32_t i = 0; i < MANY; i++)
		ask(&ends, i, i % 2, on_reply, NULL);
	while (madring_outstanding(ends.ring))
		assert_true(madring_run(ends.ring, -1) >= 0);
	assert_int_equal(ends.replies, MANY);
	assert_int_equal(madring_close(ends.ring), 0);
	segments = kept;
}

static void on_canceled(const struct madring_completion *completion)
{
	struct ends *ends = completion->user;

	assert_int_equal(completion->status, -ECANCELED);
	assert_null(completion->mad);
	ends->replies++;
}

/*
 * The client cancels requests that nobody answers: one that has come, one that was just submitted,
 * and one by closing its agent.
 */
static void test_cancel(void **state)
{
	struct ends ends;
	uint64_t id;

	ends_open(&ends, MADRING_RMPP_USER, MADRING_RMPP_USER);
	ends.long_response = true;
	ends.silent = true;
	ask(&ends, 1, true, on_canceled, &id);
	run_until(&ends, &ends.requests, 1);
	assert_int_equal(madring_cancel(ends.ring, id), 0);
	run_until(&ends, &ends.replies, 1);
	assert_int_equal(madring_cancel(ends.ring, id), -ENOENT);
	ask(&ends, 2, true, on_canceled, &id);
	madring_submit(ends.ring);
	assert_int_equal(madring_cancel(ends.ring, id), 0);
	run_until(&ends, &ends.replies, 2);
	ask(&ends, 3, true, on_canceled, &id);
	madring_submit(ends.ring);
	assert_int_equal(madring_agent_close(ends.client), 0);
	run_until(&ends, &ends.replies, 3);
	assert_int_equal(madring_close(ends.ring), 0);
}

static bool device_takes_them(void)
{
	return message_length(true) <= DEVICE_MOST;
}

static int run(const char *text, bool lossy)
{
	const struct CMUnitTest ours[] = {
		cmocka_unit_test(test_long_reply),
		cmocka_unit_test(test_long_request),
		cmocka_unit_test(test_request_and_reply_in_segments),
		cmocka_unit_test(test_many_at_once),
		cmocka_unit_test(test_cancel),
	};
	const struct CMUnitTest mixed[] = {
		cmocka_unit_test(test_server_in_the_kernel),
		cmocka_unit_test(test_client_in_the_kernel),
	};

	segments = strtoul(text, NULL, 10);
	return cmocka_run_group_tests_name(text, ours, NULL, NULL) +
	       (lossy || !device_takes_them()
			? 0
			: cmocka_run_group_tests_name(text, mixed, NULL, NULL));
}

int main(int argc, char **argv)
{
	bool lossy = argc > 1 && !strcmp(argv[1], "--lossy");
	int i, failed = 0;

	subnet_bring_up();
	for (i = 1 + lossy; i < argc; i++)
		failed += run(argv[i], lossy);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
