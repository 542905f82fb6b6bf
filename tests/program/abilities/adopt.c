/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that has opened a umad file and registered its agents by libibumad, and then lets
 * madring have the file, and some of the agents. It goes on with the others, and with the file
 * when it has it back. By each way to receive.
 */
#include "abilities_local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/umad_types.h>

#include "program/sim/raw_agent.h"

#define CLASS_VENDOR 0x0a
#define ANOTHER	     0x0b
#define REQUESTS     300
#define NOBODY	     0xbff0 /* a LID */
#define PATIENCE_MS  60000
#define SHORT_MS     50
#define SILENCE_MS   200
#define MARK	     100

static const enum madring_receive ways[] = { MADRING_RECEIVE_POSTED, MADRING_RECEIVE_AUTO };

struct message {
	struct ib_user_mad umad;
	uint8_t mad[MADRING_MAD_BYTES];
};

struct program {
	int fd, flags;
	uint16_t lid;
	int client; /* is adopted, and so is the replier, which takes Gets of CLASS_VENDOR */
	int replier;
	int stranger; /* is not: it takes Sets of ANOTHER */
	uint32_t sent;
	unsigned int answers, notices, requests, adopted_requests, replies;

	struct madring *ring;
	struct madring_port *port;
	struct madring_agent *agent;
};

static int agent_of(int fd, uint8_t mgmt_class, uint8_t method)
{
	struct umad_reg_attr attr = {
		.mgmt_class = mgmt_class,
		.mgmt_class_version = 1,
		.method_mask = { method ? 1u << method : 0 },
	};
	uint32_t id;

	assert_int_equal(umad_register2(fd, &attr, &id), 0);
	return (int)id;
}

/* Makes an answer of the request, and sends it. */
static void answer(const struct program *program, int agent, struct message *message)
{
	struct madring_mad_hdr *header = (void *)message->mad;

	assert_false(header->method & MADRING_RESPONSE_BIT);
	header->method |= MADRING_RESPONSE_BIT;
	umad_set_addr(message, be16toh(message->umad.addr.lid), 1, 0, UMAD_QKEY);
	assert_int_equal(umad_send(program->fd, agent, message, MADRING_MAD_BYTES, 0, 0), 0);
}

/* Counts a message that the program has read, or was handed, and answers a request. */
static void take(struct program *program, int agent, struct message *message, size_t length)
{
	const struct madring_mad_hdr *header = (const void *)message->mad;
	uint32_t tid = (uint32_t)be64toh(header->tid);

	if (agent == program->replier || header->mgmt_class == ANOTHER) {
		program->requests++;
		answer(program, agent, message);
		return;
	}
	assert_true(tid >= 1 && tid <= program->sent);
	assert_int_equal(agent, tid % 2 ? program->client : program->stranger);
	if (umad_status(message)) {
		assert_int_equal(umad_status(message), ETIMEDOUT);
		assert_int_equal(length, sizeof(*header));
		program->notices++;
		return;
	}
	assert_int_equal(length, MADRING_MAD_BYTES);
	assert_memory_equal(message->mad + MARK, &tid, sizeof(tid));
	program->answers++;
}

static void on_others(const struct madring_received *received)
{
	struct message message;

	assert_int_equal(received->status, 0);
	assert_null(received->agent);
	memcpy(&message, madring_mad_umad(received->mad), sizeof(message.umad) + received->length);
	take(received->user, (int)message.umad.agent_id, &message, received->length);
}

static void on_request(const struct madring_received *received)
{
	const struct madring_send_options send = { .no_reply = true };
	struct program *program = received->user;

	assert_int_equal(received->status, 0);
	program->adopted_requests++;
	assert_int_equal(madring_mad_keep(program->ring, received->mad), 0);
	madring_response_prepare(received->mad, received->mad);
	assert_int_equal(madring_send(received->agent, received->mad, &send), 0);
}

static void prepare(struct message *message, uint8_t mgmt_class, uint8_t method, uint32_t tid)
{
	const struct madring_mad_hdr header = {
		.base_version = 1,
		.mgmt_class = mgmt_class,
		.class_version = 1,
		.method = method,
		.tid = htobe64(tid),
		.attr_id = htobe16(NODE_DESCRIPTION),
	};

	memset(message, 0, sizeof(*message));
	memcpy(message->mad, &header, sizeof(header));
	memcpy(message->mad + MARK, &tid, sizeof(tid));
}

/*
 * Sends by umad_send(), by both of the program's agents in turn. A request to its own LID is
 * answered by madring.
 */
static void send_own(struct program *program, uint16_t lid, int timeout_ms)
{
	uint32_t tid = ++program->sent;
	struct message message;

	prepare(&message, CLASS_VENDOR, MADRING_GET, tid);
	umad_set_addr(&message, lid, 1, 0, UMAD_QKEY);
	assert_int_equal(umad_send(program->fd, tid % 2 ? program->client : program->stranger,
				   &message, MADRING_MAD_BYTES, timeout_ms, 0),
			 0);
}

static void open_program(struct program *program, enum madring_receive receive)
{
	const struct madring_config config = {
		.transactions = 1024,
		.reads = 256,
		.receive = receive,
	};
	struct madring_ca_port *port;

	memset(program, 0, sizeof(*program));
	assert_int_equal(madring_ca_port_get(NULL, 0, &port), 0);
	program->lid = (uint16_t)port->lid;
	madring_ca_port_release(port);
	program->fd = umad_open_port(NULL, 0);
	assert_true(program->fd >= 0);
	program->flags = fcntl(program->fd, F_GETFL);
	program->stranger = agent_of(program->fd, ANOTHER, MADRING_SET);
	program->client = agent_of(program->fd, CLASS_VENDOR, 0);
	program->replier = agent_of(program->fd, CLASS_VENDOR, MADRING_GET);
	assert_int_equal(madring_open(&program->ring, &config), 0);
}

static void adopt(struct program *program)
{
	const struct madring_adopt_config file = { .receive = on_others, .receive_user = program };
	const struct madring_agent_config client = {
		.mgmt_class = CLASS_VENDOR,
		.class_version = 1,
		.timeout_ms = PATIENCE_MS,
	};
	const struct madring_agent_config replier = {
		.mgmt_class = CLASS_VENDOR,
		.class_version = 1,
		.method_mask = { 1 << MADRING_GET },
		.receive = on_request,
		.receive_user = program,
	};
	struct madring_agent *agent;

	assert_int_equal(madring_port_adopt(program->ring, program->fd, &file, &program->port), 0);
	assert_int_equal(madring_agent_adopt(program->port, (uint32_t)program->client, &client,
					     &program->agent),
			 0);
	assert_int_equal(
		madring_agent_adopt(program->port, (uint32_t)program->replier, &replier, &agent),
		0);
}

/* The file is the program's again, all its agents are registered, and nobody else reads from it. */
static void expect_own(struct program *program)
{
	struct message message;
	unsigned int answers = program->answers;

	assert_int_equal(fcntl(program->fd, F_GETFL), program->flags);
	/* Whom madring answered for is asked, and answers, by hand. */
	send_own(program, program->lid, PATIENCE_MS);
	while (program->answers == answers) {
		int length = MADRING_MAD_BYTES;
		int agent = umad_recv(program->fd, &message, &length, PATIENCE_MS);

		assert_true(agent >= 0);
		take(program, agent, &message, (size_t)length);
	}
	assert_int_equal(umad_unregister(program->fd, program->client), 0);
	assert_int_equal(umad_unregister(program->fd, program->replier), 0);
	assert_int_equal(umad_unregister(program->fd, program->stranger), 0);
	assert_int_equal(umad_close_port(program->fd), 0);
}

static void close_program(struct program *program)
{
	assert_int_equal(madring_close(program->ring), 0);
	expect_own(program);
}

static void on_reply(const struct madring_completion *completion)
{
	struct program *program = completion->user;
	const uint8_t *request = madring_mad_data(completion->request);

	assert_int_equal(completion->status, 0);
	assert_memory_equal((uint8_t *)madring_mad_data(completion->mad) + MARK, request + MARK, 4);
	program->replies++;
}

static void send_madrings(struct program *program, uint32_t mark)
{
	const struct madring_send_options send = { .callback = on_reply, .user = program };
	struct madring_mad *mad = local_mad(program->agent);

	madring_gmp_prepare(mad, program->lid, MADRING_GET, NODE_DESCRIPTION, 0);
	memcpy((uint8_t *)madring_mad_data(mad) + MARK, &mark, sizeof(mark));
	assert_int_equal(madring_send(program->agent, mad, &send), 0);
}

/*
 * Both send on the one file, by the one agent, at once; and each gets the replies to its own
 * requests.
 */
static void test_program_and_madring_share_the_file(void **state)
{
	for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		struct program program;
		struct madring_stats stats;

		open_program(&program, ways[way]);
		/* Answered or not when the file is adopted; the last will never be. */
		for (unsigned int i = 0; i < 10; i++)
			send_own(&program, program.lid, PATIENCE_MS);
		send_own(&program, NOBODY, SHORT_MS);
		adopt(&program);
		for (uint32_t i = 0; i < REQUESTS; i++) {
			send_madrings(&program, i + 1000);
			send_own(&program, program.lid, PATIENCE_MS);
			if (i % 50 == 0)
				assert_true(madring_step(program.ring) >= 0);
		}
		while (program.replies < REQUESTS || program.answers < REQUESTS + 10 ||
		       !program.notices)
			assert_true(madring_run(program.ring, -1) >= 0);
		madring_get_stats(program.ring, &stats);
		assert_int_equal(program.replies, REQUESTS);
		assert_int_equal(program.answers, REQUESTS + 10);
		assert_int_equal(program.notices, 1);
		/* The first of them may have been read before that agent was adopted. */
		assert_int_equal(program.adopted_requests + program.requests, 2 * REQUESTS + 10);
		assert_true(program.adopted_requests >= 2 * REQUESTS);
		assert_int_equal(stats.requests, program.adopted_requests);
		assert_int_equal(stats.others, REQUESTS + 11 + program.requests);
		assert_int_equal(stats.unmatched + stats.unsolicited + stats.malformed, 0);
		close_program(&program);
	}
}

/* Somebody else asks both agents that take requests. */
static void test_requests_reach_both_owners(void **state)
{
	for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		struct madring_agent *asking[2];
		struct program program;
		struct local local;

		open_program(&program, ways[way]);
		adopt(&program);
		local_open(&local);
		asking[0] = local_agent(&local, ANOTHER);
		asking[1] = local_agent(&local, CLASS_VENDOR);
		for (uint32_t i = 0; i < REQUESTS; i++) {
			const struct madring_send_options send = { .callback = on_reply,
								   .user = &program };
			struct madring_mad *mad = local_mad(asking[i % 2]);

			madring_gmp_prepare(mad, program.lid, i % 2 ? MADRING_GET : MADRING_SET,
					    NODE_DESCRIPTION, i);
			memcpy((uint8_t *)madring_mad_data(mad) + MARK, &i, sizeof(i));
			assert_int_equal(madring_send(asking[i % 2], mad, &send), 0);
		}
		while (program.replies < REQUESTS) {
			assert_true(madring_step(program.ring) >= 0);
			assert_true(madring_run(local.ring, 1) >= 0);
		}
		assert_true(program.requests >= REQUESTS / 2);
		assert_true(program.adopted_requests >= REQUESTS / 2);
		local_close(&local);
		close_program(&program);
	}
}

/* A MAD that comes while madring lets go of the file is handed over, or is still in it. */
static void test_closing_loses_no_mad(void **state)
{
	for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		struct program program;
		struct message message;
		unsigned int handed_over;

		open_program(&program, ways[way]);
		for (unsigned int turn = 1; turn <= 5; turn++) {
			adopt(&program);
			for (uint32_t i = 0; i < REQUESTS; i++)
				send_own(&program, program.lid, PATIENCE_MS);
			/* The loop ends when all answers are on their way. */
			while (program.adopted_requests + program.requests < turn * REQUESTS ||
			       madring_outstanding(program.ring))
				assert_true(madring_run(program.ring, -1) >= 0);
			assert_int_equal(madring_port_close(program.port), 0);
			handed_over = program.answers - (turn - 1) * REQUESTS;
			while (program.answers < turn * REQUESTS) {
				int length = MADRING_MAD_BYTES;
				int agent = umad_recv(program.fd, &message, &length, PATIENCE_MS);

				assert_true(agent >= 0);
				take(&program, agent, &message, (size_t)length);
			}
			printf("%u handed over, %u left in the file\n", handed_over,
			       REQUESTS - handed_over);
			assert_int_equal(umad_poll(program.fd, SILENCE_MS), -ETIMEDOUT);
		}
		close_program(&program);
	}
}

#define GET_TABLE 0x12

/* Returns a byte of a long message, whose length is in the attribute modifier. */
static uint8_t byte_at(size_t length, size_t at)
{
	return (uint8_t)((length + at) * 2654435761u >> 24);
}

struct server {
	int fd, agent;
	unsigned int answered;
	size_t length; /* of the last reply */
};

/* Answers by umad_send(), with as much as is asked for. */
static void on_table_request(const struct madring_received *received)
{
	struct server *server = received->user;
	size_t length = be32toh(madring_mad_header(received->mad)->attr_mod);
	struct ib_user_mad *answer = calloc(1, sizeof(*answer) + length);

	assert_non_null(answer);
	assert_int_equal(received->status, 0);
	assert_int_equal(madring_mad_umad(received->mad)->agent_id, server->agent);
	assert_int_equal(madring_mad_umad(received->mad)->status, 0);
	memcpy(answer, received->mad, sizeof(*answer) + MADRING_SA_DATA);
	for (size_t i = MADRING_SA_DATA; i < length; i++)
		answer->data[i] = byte_at(length, i);
	answer->data[3] |= MADRING_RESPONSE_BIT;
	answer->data[24] = MADRING_RMPP_VERSION;
	answer->data[25] = MADRING_RMPP_DATA;
	answer->data[26] = MADRING_RMPP_ACTIVE;
	umad_set_addr(answer, be16toh(answer->addr.lid), 1, 0, UMAD_QKEY);
	assert_int_equal(umad_send(server->fd, server->agent, answer, (int)length, PATIENCE_MS, 3),
			 0);
	server->answered++;
	free(answer);
}

static void on_table(const struct madring_completion *completion)
{
	struct server *server = completion->user;
	const uint8_t *data;

	assert_int_equal(completion->status, 0);
	data = madring_mad_data(completion->mad);
	server->length = completion->length;
	for (size_t i = MADRING_SA_DATA; i < server->length; i++)
		assert_int_equal(data[i], byte_at(server->length, i));
}

static int table_agent(int fd, uint8_t method)
{
	struct umad_reg_attr attr = {
		.mgmt_class = CLASS_SA,
		.mgmt_class_version = 2,
		.method_mask = { method ? 1u << method : 0 },
		.rmpp_version = MADRING_RMPP_VERSION,
	};
	uint32_t id;

	assert_int_equal(umad_register2(fd, &attr, &id), 0);
	return (int)id;
}

/* Both agents have the kernel's RMPP; one is adopted, and the other answers at length. */
static void test_messages_in_segments(void **state)
{
	static const uint32_t lengths[] = { 256, 257, 5000, 300000 };
	const struct madring_agent_config config = {
		.mgmt_class = CLASS_SA,
		.class_version = 2,
		.rmpp = MADRING_RMPP_KERNEL,
		.timeout_ms = PATIENCE_MS,
	};

	for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		struct server server = { .fd = umad_open_port(NULL, 0) };
		const struct madring_adopt_config file = {
			.receive = on_table_request,
			.receive_user = &server,
		};
		const struct madring_send_options send = { .callback = on_table, .user = &server };
		struct madring_agent *agent;
		struct madring_ca_port *port;
		struct local local;
		int client = table_agent(server.fd, 0);

		server.agent = table_agent(server.fd, GET_TABLE);
		assert_int_equal(madring_ca_port_get(NULL, 0, &port), 0);
		local_open(&local);
		assert_int_equal(madring_port_close(local.port), 0);
		assert_int_equal(madring_port_adopt(local.ring, server.fd, &file, &local.port), 0);
		assert_int_equal(madring_agent_adopt(local.port, (uint32_t)client, &config, &agent),
				 0);
		for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
			struct madring_mad *mad = local_mad(agent);

			madring_sa_prepare(mad, (uint16_t)port->lid, 0, GET_TABLE, 0x35, lengths[i],
					   0);
			assert_int_equal(madring_send(agent, mad, &send), 0);
			while (madring_outstanding(local.ring))
				assert_true(madring_run(local.ring, -1) >= 0);
			assert_int_equal(server.length, lengths[i]);
		}
		assert_int_equal(server.answered, sizeof(lengths) / sizeof(lengths[0]));
		madring_ca_port_release(port);
		local_close(&local);
		assert_int_equal(umad_close_port(server.fd), 0);
	}
}

static int adopt_error(struct madring *ring, int fd, const char *ca_name, int portnum)
{
	const struct madring_adopt_config config = {
		.ca_name = ca_name,
		.portnum = portnum,
		.receive = on_others,
	};
	struct madring_port *port;

	return madring_port_adopt(ring, fd, &config, &port);
}

/* Opens a umad file without the P_Key index in its header, and turns it on too late. */
static int open_old(const char *path)
{
	const struct raw_agent agent = { .qpn = 1, .mgmt_class = CLASS_PERF };
	int fd = open(path, O_RDWR | O_NONBLOCK);

	assert_true(fd >= 0);
	assert_int_equal(raw_register(fd, &agent), 0);
	assert_int_equal(raw_enable_pkey(fd), EINVAL);
	return fd;
}

static void test_unfit_files_are_not_adopted(void **state)
{
	const struct madring_agent_config config = { .mgmt_class = CLASS_PERF, .class_version = 1 };
	static const char path[] = "/dev/infiniband/umad0";
	struct program program;
	struct madring_agent *agent;
	int fd, pipes[2];

	open_program(&program, MADRING_RECEIVE_AUTO);
	assert_int_equal(adopt_error(program.ring, -1, NULL, 0), -EBADF);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(adopt_error(program.ring, pipes[0], NULL, 0), -EBADF);
	close(pipes[0]);
	close(pipes[1]);
	fd = open("/dev/null", O_RDWR);
	assert_int_equal(adopt_error(program.ring, fd, NULL, 0), -ENOTTY);
	close(fd);
	fd = open_old(path);
	assert_int_equal(adopt_error(program.ring, fd, NULL, 0), -EBADFD);
	close(fd);
	assert_int_equal(adopt_error(program.ring, program.fd, "mlx5_0", 1), -ENODEV);
	assert_int_equal(adopt_error(program.ring, program.fd, NULL, 7), -ENXIO);
	/* A socket, which the simulated device is, has no number to compare. */
	if (local_has_driver())
		assert_int_equal(adopt_error(program.ring, program.fd, NULL, 2), -ENXIO);
	adopt(&program);
	assert_int_equal(adopt_error(program.ring, program.fd, NULL, 0), -EALREADY);
	assert_int_equal(
		madring_agent_adopt(program.port, (uint32_t)program.client, &config, &agent),
		-EALREADY);
	for (uint32_t id = 3; id < 34; id++)
		assert_int_equal(madring_agent_adopt(program.port, id, &config, &agent), -ESRCH);
	/* Nothing was sent to find that out, and the device is there. */
	send_madrings(&program, 5);
	while (!program.replies)
		assert_true(madring_run(program.ring, -1) >= 0);
	close_program(&program);
}

/* A new file, without agents and opened by hand, can be adopted as it is. */
static void test_a_file_without_agents(void **state)
{
	const struct madring_adopt_config config = { .receive = on_others };
	struct local local;
	struct madring_agent *agent;
	uint8_t info[MADRING_SMP_DATA_BYTES];
	struct madring_mad *mad;
	int fd = open("/dev/infiniband/umad0", O_RDWR | O_NONBLOCK);

	assert_true(fd >= 0);
	local_open(&local);
	assert_int_equal(madring_port_close(local.port), 0);
	assert_int_equal(madring_port_adopt(local.ring, fd, &config, &local.port), 0);
	agent = local_agent(&local, CLASS_DIRECTED);
	mad = local_mad(agent);
	assert_int_equal(madring_smp_dr_prepare(mad, NULL, 0, MADRING_GET, NODE_INFO, 0), 0);
	local_ask(&local, agent, mad, MADRING_SMP_DATA, info, sizeof(info));
	assert_int_equal(info[36], 1); /* LocalPortNum */
	local_close(&local);
	assert_int_equal(close(fd), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_program_and_madring_share_the_file),
	cmocka_unit_test(test_requests_reach_both_owners),
	cmocka_unit_test(test_closing_loses_no_mad),
	cmocka_unit_test(test_messages_in_segments),
	cmocka_unit_test(test_unfit_files_are_not_adopted),
	cmocka_unit_test(test_a_file_without_agents),
};

TEST_MAIN(tests, NULL, NULL)
