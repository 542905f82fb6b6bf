/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Our RMPP against the device's, both ways, and with both ends asking and answering at length: the
 * arguments are the numbers of segments, behind --lossy where packets are lost. Runs under
 * madring-sim, whose device has a model of the kernel's RMPP; or whose fabric the kernel's own
 * drives.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim_client.h"
#include "sim_subnet.h"
#include "umad_end.h"

#define ACK_MS	  20 /* the device's, so that what is lost is soon sent again */
#define RETRIES	  1000
#define REPLY_MS  (60 * 1000)
#define UNALIGNED 77

static size_t segments; /* of the test's messages */
static uint32_t next_tid = 100;

static size_t data_bytes(void)
{
	return (segments - 1) * SEGMENT_BYTES + UNALIGNED;
}

/* Makes a message that is sent in segments. */
static struct peer_message long_message(const struct peer *from, uint8_t method, uint32_t tid,
					const struct peer_message *request)
{
	struct peer_message message = peer_message(from, method, tid, data_bytes());

	if (request)
		memcpy(peer_mad(&message) + 8, peer_mad(request) + 8, sizeof(uint64_t));
	peer_set_active(&message);
	return message;
}

/* Writes a message, which the device sends in segments by itself. */
static void device_send(const struct peer *device, struct peer_message *message)
{
	peer_header(message)->timeout_ms = ACK_MS;
	peer_header(message)->retries = RETRIES;
	peer_send(device, message);
	peer_free(message);
}

/*
 * Returns the next message that the device's agent reads, while our end goes on; notices of its
 * sends are skipped.
 */
static struct peer_message device_receive(const struct peer *device, struct umad_end *end)
{
	for (;;) {
		struct peer_message got;

		while (!peer_wait(device, 0))
			assert_true(umad_end_run(end, device->fd, LONG_MS));
		got = peer_receive(device);
		if (peer_header(&got)->status != ETIMEDOUT)
			return got;
		peer_free(&got);
	}
}

static void until_sent(struct umad_end *end)
{
	while (!end->sent) {
		assert_true(umad_end_run(end, -1, LONG_MS));
		assert_int_equal(end->error, 0);
	}
}

static void expect(struct peer_message *got, uint8_t method, uint32_t tid)
{
	peer_check(got, method, tid, data_bytes());
	peer_free(got);
}

static void test_device_sends(void **state)
{
	struct peer device = peer_open(1, RMPP_BY_DEVICE, false);
	uint32_t tid = next_tid++;
	struct peer_message message = long_message(&device, GET_MULTI, tid, NULL), got;
	struct umad_end end;

	umad_end_open(&end, 2, true);
	device_send(&device, &message);
	got = umad_end_receive(&end);
	expect(&got, GET_MULTI, tid);
	umad_end_close(&end);
	peer_close(&device);
}

static void test_end_sends_to_the_device(void **state)
{
	struct peer device = peer_open(2, RMPP_BY_DEVICE, true);
	uint32_t tid = next_tid++;
	struct peer_message message, got;
	struct umad_end end;

	umad_end_open(&end, 1, false);
	message = long_message(&end.peer, GET_MULTI, tid, NULL);
	umad_end_send(&end, &message, 0);
	until_sent(&end);
	got = device_receive(&device, &end);
	expect(&got, GET_MULTI, tid);
	peer_free(&message);
	umad_end_close(&end);
	peer_close(&device);
}

/* Asks the device by a request in one MAD. If that is lost, another one is made. */
static struct peer_message ask_device(struct umad_end *end, const struct peer *device,
				      uint32_t *tid)
{
	do {
		struct peer_message request;

		*tid = next_tid++;
		request = peer_message(&end->peer, GET_TABLE, *tid, SEGMENT_BYTES);
		umad_end_write(end, &request, REPLY_MS);
		peer_free(&request);
	} while (!peer_wait(device, SHORT_MS));
	return peer_receive(device);
}

static void test_device_answers(void **state)
{
	struct peer device = peer_open(2, RMPP_BY_DEVICE, true);
	struct peer_message request, response, got;
	struct umad_end end;
	uint32_t tid;

	umad_end_open(&end, 1, false);
	request = ask_device(&end, &device, &tid);
	response = long_message(&device, GET_TABLE | RESPONSE, tid, &request);
	device_send(&device, &response);
	got = umad_end_receive(&end);
	expect(&got, GET_TABLE | RESPONSE, tid);
	peer_free(&request);
	umad_end_close(&end);
	peer_close(&device);
}

static void test_end_answers_the_device(void **state)
{
	struct peer device = peer_open(1, RMPP_BY_DEVICE, false);
	struct peer_message request, response, got;
	struct umad_end end;
	uint32_t tid;

	umad_end_open(&end, 2, true);
	do {
		tid = next_tid++;
		request = peer_message(&device, GET_TABLE, tid, SEGMENT_BYTES);
		peer_header(&request)->timeout_ms = REPLY_MS;
		peer_send(&device, &request);
		peer_free(&request);
	} while (!umad_end_run(&end, -1, SHORT_MS));
	request = umad_end_receive(&end);
	response = long_message(&end.peer, GET_TABLE | RESPONSE, tid, &request);
	umad_end_send(&end, &response, 0);
	got = device_receive(&device, &end);
	expect(&got, GET_TABLE | RESPONSE, tid);
	until_sent(&end);
	peer_free(&request);
	peer_free(&response);
	umad_end_close(&end);
	peer_close(&device);
}

/* Sends a long request, and a response to it that is long, or one MAD: which must come, too. */
static void ask_at_length(bool long_response)
{
	struct peer device = peer_open(2, RMPP_BY_DEVICE, true);
	uint32_t tid = next_tid++;
	struct peer_message request, response, got;
	struct umad_end end;
	uint64_t id;

	umad_end_open(&end, 1, false);
	request = long_message(&end.peer, GET_MULTI, tid, NULL);
	id = umad_end_send(&end, &request, REPLY_MS);
	got = device_receive(&device, &end);
	peer_check(&got, GET_MULTI, tid, data_bytes());
	if (long_response) {
		response = long_message(&device, GET_MULTI | RESPONSE, tid, &got);
		device_send(&device, &response);
	} else {
		/* The response goes at once, when not even the last ACK has been read. */
		response = peer_message(&device, GET_MULTI | RESPONSE, tid, SEGMENT_BYTES);
		memcpy(peer_mad(&response) + 8, peer_mad(&got) + 8, sizeof(uint64_t));
		peer_send(&device, &response);
		peer_free(&response);
	}
	peer_free(&got);
	got = umad_end_receive(&end);
	peer_check(&got, GET_MULTI | RESPONSE, tid, long_response ? data_bytes() : SEGMENT_BYTES);
	peer_free(&got);
	rmpp_forget(end.rmpp, id);
	peer_free(&request);
	umad_end_close(&end);
	peer_close(&device);
}

static void test_request_and_response_in_segments(void **state)
{
	ask_at_length(true);
}

/* The test is left out where packets are lost: the response is one MAD, which nobody repeats. */
static void test_long_request_short_response(void **state)
{
	ask_at_length(false);
}

/*
 * The device's time for an ACK is also that for the response. It is long, so what is lost is sent
 * late.
 */
static void test_device_asks_at_length(void **state)
{
	struct peer device = peer_open(1, RMPP_BY_DEVICE, false);
	uint32_t tid = next_tid++;
	struct peer_message message = long_message(&device, GET_MULTI, tid, NULL), got, response;
	struct umad_end end;

	umad_end_open(&end, 2, true);
	peer_header(&message)->timeout_ms = REPLY_MS;
	peer_send(&device, &message);
	peer_free(&message);
	got = umad_end_receive(&end);
	peer_check(&got, GET_MULTI, tid, data_bytes());
	response = long_message(&end.peer, GET_MULTI | RESPONSE, tid, &got);
	umad_end_send(&end, &response, 0);
	peer_free(&got);
	got = device_receive(&device, &end);
	expect(&got, GET_MULTI | RESPONSE, tid);
	until_sent(&end);
	peer_free(&response);
	umad_end_close(&end);
	peer_close(&device);
}

static int run_lossless(const char *text)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_request_short_response),
		cmocka_unit_test(test_device_asks_at_length),
	};

	return cmocka_run_group_tests_name(text, tests, NULL, NULL);
}

static int run(const char *text, bool lossy)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_device_sends),
		cmocka_unit_test(test_end_sends_to_the_device),
		cmocka_unit_test(test_device_answers),
		cmocka_unit_test(test_end_answers_the_device),
		cmocka_unit_test(test_request_and_response_in_segments),
	};

	segments = strtoul(text, NULL, 10);
	return cmocka_run_group_tests_name(text, tests, NULL, NULL) +
	       (lossy ? 0 : run_lossless(text));
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
