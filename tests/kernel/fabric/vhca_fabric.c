/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small fabric for the virtual HCA, apart from madring-sim's: one switch with hosts. Its nodes
 * answer NodeInfo, NodeDescription, SwitchInfo and PortInfo by directed and LID route, and give
 * every GMP back as its own reply. What is sent to the HCA's own LID comes back as it is.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/umad_types.h>

#include "common/option_table.h"
#include "../common/kernel_clock.h"
#include "../common/kernel_fail.h"
#include "delay.h"
#include "vhca_hca.h"
#include "star.h"

#define QKEY_GSI  0x80010000u
#define SGID	  8 /* in a GRH */
#define DGID	  24
#define GID_BYTES 16
/*
 * MADs that may wait for the kernel, besides those that are held. Nothing is read while there is no
 * room, so that replies would wait behind requests that the HCA cannot take before their replies.
 */
#define OUT_ROOM 32768

#define BEHIND_TID 16 /* in a MAD */
#define NS_PER_MS  1000000u

#define OPTION_STRUCT struct fabric

struct fabric {
	struct hca hca;
	struct star star;
	unsigned long hold; /* MADs to keep until so many have come */
	bool mute;
	uint64_t query_ms;
	struct delay queries;	 /* replies to SA queries, until they are due */
	unsigned int unanswered; /* percent of the SA queries */
};

static const struct option_entry entries[] = {
	{ 'n', "hosts", "COUNT", "hosts at the switch; default 16",
	  OPTION_NUMBER(star.hosts, 0, STAR_MAX_HOSTS) },
	{ 'p', "ports", "COUNT", "ports of the HCA; default 1",
	  OPTION_NUMBER(star.ports, 1, VHCA_MAX_PORTS) },
	{ 0, "planes", "COUNT", "the HCA's port has so many planes, the first with its cable",
	  OPTION_NUMBER(star.planes, 2, VHCA_MAX_PLANES) },
	{ 'g', "guid", "GUID", "the HCA's", OPTION_NUMBER(star.guid, 1, UINT64_MAX / 2) },
	{ 'H', "hold", "COUNT", "send nothing until so many replies are due",
	  OPTION_NUMBER(hold, 0, 1000000) },
	{ 'm', "mute", NULL, "answer nothing but what is asked of the HCA itself",
	  OPTION_FLAG(mute) },
	{ 0, "query-ms", "MS", "requests of class 0x03 take so long; default 0",
	  OPTION_NUMBER(query_ms, 0, 600000) },
	{ 0, "unanswered", "PERCENT",
	  "so many requests of class 0x03, chosen by all but their TIDs, are never answered",
	  OPTION_NUMBER(unanswered, 0, 100) },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Makes a virtual HCA with a small fabric behind it, until it is killed.\n",
	.notes = "",
	.entries = entries,
};

static bool is_smp(uint8_t mgmt_class)
{
	return mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE ||
	       mgmt_class == UMAD_CLASS_SUBN_LID_ROUTED;
}

static bool is_request(const struct umad_hdr *header)
{
	return !(header->method & UMAD_METHOD_RESP_MASK) && header->method != UMAD_METHOD_TRAP &&
	       header->method != UMAD_METHOD_TRAP_REPRESS;
}

static void turn_grh(uint8_t *grh)
{
	uint8_t gid[GID_BYTES];

	memcpy(gid, grh + SGID, sizeof(gid));
	memcpy(grh + SGID, grh + DGID, sizeof(gid));
	memcpy(grh + DGID, gid, sizeof(gid));
}

/* Turns a packet into the one that comes back; false: none does. */
static bool turn(const struct fabric *fabric, struct vhca_mad *packet)
{
	struct umad_hdr *header = (struct umad_hdr *)packet->mad;
	struct umad_smp *smp = (struct umad_smp *)packet->mad;
	uint8_t port = star_port_of(&fabric->star, packet->dlid);
	uint16_t lid = packet->dlid;

	if (port) { /* from the HCA to itself */
		packet->head.port = port;
		return true;
	}
	if (!is_request(header))
		return false;
	if (header->mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		return star_directed(&fabric->star, packet->head.port, smp);
	if (!star_has(&fabric->star, lid))
		return false;
	if (header->mgmt_class == UMAD_CLASS_SUBN_LID_ROUTED)
		star_routed(&fabric->star, lid, smp);
	else
		header->method |= UMAD_METHOD_RESP_MASK;
	packet->dlid = packet->slid;
	packet->slid = lid;
	turn_grh(packet->grh);
	packet->dqp = packet->sqp;
	packet->sqp = is_smp(header->mgmt_class) ? 0 : 1;
	packet->qkey = packet->sqp ? QKEY_GSI : 0;
	return true;
}

/* Tells whether the request is one of those that are never answered. */
static bool is_unanswered(const struct fabric *fabric, const struct vhca_mad *query)
{
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

	for (size_t i = BEHIND_TID; i < sizeof(query->mad); i++)
		hash = (hash ^ query->mad[i]) * 0x100000001b3u;
	return (hash >> 32) % 100 < fabric->unanswered;
}

/* Tells whether a packet is of class 0x03, and to the star. */
static bool is_query(const struct fabric *fabric, const struct vhca_mad *packet)
{
	const struct umad_hdr *header = (const struct umad_hdr *)packet->mad;

	return header->mgmt_class == UMAD_CLASS_SUBN_ADM &&
	       !star_port_of(&fabric->star, packet->dlid);
}

static void on_mad(struct fabric *fabric, struct vhca_mad *packet)
{
	bool query = is_query(fabric, packet);

	if (fabric->mute || (query && is_unanswered(fabric, packet)) || !turn(fabric, packet))
		return;
	/* There is room: no more is read than there is room for. */
	if (query && fabric->queries.ns)
		delay_put(&fabric->queries, packet, clock_ns());
	else
		hca_send(&fabric->hca, packet);
}

/* Sends the replies that are due. Returns how long the next one takes, in ms, or -1. */
static int send_due(struct fabric *fabric)
{
	uint64_t now = clock_ns();
	struct vhca_mad reply;

	while (hca_has_room(&fabric->hca, 1) && delay_take(&fabric->queries, now, &reply))
		hca_send(&fabric->hca, &reply);
	/* Without room, the next reply waits until the HCA takes some. */
	return hca_has_room(&fabric->hca, 1) ? delay_wait_ms(&fabric->queries, now) : -1;
}

static bool can_read(const struct fabric *fabric)
{
	return hca_has_room(&fabric->hca, HCA_BATCH) && delay_room(&fabric->queries) >= HCA_BATCH;
}

static void on_upcall(struct fabric *fabric, const struct vhca_upcall_record *upcall)
{
	struct vhca_answer answer = {
		.head = hca_head(VHCA_ANSWER, sizeof(answer), 0),
		.id = upcall->id,
		.result = VHCA_FAILED,
	};
	struct umad_smp smp;
	int error;

	memcpy(&smp, upcall->mad, sizeof(smp));
	if (smp.mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE) {
		smp.hop_cnt = 0;
		star_directed(&fabric->star, upcall->head.port, &smp);
		smp.hop_cnt = ((const struct umad_smp *)upcall->mad)->hop_cnt;
		smp.hop_ptr = ((const struct umad_smp *)upcall->mad)->hop_ptr;
		answer.result = VHCA_REPLY;
	} else if (smp.mgmt_class == UMAD_CLASS_SUBN_LID_ROUTED) {
		star_routed(&fabric->star, star_lid(&fabric->star, upcall->head.port), &smp);
		answer.result = VHCA_REPLY;
	}
	memcpy(answer.mad, &smp, sizeof(answer.mad));
	error = hca_tell(&fabric->hca, &answer.head);
	if (error)
		fail("answering an upcall", error);
}

static void on_record(struct fabric *fabric, union hca_record *record)
{
	switch (record->head.type) {
	case VHCA_CREATED:
		printf("%s\n", record->created.name);
		fflush(stdout);
		break;
	case VHCA_MAD:
		on_mad(fabric, &record->mad);
		break;
	case VHCA_UPCALL:
		on_upcall(fabric, &record->upcall);
		break;
	case VHCA_PORT_CAPS:
		fabric->star.capability_mask[record->head.port - 1] = record->caps.capability_mask;
		break;
	case VHCA_NODE_DESC:
		memcpy(fabric->star.node_desc, record->node_desc.node_desc, VHCA_NODE_DESC_BYTES);
		break;
	default:
		errx(EXIT_FAILURE, "a record of type %u", record->head.type);
	}
}

static void play(struct fabric *fabric)
{
	struct pollfd device = { .fd = fabric->hca.fd };
	union hca_record record;
	bool holding = fabric->hold;
	int error;

	for (;;) {
		int wait_ms = send_due(fabric);

		holding = holding && fabric->hca.out_count < fabric->hold;
		device.events = can_read(fabric) ? POLLIN : 0;
		if (fabric->hca.out_count && !holding)
			device.events |= POLLOUT;
		if (poll(&device, 1, wait_ms) < 0 && errno != EINTR)
			fail("poll", -errno);
		if (device.events & POLLIN) {
			error = hca_fill(&fabric->hca);
			if (error)
				fail("reading " HCA_DEVICE, error);
		}
		while (hca_next(&fabric->hca, &record))
			on_record(fabric, &record);
		error = holding ? 0 : hca_flush(&fabric->hca);
		if (error)
			fail("writing " HCA_DEVICE, error);
	}
}

int main(int argc, char **argv)
{
	struct fabric fabric = {
		.star = { .guid = 0x0002c90300001000, .ports = 1, .hosts = 16 },
	};
	struct vhca_create create;
	int error;

	option_table_read(&table, &fabric, "", argc, argv);
	if (fabric.star.planes && fabric.star.ports > 1)
		option_refuse("--planes", "of an HCA with one port");
	snprintf(fabric.star.node_desc, sizeof(fabric.star.node_desc), "virtual HCA");
	create = (struct vhca_create){
		.head = hca_head(VHCA_CREATE, sizeof(create), 0),
		.version = VHCA_ABI_VERSION,
		.ports = fabric.star.ports,
		.planes = fabric.star.planes,
		.node_guid = htobe64(fabric.star.guid),
		.system_image_guid = htobe64(fabric.star.guid),
	};
	memcpy(create.node_desc, fabric.star.node_desc, sizeof(create.node_desc));
	error = hca_open(&fabric.hca, &create, fabric.hold + OUT_ROOM);
	if (error == -EOPNOTSUPP && create.planes)
		errx(EXIT_FAILURE,
		     "--planes: this kernel has no devices of type SMI; Linux 6.11 has");
	if (error)
		fail(HCA_DEVICE, error);
	error = delay_open(&fabric.queries, fabric.query_ms * NS_PER_MS, OUT_ROOM);
	if (error)
		fail("memory", error);
	for (uint8_t port = 1; port <= star_hca_ports(&fabric.star); port++) {
		const struct vhca_port_record record = star_port(&fabric.star, port);

		error = hca_tell(&fabric.hca, &record.head);
		if (error)
			fail("telling what a port looks like", error);
	}
	play(&fabric);
}
