/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends NodeInfo queries with as many in flight as asked for, through libibumad's calls, and
 * says how many were answered and how fast: flood [COUNT [IN-FLIGHT [HOPS]]]. Fails unless
 * each one is answered.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/umad.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>

#define TIMEOUT_MS 10000
#define NODE_INFO  0x0011

struct message {
	struct ib_user_mad header;
	struct umad_smp smp;
};

static void fill(struct message *message, uint32_t agent, uint32_t tid, unsigned int hops)
{
	unsigned int hop;

	memset(message, 0, sizeof(*message));
	message->header.agent_id = agent;
	message->header.timeout_ms = TIMEOUT_MS;
	message->header.addr.lid = 0xffff;
	message->smp.base_version = UMAD_BASE_VERSION;
	message->smp.mgmt_class = UMAD_CLASS_SUBN_DIRECTED_ROUTE;
	message->smp.class_version = 1;
	message->smp.method = UMAD_METHOD_GET;
	message->smp.tid = htobe64(tid);
	message->smp.attr_id = htobe16(NODE_INFO);
	message->smp.dr_slid = 0xffff;
	message->smp.dr_dlid = 0xffff;
	message->smp.hop_cnt = (uint8_t)hops;
	for (hop = 1; hop <= hops && hop < UMAD_SMP_MAX_HOPS; hop++)
		message->smp.initial_path[hop] = 1;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Takes one reply. Returns -1 when there is none yet. */
static int take_reply(int fd)
{
	struct message message;
	ssize_t length = read(fd, &message, sizeof(message));

	if (length < 0)
		return -1;
	if (length != sizeof(message) || message.header.status) {
		fprintf(stderr, "flood: a reply of %zd bytes, status %u\n", length,
			message.header.status);
		exit(EXIT_FAILURE);
	}
	return 0;
}

static void flood(int fd, uint32_t agent, unsigned long count, unsigned long window,
		  unsigned int hops)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	unsigned long sent = 0, answered = 0;
	struct message message;

	while (answered < count) {
		while (sent < count && sent - answered < window) {
			fill(&message, agent, (uint32_t)sent + 1, hops);
			if (write(fd, &message, sizeof(message)) != sizeof(message))
				break;
			sent++;
		}
		if (poll(&readable, 1, TIMEOUT_MS) <= 0) {
			fprintf(stderr, "flood: %lu of %lu answered\n", answered, count);
			exit(EXIT_FAILURE);
		}
		while (answered < sent && !take_reply(fd))
			answered++;
	}
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	unsigned long window = argc > 2 ? strtoul(argv[2], NULL, 10) : 512;
	unsigned int hops = argc > 3 ? (unsigned int)strtoul(argv[3], NULL, 10) : 1;
	int fd = umad_open_port(NULL, 0), agent;
	double start;

	if (fd < 0) {
		fprintf(stderr, "flood: umad_open_port: %s\n", strerror(-fd));
		return EXIT_FAILURE;
	}
	agent = umad_register(fd, UMAD_CLASS_SUBN_DIRECTED_ROUTE, 1, 0, NULL);
	if (agent < 0) {
		fprintf(stderr, "flood: umad_register: %s\n", strerror(errno));
		return EXIT_FAILURE;
	}
	start = seconds();
	flood(fd, (uint32_t)agent, count, window, hops);
	printf("%lu answered, %.0f a second\n", count, (double)count / (seconds() - start));
	umad_close_port(fd);
	return EXIT_SUCCESS;
}
