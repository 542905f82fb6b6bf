/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Round trips by plain write and read on umad files: requests of a class to the hosts of
 * vhca-fabric, with as many in flight as asked for. Each has to come back once, from the host it
 * went to, with its own reply.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/umad.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>

#define NODE_INFO    0x0011
#define GUID_IN_INFO 12	 /* the node's, in NodeInfo */
#define MARK	     100 /* where a GMP's mark stands */
#define HOST_LID     0x100u
#define FIRST_GUID   0x0002c90300001000ull
#define OUI	     0x001405
#define QKEY	     0x80010000u
#define MAX_FILES    64
#define PATIENCE_MS  60000
#define FIRST_HOST   2 /* the switch's port behind that of a one-port HCA */

struct message {
	struct ib_user_mad header;
	union {
		uint8_t mad[256];
		struct umad_hdr head;
		struct umad_smp smp;
	};
};

struct trips {
	const char *device; /* NULL: the default */
	uint8_t mgmt_class;
	unsigned long count, window, files, hosts;
	int fd[MAX_FILES];
	uint32_t agent[MAX_FILES];
	bool *answered;
};

static const struct argp_option options[] = {
	{ "device", 'd', "NAME", 0, "Such as vhca0", 0 },
	{ "class", 'c', "CLASS", 0, "Of the MADs (0x81)", 0 },
	{ "count", 'n', "COUNT", 0, "Requests (1000)", 0 },
	{ "window", 'w', "COUNT", 0, "In flight (64)", 0 },
	{ "files", 'f', "COUNT", 0, "Open files to spread them over (1)", 0 },
	{ "hosts", 'h', "COUNT", 0, "Hosts of the fabric (16)", 0 },
	{ 0 },
};

static void fail(const char *what)
{
	fprintf(stderr, "round-trips: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static unsigned long number(const char *text, unsigned long most, struct argp_state *state)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);

	if (end == text || *end || !value || value > most)
		argp_error(state, "%s: a number from 1 to %lu is wanted", text, most);
	return value;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct trips *trips = state->input;

	switch (key) {
	case 'd':
		trips->device = text;
		return 0;
	case 'c':
		trips->mgmt_class = (uint8_t)number(text, 0xff, state);
		return 0;
	case 'n':
		trips->count = number(text, 10000000, state);
		return 0;
	case 'w':
		trips->window = number(text, 1000000, state);
		return 0;
	case 'f':
		trips->files = number(text, MAX_FILES, state);
		return 0;
	case 'h':
		trips->hosts = number(text, 200, state);
		return 0;
	case ARGP_KEY_ARG:
		argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool is_smp(uint8_t mgmt_class)
{
	return mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE ||
	       mgmt_class == UMAD_CLASS_SUBN_LID_ROUTED;
}

static void open_file(struct trips *trips, unsigned int file)
{
	struct umad_reg_attr attr = {
		.mgmt_class = trips->mgmt_class,
		.mgmt_class_version = 1,
		.oui = trips->mgmt_class >= 0x30 && trips->mgmt_class <= 0x4f ? OUI : 0,
	};
	int fd = umad_open_port(trips->device, 0);

	if (fd < 0)
		fail("opening the port");
	if (fcntl(fd, F_SETFL, O_NONBLOCK))
		fail("O_NONBLOCK");
	errno = umad_register2(fd, &attr, &trips->agent[file]);
	if (errno)
		fail("registering");
	trips->fd[file] = fd;
}

/* Every request has its host and its file. */
static unsigned int host_of(const struct trips *trips, uint32_t tid)
{
	return FIRST_HOST + (trips->hosts > 1 ? tid % trips->hosts : 0);
}

static unsigned int file_of(const struct trips *trips, uint32_t tid)
{
	return trips->files > 1 ? tid % trips->files : 0;
}

static void fill(const struct trips *trips, struct message *message, uint32_t tid)
{
	unsigned int host = host_of(trips, tid);

	memset(message, 0, sizeof(*message));
	message->header.agent_id = trips->agent[file_of(trips, tid)];
	message->header.timeout_ms = PATIENCE_MS * 4;
	message->header.addr.lid = htobe16(HOST_LID + host);
	message->head.base_version = UMAD_BASE_VERSION;
	message->head.mgmt_class = trips->mgmt_class;
	message->head.class_version = 1;
	message->head.method = UMAD_METHOD_GET;
	message->head.tid = htobe64(tid);
	message->head.attr_id = htobe16(NODE_INFO);
	if (trips->mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE) {
		message->header.addr.lid = 0xffff;
		message->smp.dr_slid = 0xffff;
		message->smp.dr_dlid = 0xffff;
		message->smp.hop_cnt = 2;
		message->smp.initial_path[1] = 1;
		message->smp.initial_path[2] = (uint8_t)host;
	} else if (!is_smp(trips->mgmt_class)) {
		message->header.addr.qpn = htobe32(1);
		message->header.addr.qkey = htobe32(QKEY);
		memcpy(message->mad + MARK, &tid, sizeof(tid));
		/* A vendor class's MAD has its OUI behind the RMPP header. */
		message->mad[37] = OUI >> 16;
		message->mad[38] = (OUI >> 8) & 0xff;
		message->mad[39] = OUI & 0xff;
	}
}

static bool is_own_reply(const struct trips *trips, const struct message *message, uint32_t tid)
{
	unsigned int host = host_of(trips, tid);
	uint64_t guid;
	uint32_t mark;

	if (message->header.status || message->head.method != UMAD_METHOD_GET_RESP ||
	    message->head.mgmt_class != trips->mgmt_class)
		return false;
	if (is_smp(trips->mgmt_class)) {
		memcpy(&guid, message->smp.data + GUID_IN_INFO, sizeof(guid));
		return be64toh(guid) == FIRST_GUID + 0x100 + 0x10 * host;
	}
	memcpy(&mark, message->mad + MARK, sizeof(mark));
	return mark == tid && message->header.addr.lid == htobe16(HOST_LID + host);
}

/* False: there is none now. */
static bool take_reply(struct trips *trips, unsigned int file)
{
	struct message message;
	ssize_t length = read(trips->fd[file], &message, sizeof(message));
	uint32_t tid;

	if (length < 0 && errno == EAGAIN)
		return false;
	if (length < 0)
		fail("read");
	tid = (uint32_t)be64toh(message.head.tid);
	if (length != sizeof(message) || !tid || tid > trips->count ||
	    !is_own_reply(trips, &message, tid) || trips->answered[tid]) {
		fprintf(stderr,
			"round-trips: not its own reply, or not the first: TID %u, "
			"%zd bytes, status %u\n",
			tid, length, message.header.status);
		exit(EXIT_FAILURE);
	}
	trips->answered[tid] = true;
	return true;
}

static unsigned long take_replies(struct trips *trips)
{
	struct pollfd readable[MAX_FILES];
	unsigned long taken = 0;

	for (unsigned int i = 0; i < trips->files; i++)
		readable[i] = (struct pollfd){ .fd = trips->fd[i], .events = POLLIN };
	if (poll(readable, trips->files, PATIENCE_MS) <= 0)
		fail("waiting for replies");
	for (unsigned int i = 0; i < trips->files; i++)
		while (readable[i].revents && take_reply(trips, i))
			taken++;
	return taken;
}

static void travel(struct trips *trips)
{
	unsigned long sent = 0, answered = 0;
	struct message message;

	while (answered < trips->count) {
		while (sent < trips->count && sent - answered < trips->window) {
			uint32_t tid = (uint32_t)++sent;

			fill(trips, &message, tid);
			if (write(trips->fd[file_of(trips, tid)], &message, sizeof(message)) !=
			    sizeof(message))
				fail("write");
		}
		answered += take_replies(trips);
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Requests and their replies, by plain write and read.",
	};
	struct trips trips = {
		.mgmt_class = UMAD_CLASS_SUBN_DIRECTED_ROUTE,
		.count = 1000,
		.window = 64,
		.files = 1,
		.hosts = 16,
	};
	double start;

	argp_parse(&argp, argc, argv, 0, NULL, &trips);
	trips.answered = calloc(trips.count + 1, sizeof(*trips.answered));
	if (!trips.answered)
		fail("memory");
	for (unsigned int i = 0; i < trips.files; i++)
		open_file(&trips, i);
	start = seconds();
	travel(&trips);
	printf("figure: class 0x%02x, %lu in flight: %.0f a second\n", trips.mgmt_class,
	       trips.window, (double)trips.count / (seconds() - start));
	for (unsigned int i = 0; i < trips.files; i++)
		umad_close_port(trips.fd[i]);
	free(trips.answered);
	return EXIT_SUCCESS;
}
