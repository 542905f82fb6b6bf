/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/umad_sm.h>

#include "vhca/record.h"

#define PERMISSIVE 0xffff
#define RETURNS	   0x8000 /* the D bit of a directed-route SMP's status */
#define QKEY_GSI   0x80010000u

static size_t length_of(uint16_t type)
{
	switch (type) {
	case VHCA_MAD:
		return sizeof(struct vhca_mad);
	case VHCA_CREATED:
		return sizeof(struct vhca_created);
	case VHCA_UPCALL:
		return sizeof(struct vhca_upcall_record);
	case VHCA_PORT_CAPS:
		return sizeof(struct vhca_port_caps);
	case VHCA_NODE_DESC:
		return sizeof(struct vhca_node_desc);
	default:
		return 0;
	}
}

static bool is_of_port(uint16_t type)
{
	return type != VHCA_CREATED && type != VHCA_NODE_DESC;
}

size_t record_take(const uint8_t *bytes, size_t length, unsigned int ports, union record *record)
{
	struct vhca_record head;
	size_t expected;

	if (length < sizeof(head))
		return 0;
	memcpy(&head, bytes, sizeof(head));
	expected = length_of(head.type);
	if (!expected || head.length != expected || length < expected)
		return 0;
	if (is_of_port(head.type) ? !head.port || head.port > ports : head.port)
		return 0;
	memcpy(record, bytes, expected);
	return expected;
}

struct vhca_record record_head(enum vhca_record_type type, size_t length, unsigned int port)
{
	return (struct vhca_record){
		.length = (uint32_t)length,
		.type = (uint16_t)type,
		.port = (uint8_t)port,
	};
}

/* step_back undoes the step that the kernel's SMI has taken, unless the route begins by LID. */
static void step_back(uint8_t *mad)
{
	struct umad_smp smp;

	memcpy(&smp, mad, sizeof(smp));
	if (be16toh(smp.status) & RETURNS) {
		if (be16toh(smp.dr_dlid) == PERMISSIVE && smp.hop_ptr == smp.hop_cnt)
			smp.hop_ptr++;
	} else if (be16toh(smp.dr_slid) == PERMISSIVE && smp.hop_ptr == 1) {
		smp.hop_ptr--;
	}
	memcpy(mad, &smp, sizeof(smp));
}

/* leave_last_step leaves the last step to the kernel's SMI, unless the route has ended by LID. */
static void leave_last_step(uint8_t *mad)
{
	struct umad_smp smp;

	memcpy(&smp, mad, sizeof(smp));
	if (be16toh(smp.status) & RETURNS) {
		if (be16toh(smp.dr_slid) == PERMISSIVE && !smp.hop_ptr)
			smp.hop_ptr = 1;
	} else if (be16toh(smp.dr_dlid) == PERMISSIVE && smp.hop_ptr == smp.hop_cnt + 1) {
		smp.hop_ptr = smp.hop_cnt;
	}
	memcpy(mad, &smp, sizeof(smp));
}

static bool is_directed(const uint8_t *mad)
{
	return mad[offsetof(struct umad_hdr, mgmt_class)] == UMAD_CLASS_SUBN_DIRECTED_ROUTE;
}

_Static_assert(FABRIC_GRH_BYTES == VHCA_GRH_BYTES, "a GRH");

void record_to_packet(const struct vhca_mad *record, struct fabric_packet *packet)
{
	*packet = (struct fabric_packet){
		.slid = record->slid,
		.dlid = record->dlid,
		.sqp = record->sqp,
		.dqp = record->dqp,
		.sl = record->sl & 0xf,
		.has_grh = record->flags & VHCA_GRH_PRESENT,
	};
	memcpy(packet->grh, record->grh, sizeof(packet->grh));
	memcpy(packet->mad, record->mad, sizeof(packet->mad));
	if (is_directed(packet->mad))
		step_back(packet->mad);
}

void record_from_packet(const struct fabric_packet *packet, unsigned int port,
			struct vhca_mad *record)
{
	*record = (struct vhca_mad){
		.head = record_head(VHCA_MAD, sizeof(*record), port),
		.slid = packet->slid,
		.dlid = packet->dlid,
		.sqp = packet->sqp,
		.dqp = packet->dqp,
		.qkey = packet->dqp ? QKEY_GSI : 0,
		.sl = packet->sl,
		.flags = packet->has_grh ? VHCA_GRH_PRESENT : 0,
	};
	if (packet->has_grh)
		memcpy(record->grh, packet->grh, sizeof(record->grh));
	memcpy(record->mad, packet->mad, sizeof(record->mad));
	if (is_directed(record->mad))
		leave_last_step(record->mad);
}

/* highest returns the highest bit that is set. At least one is. */
static uint16_t highest(unsigned int bits)
{
	uint16_t bit = 1;

	while (bits >>= 1)
		bit <<= 1;
	return bit;
}

#define KERNEL_XDR 256 /* behind NDR; PortInfo has an unused bit between the two */

/*
 * speed_of returns the kernel's bit of a port's speed. PortInfo has a field of its own for extended
 * speeds; the kernel's bits for them follow FDR10.
 */
static uint16_t speed_of(const struct fabric_port_state *state)
{
	if (state->speed_ext & TOPOLOGY_SPEED_XDR)
		return KERNEL_XDR;
	return state->speed_ext ? highest(state->speed_ext) << 4 : highest(state->speed);
}

void record_from_port(const struct fabric_port_state *state, const uint16_t pkeys[FABRIC_PKEYS],
		      unsigned int port, struct vhca_port_record *record)
{
	_Static_assert(FABRIC_PKEYS == VHCA_PKEYS, "the kernel's table is as long");
	*record = (struct vhca_port_record){
		.head = record_head(VHCA_PORT, sizeof(*record), port),
		.gid_prefix = htobe64(state->gid_prefix),
		.guid = htobe64(state->guid),
		.capability_mask = state->capability_mask,
		.lid = state->lid,
		.sm_lid = state->sm_lid,
		.speed = speed_of(state),
		.width = (uint8_t)highest(state->width),
		.state = state->state,
		.phys_state = state->phys_state,
		.lmc = state->lmc,
		.sm_sl = state->sm_sl,
	};
	memcpy(record->pkeys, pkeys, sizeof(record->pkeys));
}

#define LEAST_ROOM  16384
#define WRITE_BYTES 65536 /* at once */

/* make_room makes room for @length more bytes behind those that wait. */
static bool make_room(struct record_queue *queue, size_t length)
{
	size_t waiting = queue->end - queue->first, room = queue->room ? queue->room : LEAST_ROOM;
	uint8_t *bytes;

	if (queue->room - queue->end >= length)
		return true;
	/* Waiting bytes are moved only if that frees as many. */
	if (queue->first >= waiting && queue->room - waiting >= length) {
		memcpy(queue->bytes, queue->bytes + queue->first, waiting);
		queue->first = 0;
		queue->end = waiting;
		return true;
	}
	while (room - queue->end < length)
		room *= 2;
	bytes = realloc(queue->bytes, room);
	if (!bytes)
		return false;
	queue->bytes = bytes;
	queue->room = room;
	return true;
}

bool record_queue_push(struct record_queue *queue, const struct vhca_record *record, size_t bound)
{
	if (queue->end - queue->first + record->length > bound || !make_room(queue, record->length))
		return false;
	memcpy(queue->bytes + queue->end, record, record->length);
	queue->end += record->length;
	return true;
}

/* run_of returns the length of the whole records that one write takes. */
static size_t run_of(const struct record_queue *queue)
{
	struct vhca_record head;
	size_t length = 0;

	while (queue->first + length < queue->end) {
		memcpy(&head, queue->bytes + queue->first + length, sizeof(head));
		if (length + head.length > WRITE_BYTES)
			break;
		length += head.length;
	}
	return length;
}

/*
 * refuse_first drops the first record, because the device finds it malformed: it would stop all
 * those behind it.
 */
static void refuse_first(struct record_queue *queue)
{
	struct vhca_record head;

	memcpy(&head, queue->bytes + queue->first, sizeof(head));
	queue->first += head.length;
	queue->refused++;
}

int record_queue_write(struct record_queue *queue, int fd)
{
	while (queue->first < queue->end) {
		ssize_t written = write(fd, queue->bytes + queue->first, run_of(queue));

		if (written > 0)
			queue->first += (size_t)written;
		else if (!written)
			return -EIO;
		else if (errno == EINVAL)
			refuse_first(queue);
		else if (errno != EINTR)
			return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	}
	queue->first = 0;
	queue->end = 0;
	return 0;
}

void record_queue_free(struct record_queue *queue)
{
	free(queue->bytes);
	*queue = (struct record_queue){ 0 };
}
