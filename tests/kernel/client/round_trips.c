/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Round trips by programs that are not madring: requests of a class to the hosts of vhca-fabric, or
 * to a responder, with as many in flight as asked for. Each has to come back once, from where it
 * went to, with its own reply.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include <infiniband/umad.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>

#include "common/option_table.h"
#include "../common/kernel_clock.h"
#include "../common/kernel_fail.h"
#include "counterpart.h"
#include "mark.h"

#define NODE_INFO    0x0011
#define GUID_IN_INFO 12 /* the node's, in NodeInfo */
#define HOST_LID     0x100u
#define FIRST_GUID   0x0002c90300001000ull
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

#define OPTION_STRUCT struct trips

struct trips {
	const char *device; /* NULL: the default */
	const char *far;    /* what answers */
	uint8_t mgmt_class;
	unsigned long count, window, files, hosts;
	uint16_t responder; /* its LID; 0: the hosts answer */
	int timeout_ms, retries;
	int fd[MAX_FILES];
	int agent[MAX_FILES];
	bool *answered;
};

static const struct option_entry entries[] = {
	{ 'd', "device", "NAME", "such as vhca0", OPTION_TEXT(device) },
	{ 'c', "class", "CLASS", "of the MADs; default 0x81", OPTION_NUMBER(mgmt_class, 1, 0xff) },
	{ 'n', "count", "COUNT", "requests; default 1000", OPTION_NUMBER(count, 1, 10000000) },
	{ 'w', "window", "COUNT", "in flight; default 64", OPTION_NUMBER(window, 1, 1000000) },
	{ 'f', "files", "COUNT", "open files to spread them over; default 1",
	  OPTION_NUMBER(files, 1, MAX_FILES) },
	{ 0, "hosts", "COUNT", "hosts of the fabric; default 16", OPTION_NUMBER(hosts, 1, 200) },
	{ 'l', "lid", "LID", "of a responder, to be asked in place of the hosts",
	  OPTION_NUMBER(responder, 1, 0xbfff) },
	{ 0, "far", "NAME", "what answers, for the figure; default hosts", OPTION_TEXT(far) },
	{ 't', "timeout", "MS", "of each attempt; default 240000",
	  OPTION_NUMBER(timeout_ms, 1, 600000) },
	{ 'r', "retries", "COUNT", "by the kernel; default 0", OPTION_NUMBER(retries, 0, 100) },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Requests and their replies, as programs have them that are not madring.\n",
	.notes = "",
	.entries = entries,
};

static bool is_smp(uint8_t mgmt_class)
{
	return mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE ||
	       mgmt_class == UMAD_CLASS_SUBN_LID_ROUTED;
}

static void open_file(struct trips *trips, unsigned int file)
{
	const struct counterpart_agent agent = {
		.mgmt_class = trips->mgmt_class,
		.class_version = 1,
		.oui = has_oui(trips->mgmt_class) ? OUI : 0,
	};

	trips->fd[file] = counterpart_begin(trips->device, 0, &agent, &trips->agent[file]);
}

/* Returns the host that the request with this TID goes to. */
static unsigned int host_of(const struct trips *trips, uint32_t tid)
{
	return FIRST_HOST + (trips->hosts > 1 ? tid % trips->hosts : 0);
}

static uint16_t lid_of(const struct trips *trips, uint32_t tid)
{
	return trips->responder ? trips->responder : (uint16_t)(HOST_LID + host_of(trips, tid));
}

static unsigned int file_of(const struct trips *trips, uint32_t tid)
{
	return trips->files > 1 ? tid % trips->files : 0;
}

static void fill(const struct trips *trips, struct message *message, uint32_t tid)
{
	unsigned int host = host_of(trips, tid);

	memset(message, 0, sizeof(*message));
	message->header.addr.lid = htobe16(lid_of(trips, tid));
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
		mark_write(message->mad, tid);
		if (has_oui(trips->mgmt_class))
			oui_write(message->mad);
	}
}

static bool is_own_reply(const struct trips *trips, const struct message *message, uint32_t tid)
{
	unsigned int host = host_of(trips, tid);
	uint64_t guid;

	if (message->header.status || message->head.method != UMAD_METHOD_GET_RESP ||
	    message->head.mgmt_class != trips->mgmt_class)
		return false;
	if (is_smp(trips->mgmt_class)) {
		memcpy(&guid, message->smp.data + GUID_IN_INFO, sizeof(guid));
		return be64toh(guid) == FIRST_GUID + 0x100 + 0x10 * host;
	}
	return mark_read(message->mad) == tid &&
	       message->header.addr.lid == htobe16(lid_of(trips, tid)) &&
	       (!trips->responder || proof_is_good(message->mad)) &&
	       (!has_oui(trips->mgmt_class) || oui_is_good(message->mad));
}

/* False: there is none now. */
static bool take_reply(struct trips *trips, unsigned int file)
{
	struct message message;
	ssize_t length = counterpart_receive(trips->fd[file], &message, sizeof(message.mad));
	uint32_t tid;

	if (length == -EAGAIN)
		return false;
	if (length < 0)
		fail("receiving", (int)length);
	tid = (uint32_t)be64toh(message.head.tid);
	if (length != sizeof(message.mad) || !tid || tid > trips->count ||
	    !is_own_reply(trips, &message, tid) || trips->answered[tid])
		errx(EXIT_FAILURE,
		     "not its own reply, or not the first: TID %u, %zd bytes, status %u", tid,
		     length, message.header.status);
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
		fail("waiting for replies", -errno);
	for (unsigned int i = 0; i < trips->files; i++)
		while (readable[i].revents && take_reply(trips, i))
			taken++;
	return taken;
}

static void send_request(struct trips *trips, uint32_t tid)
{
	unsigned int file = file_of(trips, tid);
	struct message message;
	int error;

	fill(trips, &message, tid);
	error = counterpart_send(trips->fd[file], trips->agent[file], &message.header,
				 sizeof(message.mad), trips->timeout_ms, trips->retries);
	if (error)
		fail("sending", error);
}

static void travel(struct trips *trips)
{
	unsigned long sent = 0, answered = 0;

	while (answered < trips->count) {
		while (sent < trips->count && sent - answered < trips->window)
			send_request(trips, (uint32_t)++sent);
		answered += take_replies(trips);
	}
}

int main(int argc, char **argv)
{
	struct trips trips = {
		.mgmt_class = UMAD_CLASS_SUBN_DIRECTED_ROUTE,
		.count = 1000,
		.window = 64,
		.files = 1,
		.hosts = 16,
		.far = "hosts",
		.timeout_ms = PATIENCE_MS * 4,
	};
	double start;

	option_table_read(&table, &trips, "", argc, argv);
	trips.answered = calloc(trips.count + 1, sizeof(*trips.answered));
	if (!trips.answered)
		fail("memory", -ENOMEM);
	for (unsigned int i = 0; i < trips.files; i++)
		open_file(&trips, i);
	start = clock_s();
	travel(&trips);
	printf("figure: plain to %s, class 0x%02x, %lu in flight: %.0f a second\n", trips.far,
	       trips.mgmt_class, trips.window, (double)trips.count / (clock_s() - start));
	for (unsigned int i = 0; i < trips.files; i++)
		counterpart_close(trips.fd[i]);
	free(trips.answered);
	return EXIT_SUCCESS;
}
