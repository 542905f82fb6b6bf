/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages in segments between two ports, whatever the fabric does to their packets: the
 * arguments are the numbers of segments. Runs under madring-sim.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim_client.h"
#include "sim_peer.h"
#include "sim_subnet.h"

#define ACK_MS	    8 /* so that what is lost is soon sent again */
#define RETRIES	    1000
#define RESPONSE_MS (60 * 1000)
#define UNALIGNED   77

static size_t segments; /* of the test's messages */
static uint32_t next_tid = 100;

static size_t data_bytes(void)
{
	return (segments - 1) * SEGMENT_BYTES + UNALIGNED;
}

/*
 * Returns what @from has sent as @to receives it; timeout notices of earlier messages are skipped.
 */
static struct peer_message receive_mad(const struct peer *to)
{
	struct peer_message got = peer_receive(to);

	while (peer_header(&got)->status == ETIMEDOUT) {
		peer_free(&got);
		got = peer_receive(to);
	}
	return got;
}

/* The request gets no response. */
static void test_request(void **state)
{
	struct peer client = peer_open(1, RMPP_BY_DEVICE, false);
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);
	uint32_t tid = next_tid++;
	struct peer_message request = peer_message(&client, GET_MULTI, tid, data_bytes()), got;

	peer_set_active(&request);
	peer_header(&request)->timeout_ms = ACK_MS;
	peer_header(&request)->retries = RETRIES;
	peer_send(&client, &request);
	got = receive_mad(&server);
	peer_check(&got, GET_MULTI, tid, data_bytes());
	peer_free(&got);
	got = peer_receive(&client);
	assert_int_equal(peer_header(&got)->status, ETIMEDOUT);
	assert_int_equal(got.bytes, NOTICE_BYTES);
	assert_int_equal(peer_low_tid(&got), tid);
	peer_free(&got);
	peer_free(&request);
	peer_close(&client);
	peer_close(&server);
}

/* Asks by a request in one MAD. If that is lost, another one is made. */
static struct peer_message ask(const struct peer *client, const struct peer *server, uint32_t *tid)
{
	struct peer_message request;

	do {
		*tid = next_tid++;
		request = peer_message(client, GET_TABLE, *tid, SEGMENT_BYTES);
		peer_header(&request)->timeout_ms = RESPONSE_MS;
		peer_send(client, &request);
		peer_free(&request);
	} while (!peer_wait(server, SHORT_MS));
	return receive_mad(server);
}

static void respond(const struct peer *server, const struct peer_message *request, uint8_t method,
		    uint32_t tid, uint32_t ack_ms)
{
	struct peer_message response = peer_message(server, method | RESPONSE, tid, data_bytes());

	memcpy(peer_mad(&response) + 8, peer_mad(request) + 8, sizeof(uint64_t));
	peer_set_active(&response);
	peer_header(&response)->timeout_ms = ack_ms;
	peer_header(&response)->retries = RETRIES;
	peer_send(server, &response);
	peer_free(&response);
}

static void test_response(void **state)
{
	struct peer client = peer_open(1, RMPP_BY_DEVICE, false);
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);
	struct peer_message got;
	uint32_t tid;

	got = ask(&client, &server, &tid);
	peer_check(&got, GET_TABLE, tid, SEGMENT_BYTES);
	respond(&server, &got, GET_TABLE, tid, ACK_MS);
	peer_free(&got);
	got = peer_receive(&client);
	peer_check(&got, GET_TABLE | RESPONSE, tid, data_bytes());
	peer_free(&got);
	peer_close(&client);
	peer_close(&server);
}

static int run(const char *text)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_response),
	};

	segments = strtoul(text, NULL, 10);
	return cmocka_run_group_tests_name(text, tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	int i, failed = 0;

	subnet_bring_up();
	for (i = 1; i < argc; i++)
		failed += run(argv[i]);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
