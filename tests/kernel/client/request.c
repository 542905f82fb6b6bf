/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include <infiniband/umad.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>

#include "../common/kernel_fail.h"
#include "counterpart.h"
#include "mark.h"
#include "request.h"

#define QKEY	    0x80010000u
#define PERMISSIVE  0xffff
#define PATIENCE_MS 120000

struct message {
	struct ib_user_mad umad;
	union {
		uint8_t mad[256];
		struct umad_hdr head;
		struct umad_smp smp;
	};
};

static uint8_t version_of(uint8_t mgmt_class)
{
	return mgmt_class == UMAD_CLASS_SUBN_ADM ? 2 : 1;
}

int request_open(void)
{
	int fd = counterpart_open(NULL, 0);

	if (fd < 0)
		fail("opening a umad file", fd);
	return fd;
}

int request_register(int fd, uint8_t mgmt_class)
{
	const struct counterpart_agent asked = {
		.mgmt_class = mgmt_class,
		.class_version = version_of(mgmt_class),
		.oui = has_oui(mgmt_class) ? OUI : 0,
	};
	int agent = counterpart_register(fd, &asked);

	if (agent < 0)
		fail("registering an agent", agent);
	return agent;
}

void request_unregister(int fd, int agent)
{
	uint32_t id = (uint32_t)agent;

	if (ioctl(fd, IB_USER_MAD_UNREGISTER_AGENT, &id))
		fail("unregistering an agent", -errno);
}

/* Returns the LID of a host. The first host has 1, the leaf switch 2, the other hosts the next. */
static uint16_t lid_of(enum host host)
{
	return (uint16_t)host;
}

static void address(struct message *message, const struct request *request)
{
	struct ib_mad_addr *to = &message->umad.addr;

	if (request->mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE) {
		to->lid = htobe16(PERMISSIVE);
		message->smp.dr_slid = PERMISSIVE;
		message->smp.dr_dlid = PERMISSIVE;
		message->smp.hop_cnt = 2;
		message->smp.initial_path[1] = 1;
		message->smp.initial_path[2] = (uint8_t)request->host;
		return;
	}
	to->lid = htobe16(lid_of(request->host));
	if (request->mgmt_class != UMAD_CLASS_SUBN_LID_ROUTED) {
		to->qpn = htobe32(1);
		to->qkey = htobe32(QKEY);
	}
	if (has_oui(request->mgmt_class))
		oui_write(message->mad);
}

int request_try(int fd, const struct request *request)
{
	struct message message;

	memset(&message, 0, sizeof(message));
	message.head.base_version = 1;
	message.head.mgmt_class = request->mgmt_class;
	message.head.class_version = version_of(request->mgmt_class);
	message.head.method = UMAD_METHOD_GET;
	message.head.tid = htobe64(request->tid);
	message.head.attr_id = htobe16(request->attribute);
	address(&message, request);
	return counterpart_send(fd, request->agent, &message, sizeof(message.mad),
				request->timeout_ms, request->retries);
}

void request_write(int fd, const struct request *request)
{
	int error = request_try(fd, request);

	if (error)
		fail("writing a request", error);
}

struct outcome request_read(int fd)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	struct message message;
	ssize_t length;

	if (poll(&readable, 1, PATIENCE_MS) != 1)
		fail("waiting for a message", -ETIMEDOUT);
	length = counterpart_receive(fd, &message, sizeof(message.mad));
	if (length < 0)
		fail("reading a message", (int)length);
	if ((size_t)length < sizeof(message.head))
		fail("reading a whole MAD header", -EPROTO);
	return (struct outcome){ .is_notice = message.umad.status == ETIMEDOUT,
				 .tid = (uint32_t)be64toh(message.head.tid) };
}
