/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections to the server's socket that don't keep to the protocol. Runs under madring-sim. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sim_client.h"
#include "server/protocol.h"

#define CONNECTIONS 200
#define SEEDS	    2000

static int connect_server(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	assert_true(fd >= 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/" SIM_SOCKET,
		 getenv(SIM_ENVIRONMENT));
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void expect_good_service(void)
{
	int fd = client_open();

	client_send(fd, client_agent(fd), 1, HERE, PATIENCE_MS);
	client_expect_reply(fd, 1);
	umad_close_port(fd);
}

/* Sends one request. Returns what the server says to it; EOF when it hangs up. */
static int ask(const void *request, size_t size)
{
	struct sim_reply reply;
	int fd = connect_server();
	ssize_t length;

	assert_int_equal(send(fd, request, size, MSG_NOSIGNAL), size);
	length = recv(fd, &reply, sizeof(reply), 0);
	close(fd);
	if (length <= 0)
		return EOF;
	assert_int_equal(length, sizeof(reply));
	return (int)reply.error;
}

static void test_wrong_requests(void **state)
{
	struct sim_request request = { .magic = SIM_MAGIC, .kind = SIM_OPEN_UMAD };
	uint8_t large[4096] = { 0 };

	assert_int_equal(ask(large, 1), EOF);
	assert_int_equal(ask(large, sizeof(request)), EOF);
	memcpy(large, &request, sizeof(request));
	assert_int_equal(ask(large, sizeof(large)), EOF);
	request.index = UINT32_MAX;
	assert_true(ask(&request, sizeof(request)) > 0);
	request.kind = SIM_REGISTER_AGENT;
	request.cookie = 12345;
	assert_true(ask(&request, sizeof(request)) > 0);
	request.kind = 99;
	assert_true(ask(&request, sizeof(request)) > 0);
	expect_good_service();
}

static void test_silent_connections(void **state)
{
	int fd[CONNECTIONS], i;

	for (i = 0; i < CONNECTIONS; i++)
		fd[i] = connect_server();
	expect_good_service();
	for (i = 0; i < CONNECTIONS; i++)
		close(fd[i]);
	expect_good_service();
}

static void fill_random(uint8_t *bytes, size_t size, unsigned int *seed)
{
	size_t i;

	for (i = 0; i < size; i++)
		bytes[i] = (uint8_t)rand_r(seed);
}

static void test_random_requests(void **state)
{
	struct sim_request request;
	unsigned int seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		unsigned int number = seed;

		fill_random((uint8_t *)&request, sizeof(request), &number);
		request.magic = SIM_MAGIC;
		request.kind %= 8;
		ask(&request, sizeof(request));
	}
	expect_good_service();
}

/* Random bytes behind a good agent number, at random lengths. */
static void test_random_writes(void **state)
{
	int fd = client_open();
	uint32_t agent = client_agent(fd);
	uint8_t bytes[512];
	unsigned int seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		unsigned int number = seed;
		size_t length = (size_t)rand_r(&number) % sizeof(bytes);

		fill_random(bytes, sizeof(bytes), &number);
		memcpy(bytes, &agent, sizeof(agent));
		assert_int_equal(send(fd, bytes, length, 0), length);
	}
	umad_close_port(fd);
	expect_good_service();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_wrong_requests),
	cmocka_unit_test(test_silent_connections),
	cmocka_unit_test(test_random_requests),
	cmocka_unit_test(test_random_writes),
};

TEST_MAIN(tests, NULL, NULL)
