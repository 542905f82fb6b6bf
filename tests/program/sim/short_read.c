/* SPDX-License-Identifier: BSD-2-Clause */
/* read(2) with less room than the next message takes, as ib_umad has it. Runs under madring-sim. */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim_client.h"
#include "sim_peer.h"
#include "sim_subnet.h"

#define SEGMENTS   5
#define DATA	   (SEGMENTS * SEGMENT_BYTES)
#define WHOLE	   (UMAD_BYTES + HEADER_BYTES + DATA)
#define FIRST	   (UMAD_BYTES + MAD_BYTES)
#define LARGE	   (6 << 20)
#define TOO_LARGE  ((16 << 20) - HEADER_BYTES + 1)
#define TIMEOUT_MS 50
#define UNTOUCHED  0xa5

static uint8_t buffer[2 * WHOLE];

static void expect_error(int fd, size_t count, int error)
{
	errno = 0;
	assert_int_equal(read(fd, buffer, count), -1);
	assert_int_equal(errno, error);
}

static void test_plain_mad(void **state)
{
	int fd = client_open();
	struct message message;

	client_send(fd, client_agent(fd), 1, HERE, PATIENCE_MS);
	assert_int_equal(client_read(fd, &message), sizeof(message));
	client_send(fd, 0, 2, HERE, PATIENCE_MS);
	client_send(fd, 0, 3, HERE, PATIENCE_MS);
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	expect_error(fd, 0, EINVAL);
	expect_error(fd, UMAD_BYTES - 1, EINVAL);
	expect_error(fd, UMAD_BYTES, EINVAL);
	expect_error(fd, FIRST - 1, EINVAL);
	client_expect_reply(fd, 2);
	client_expect_reply(fd, 3);
	umad_close_port(fd);
}

static void test_notice(void **state)
{
	int fd = client_open();

	client_send(fd, client_agent(fd), 1, PORT_TO_DEAD, TIMEOUT_MS);
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	expect_error(fd, NOTICE_BYTES - 1, EINVAL);
	assert_int_equal(read(fd, buffer, NOTICE_BYTES), NOTICE_BYTES);
	umad_close_port(fd);
}

/* Sends a message in segments, and a MAD when that has arrived. */
static void send_two(const struct peer *from, const struct peer *to, uint32_t tid)
{
	struct peer_message message = peer_message(from, GET_MULTI, tid, DATA);
	struct peer_message mad = peer_message(from, GET, tid + 1, SEGMENT_BYTES);

	peer_send(from, &message);
	assert_true(peer_wait(to, PATIENCE_MS));
	peer_send(from, &mad);
	peer_free(&message);
	peer_free(&mad);
}

static void expect_two(const struct peer *at, uint32_t tid)
{
	struct peer_message got = peer_receive(at);

	peer_check(&got, GET_MULTI, tid, DATA);
	peer_free(&got);
	got = peer_receive(at);
	peer_check(&got, GET, tid + 1, SEGMENT_BYTES);
	peer_free(&got);
}

static void test_message(void **state)
{
	struct peer client = peer_open(1, RMPP_BY_DEVICE, false);
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);
	struct peer_message sent = peer_message(&client, GET_MULTI, 7, DATA), got;

	peer_send(&client, &sent);
	assert_true(peer_wait(&server, PATIENCE_MS));
	expect_error(server.fd, UMAD_BYTES - 1, EINVAL);
	expect_error(server.fd, FIRST - 1, EINVAL);

	memset(buffer, UNTOUCHED, sizeof(buffer));
	expect_error(server.fd, WHOLE - 1, ENOSPC);
	got = (struct peer_message){ .bytes = FIRST, .umad = buffer };
	assert_int_equal(peer_header(&got)->length, WHOLE);
	assert_int_equal(peer_low_tid(&got), 7);
	assert_memory_equal(peer_mad(&got) + HEADER_BYTES, peer_mad(&sent) + HEADER_BYTES,
			    SEGMENT_BYTES);
	assert_int_equal(buffer[FIRST], UNTOUCHED);
	expect_error(server.fd, FIRST, ENOSPC);

	assert_int_equal(read(server.fd, buffer, WHOLE), WHOLE);
	got.bytes = WHOLE;
	peer_check(&got, GET_MULTI, 7, DATA);
	expect_error(server.fd, WHOLE, EAGAIN);
	peer_free(&sent);
	peer_close(&client);
	peer_close(&server);
}

static void test_order_is_kept(void **state)
{
	struct peer client = peer_open(1, RMPP_BY_DEVICE, false);
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);
	uint32_t tid;

	for (tid = 20; tid < 40; tid += 2) {
		send_two(&client, &server, tid);
		expect_two(&server, tid);
	}
	peer_close(&client);
	peer_close(&server);
}

static void test_blocking_read(void **state)
{
	struct peer client = peer_open(1, RMPP_BY_DEVICE, false);
	struct peer_message request = peer_message(&client, GET, 9, SEGMENT_BYTES);

	peer_header(&request)->timeout_ms = TIMEOUT_MS;
	peer_header(&request)->addr.lid = htobe16(99);
	peer_send(&client, &request);
	assert_int_equal(fcntl(client.fd, F_SETFL, 0), 0);
	assert_int_equal(read(client.fd, buffer, sizeof(buffer)), NOTICE_BYTES);
	peer_free(&request);
	peer_close(&client);
}

/*
 * Receives in other ways than by read(). They get the beginning of a message; then read() gets all
 * of it, and until it has, nothing else comes.
 */
static void receive_otherwise(const struct peer *client, const struct peer *server, uint32_t tid,
			      size_t data_bytes)
{
	size_t whole = UMAD_BYTES + HEADER_BYTES + data_bytes;
	struct peer_message got = { .umad = malloc(whole), .bytes = FIRST };
	struct peer_message sent = peer_message(client, GET_MULTI, tid, data_bytes);
	struct peer_message behind = peer_message(client, GET, tid + 1, SEGMENT_BYTES);

	assert_non_null(got.umad);
	peer_send(client, &sent);
	assert_true(peer_wait(server, PATIENCE_MS));
	peer_send(client, &behind);
	assert_int_equal(recv(server->fd, got.umad, whole, 0), FIRST);
	assert_int_equal(peer_header(&got)->length, whole);
	assert_int_equal(peer_low_tid(&got), tid);
	assert_memory_equal(peer_mad(&got) + HEADER_BYTES, peer_mad(&sent) + HEADER_BYTES,
			    SEGMENT_BYTES);
	assert_false(peer_wait(server, SHORT_MS));
	memset(got.umad, UNTOUCHED, whole);
	errno = 0;
	assert_int_equal(read(server->fd, got.umad, whole - 1), -1);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(peer_header(&got)->length, whole);
	assert_int_equal(got.umad[FIRST], UNTOUCHED);
	assert_int_equal(read(server->fd, got.umad, whole), whole);
	got.bytes = whole;
	peer_check(&got, GET_MULTI, tid, data_bytes);
	peer_free(&got);
	got = peer_receive(server);
	peer_check(&got, GET, tid + 1, SEGMENT_BYTES);
	peer_free(&got);
	peer_free(&sent);
	peer_free(&behind);
}

static void test_plain_socket(void **state)
{
	struct peer client = peer_open(1, RMPP_BY_DEVICE, false);
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);

	receive_otherwise(&client, &server, 30, DATA);
	receive_otherwise(&client, &server, 32, LARGE);
	assert_int_equal(recv(server.fd, buffer, sizeof(buffer), MSG_DONTWAIT), -1);
	errno = 0;
	assert_int_equal(read(server.fd, buffer, sizeof(buffer)), -1);
	assert_int_equal(errno, EAGAIN);
	peer_close(&client);
	peer_close(&server);
}

/* The message has one byte more than a message may have. */
static void test_too_long(void **state)
{
	struct peer client = peer_open(1, RMPP_BY_DEVICE, false);
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);
	struct peer_message sent = peer_message(&client, GET_MULTI, 40, TOO_LARGE);

	errno = 0;
	assert_int_equal(write(client.fd, sent.umad, sent.bytes), -1);
	assert_true(errno == EMSGSIZE || errno == ENOBUFS);
	assert_int_equal(write(client.fd, sent.umad, sent.bytes - 1), sent.bytes - 1);
	assert_true(peer_wait(&server, PATIENCE_MS));
	peer_free(&sent);
	sent = peer_receive(&server);
	peer_check(&sent, GET_MULTI, 40, TOO_LARGE - 1);
	peer_free(&sent);
	peer_close(&client);
	peer_close(&server);
}

/* The number of a closed umad file is taken by something else. */
static void test_reused_number(void **state)
{
	struct peer client = peer_open(1, RMPP_BY_DEVICE, false);
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "abc", 3), 3);
	assert_int_equal(dup2(ends[0], client.fd), client.fd);
	assert_int_equal(read(client.fd, buffer, 2), 2);
	assert_memory_equal(buffer, "ab", 2);
	assert_int_equal(dup2(ends[1], client.fd), client.fd);
	assert_int_equal(write(client.fd, "d", 1), 1);
	assert_int_equal(read(ends[0], buffer, 2), 2);
	assert_memory_equal(buffer, "cd", 2);
	close(ends[0]);
	close(ends[1]);
	close(client.fd);
}

static void write_empty(int fd)
{
	int i;

	for (i = 0; i < 3; i++)
		assert_int_equal(send(fd, "", 0, 0), 0);
}

/* The server sees it all at once: empty messages, a good one, and the end. */
static void test_empty_messages_before_the_end(void **state)
{
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);
	struct peer client = peer_open(1, RMPP_BY_US, false);
	struct peer_message message = peer_message(&client, GET, 11, SEGMENT_BYTES), got;

	kill(getppid(), SIGSTOP);
	write_empty(client.fd);
	peer_send(&client, &message);
	write_empty(client.fd);
	peer_send(&client, &message);
	peer_close(&client);
	kill(getppid(), SIGCONT);
	got = peer_receive(&server);
	peer_check(&got, GET, 11, SEGMENT_BYTES);
	peer_free(&got);
	got = peer_receive(&server);
	peer_check(&got, GET, 11, SEGMENT_BYTES);
	peer_free(&got);
	peer_free(&message);
	peer_close(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_mad),
		cmocka_unit_test(test_notice),
		cmocka_unit_test(test_message),
		cmocka_unit_test(test_order_is_kept),
		cmocka_unit_test(test_blocking_read),
		cmocka_unit_test(test_plain_socket),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_reused_number),
		cmocka_unit_test(test_empty_messages_before_the_end),
	};

	subnet_bring_up();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
