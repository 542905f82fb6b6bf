/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The far side of the library's tests, on the real driver: stands in for tests/library/fake.c.
 * The library opens umad files of a virtual HCA; what it writes there comes out at /dev/vhca,
 * where the test takes it and answers.
 */
#include "fake.h"

#include <dirent.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fabric/vhca_hca.h"
#include "device/device.h"

#define LID		0xbffe /* of the HCA, and none of those that tests write to */
#define QKEY_GSI	0x80010000u
#define CLASS_PORT_INFO 0x0001
#define CLASS_DIRECT	0x81
#define DIRECTION_BIT	0x8000 /* in the status: on the way back */
/*
 * The silence after which nothing more is believed to come: the stack sends by a thread of its own,
 * too.
 */
#define SILENCE_MS 50
#define UMAD_FILES "/dev/infiniband/umad"

static struct {
	struct hca hca;
	bool open;
	pthread_t thread;
	atomic_bool stop;
	unsigned int agents;
} far;

/* Linked with --wrap for each: the library's calls are counted, and then made. */
int __real_device_agent_register(int fd, const struct device_agent *agent, uint32_t *agent_id);
void __real_device_agent_unregister(int fd, uint32_t agent_id);
int __wrap_device_agent_register(int fd, const struct device_agent *agent, uint32_t *agent_id);
void __wrap_device_agent_unregister(int fd, uint32_t agent_id);

int __wrap_device_agent_register(int fd, const struct device_agent *agent, uint32_t *agent_id)
{
	int error = __real_device_agent_register(fd, agent, agent_id);

	far.agents += !error;
	return error;
}

void __wrap_device_agent_unregister(int fd, uint32_t agent_id)
{
	__real_device_agent_unregister(fd, agent_id);
	far.agents--;
}

static void give_up(const char *what, int error)
{
	fprintf(stderr, "the far side: %s: %s\n", what, strerror(-error));
	abort();
}

static void make_hca(void)
{
	const struct vhca_create create = {
		.head = hca_head(VHCA_CREATE, sizeof(create), 0),
		.version = VHCA_ABI_VERSION,
		.ports = 1,
		.node_guid = htobe64(1),
	};
	const struct vhca_port_record port = {
		.head = hca_head(VHCA_PORT, sizeof(port), 1),
		.guid = htobe64(2),
		.lid = LID,
		.sm_lid = LID,
		.speed = 4,
		.width = 2,
		.state = 4,
		.phys_state = 5,
		.pkeys = { 0xffff },
	};
	int error = hca_open(&far.hca, &create, 4096);

	if (!error)
		error = hca_tell(&far.hca, &port.head);
	if (error)
		give_up(HCA_DEVICE, error);
	far.open = true;
}

void fake_remove(void)
{
	if (far.open)
		hca_close(&far.hca);
	far.open = false;
}

void fake_come_back(void)
{
	make_hca();
}

const char *fake_name(void)
{
	return "vhca0";
}

void fake_reset(int open_error, int register_error)
{
	if (open_error || register_error)
		give_up("a real device has no errors to order", 0);
	fake_remove();
	make_hca();
}

unsigned int fake_lanes(void)
{
	DIR *files = opendir("/proc/self/fd");
	char path[PATH_MAX], target[PATH_MAX];
	unsigned int count = 0;
	struct dirent *entry;

	while (files && (entry = readdir(files))) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		length = readlink(path, target, sizeof(target) - 1);
		if (length >= 0 && !strncmp(target, UMAD_FILES, strlen(UMAD_FILES)))
			count++;
	}
	if (files)
		closedir(files);
	return count;
}

unsigned int fake_agents(void)
{
	return far.agents;
}

/* Returns 0: the stack does not tell what it has and has not handed on. */
size_t fake_unread(void)
{
	return 0;
}

/*
 * Tells whether the stack itself has sent a MAD: its subnet administration client asks the manager
 * who it is.
 */
static bool is_the_stacks(const struct vhca_mad *packet)
{
	struct madring_mad_hdr header;

	memcpy(&header, packet->mad, sizeof(header));
	return header.attr_id == htobe16(CLASS_PORT_INFO);
}

/* Takes the next MAD of the test's that came out at the device. */
static bool next_packet(struct vhca_mad *packet)
{
	struct pollfd readable = { .fd = far.hca.fd, .events = POLLIN };
	union hca_record record;

	for (;;) {
		while (hca_next(&far.hca, &record)) {
			if (record.head.type == VHCA_MAD && !is_the_stacks(&record.mad)) {
				*packet = record.mad;
				return true;
			}
		}
		if (poll(&readable, 1, SILENCE_MS) <= 0 || hca_fill(&far.hca))
			return false;
	}
}

bool fake_take(struct fake_umad *umad)
{
	struct vhca_mad packet;

	if (!far.open || !next_packet(&packet))
		return false;
	memset(&umad->umad, 0, sizeof(umad->umad));
	umad->umad.addr.lid = htobe16(packet.dlid);
	umad->umad.addr.qpn = htobe32(packet.dqp);
	memcpy(umad->mad, packet.mad, sizeof(packet.mad));
	umad->length = FAKE_BYTES;
	umad->lane = 0;
	return true;
}

bool fake_take_from(unsigned int lane, struct fake_umad *umad)
{
	return lane == 0 && fake_take(umad);
}

void fake_make_reply(struct fake_umad *umad)
{
	struct madring_mad_hdr header;

	memcpy(&header, umad->mad, sizeof(header));
	header.method |= MADRING_RESPONSE_BIT;
	if (header.mgmt_class == CLASS_DIRECT)
		header.status |= htobe16(DIRECTION_BIT);
	memcpy(umad->mad, &header, sizeof(header));
}

void fake_send(const struct fake_umad *umad)
{
	struct pollfd room = { .fd = far.hca.fd, .events = POLLOUT };
	uint32_t qp = be32toh(umad->umad.addr.qpn);
	struct vhca_mad packet = {
		.head = hca_head(VHCA_MAD, sizeof(packet), 1),
		.slid = be16toh(umad->umad.addr.lid),
		.dlid = LID,
		.sqp = qp,
		.dqp = qp,
		.qkey = qp ? QKEY_GSI : 0,
	};

	memcpy(packet.mad, umad->mad, sizeof(packet.mad));
	hca_send(&far.hca, &packet); /* it is the only one */
	while (far.hca.out_count) {
		int error = hca_flush(&far.hca);

		if (error)
			give_up("sending", error);
		if (far.hca.out_count)
			poll(&room, 1, -1);
	}
}

void fake_answer(struct fake_umad *umad)
{
	fake_make_reply(umad);
	fake_send(umad);
}

unsigned int fake_answer_all(void)
{
	struct fake_umad umad;
	unsigned int count = 0;

	while (fake_take(&umad)) {
		fake_answer(&umad);
		count++;
	}
	return count;
}

static void *answer_until_stopped(void *unused)
{
	(void)unused;
	while (!atomic_load(&far.stop))
		fake_answer_all();
	return NULL;
}

void fake_answering_start(void)
{
	atomic_store(&far.stop, false);
	if (pthread_create(&far.thread, NULL, answer_until_stopped, NULL))
		abort();
}

void fake_answering_stop(void)
{
	atomic_store(&far.stop, true);
	pthread_join(far.thread, NULL);
}
