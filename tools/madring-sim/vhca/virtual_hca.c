/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "vhca/virtual_hca.h"

#define READ_RECORDS 64
#define READ_MAX     16 /* times, before the others get their turn */
#define URGENT_BYTES (1u << 20)
#define MADS_BYTES   (64u << 20) /* that wait for the kernel to take them */

/*
 * The bits of a CapabilityMask that a host may change: IsSM, and those of the managers that it has.
 */
#define HOST_CAPABILITIES (1u << 1 | 1u << 16 | 1u << 17 | 1u << 19 | 1u << 20)

static struct record_queue *queue_of(struct vhca_hca *hca, const struct vhca_record *record)
{
	return record->type == VHCA_MAD ? &hca->mads : &hca->urgent;
}

static bool push(struct vhca_hca *hca, const struct vhca_record *record)
{
	size_t bound = record->type == VHCA_MAD ? MADS_BYTES : URGENT_BYTES;

	return record_queue_push(queue_of(hca, record), record, bound);
}

/*
 * tell_port tells the kernel of a port that has changed. A record without room is made anew later.
 */
static void tell_port(struct loop *loop, struct vhca_hca *hca, unsigned int number)
{
	struct hca_port *port = &hca->port[number];
	struct fabric_port_state state;
	struct vhca_port_record record;
	uint16_t pkeys[FABRIC_PKEYS] = { 0 };

	if (port->endpoint < 0)
		return;
	fabric_port_state(loop->fabric, port->endpoint, &state);
	fabric_pkeys(loop->fabric, port->endpoint, pkeys);
	record_from_port(&state, pkeys, number, &record);
	if (memcmp(&record, &port->told, sizeof(record)) && push(hca, &record.head))
		port->told = record;
}

static void tell_ports(struct loop *loop, struct vhca_hca *hca)
{
	for (unsigned int number = 1; number <= hca->port_count; number++)
		tell_port(loop, hca, number);
}

/* give_answer gives the answer to an upcall, after the records of what the upcall has changed. */
static void give_answer(struct loop *loop, struct vhca_hca *hca, const struct vhca_answer *answer)
{
	tell_ports(loop, hca);
	push(hca, &answer->head);
}

void vhca_hca_receive(struct vhca_hca *hca, unsigned int port, const struct fabric_packet *packet)
{
	struct vhca_mad record;

	/* An HCA has no other QPs here. */
	if (packet->dqp > 1)
		return;
	record_from_packet(packet, port, &record);
	if (push(hca, &record.head))
		hca->counts.received++;
	else
		hca->counts.overflowed++;
}

int vhca_hca_settle(struct loop *loop, struct vhca_hca *hca)
{
	bool waits;
	int error;

	tell_ports(loop, hca);
	error = record_queue_write(&hca->urgent, hca->source.fd);
	if (!error)
		error = record_queue_write(&hca->mads, hca->source.fd);
	if (error && error != -EAGAIN)
		return error;
	waits = error;
	if (waits != hca->waits)
		source_set_events(loop, &hca->source, waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
	hca->waits = waits;
	return 0;
}

static void take_mad(struct loop *loop, struct vhca_hca *hca, const struct vhca_mad *mad)
{
	const struct hca_port *port = &hca->port[mad->head.port];
	struct fabric_packet packet;

	hca->counts.sent++;
	if (port->endpoint < 0)
		return;
	record_to_packet(mad, &packet);
	fabric_send(loop->fabric, port->endpoint, &packet, loop->now);
}

static void take_capabilities(struct loop *loop, struct vhca_hca *hca,
			      const struct vhca_port_caps *caps)
{
	const struct hca_port *port = &hca->port[caps->head.port];

	if (port->endpoint < 0)
		return;
	fabric_run(loop->fabric, loop->now);
	fabric_set_capabilities(loop->fabric, port->endpoint, HOST_CAPABILITIES,
				caps->capability_mask);
}

static void take_description(struct loop *loop, struct vhca_hca *hca,
			     const struct vhca_node_desc *record)
{
	for (unsigned int number = 1; number <= hca->port_count; number++) {
		if (hca->port[number].endpoint >= 0)
			fabric_set_description(loop->fabric, hca->port[number].endpoint,
					       record->node_desc);
	}
}

static void take_upcall(struct loop *loop, struct vhca_hca *hca,
			const struct vhca_upcall_record *upcall)
{
	struct vhca_answer answer;
	uint64_t ready;

	hca->counts.upcalls++;
	if (upcall_ask(loop->fabric, hca->port[upcall->head.port].endpoint, upcall, &answer,
		       loop->now, &ready) == VHCA_FAILED)
		hca->counts.upcalls_failed++;
	if (ready <= loop->now || !late_answers_keep(&hca->late, &answer, ready))
		give_answer(loop, hca, &answer);
}

void vhca_hca_expire(struct loop *loop, struct vhca_hca *hca)
{
	struct vhca_answer answer;

	while (late_answers_take(&hca->late, loop->now, &answer))
		give_answer(loop, hca, &answer);
}

static bool take_record(struct loop *loop, struct vhca_hca *hca, const union record *record)
{
	switch (record->head.type) {
	case VHCA_MAD:
		take_mad(loop, hca, &record->mad);
		return true;
	case VHCA_UPCALL:
		take_upcall(loop, hca, &record->upcall);
		return true;
	case VHCA_PORT_CAPS:
		take_capabilities(loop, hca, &record->caps);
		return true;
	case VHCA_NODE_DESC:
		take_description(loop, hca, &record->node_desc);
		return true;
	default: /* it was created long ago */
		return false;
	}
}

/* take_records returns false if a vhca would not send these records. */
static bool take_records(struct loop *loop, struct vhca_hca *hca, const uint8_t *bytes,
			 size_t length)
{
	union record record;

	while (length) {
		size_t taken = record_take(bytes, length, hca->port_count, &record);

		if (!taken || !take_record(loop, hca, &record))
			return false;
		bytes += taken;
		length -= taken;
	}
	return true;
}

/* read_records returns 1: there may be more; 0: there is no more; or -errno. */
static int read_records(struct loop *loop, struct vhca_hca *hca)
{
	static uint8_t buffer[READ_RECORDS * sizeof(struct vhca_mad)];
	ssize_t length = read(hca->source.fd, buffer, sizeof(buffer));

	if (length < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!length)
		return -ENODEV;
	return take_records(loop, hca, buffer, (size_t)length) ? 1 : -EBADMSG;
}

static void hca_ready(struct loop *loop, struct source *source, uint32_t events)
{
	int result = 1;

	if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		return;
	for (int times = 0; times < READ_MAX && result > 0; times++)
		result = read_records(loop, (struct vhca_hca *)source);
	if (result < 0)
		loop_fail(loop, result);
}

static void hca_close(struct loop *loop, struct source *source)
{
	struct vhca_hca *hca = (struct vhca_hca *)source;

	record_queue_free(&hca->urgent);
	record_queue_free(&hca->mads);
	source_close(loop, source);
}

static int attach_ports(struct loop *loop, struct vhca_hca *hca, const struct attachment *place)
{
	unsigned int last = place->node->port_count;

	if (place->node->type == NODE_SWITCH || place->port > VHCA_MAX_PORTS || place->port > last)
		return -EINVAL;
	if (place->port)
		last = place->port;
	hca->port_count = last < VHCA_MAX_PORTS ? last : VHCA_MAX_PORTS;
	for (unsigned int number = 1; number <= hca->port_count; number++) {
		struct hca_port *port = &hca->port[number];

		port->endpoint = -1;
		if (place->port && number != place->port)
			continue;
		port->endpoint = fabric_attach(loop->fabric, place->node, number);
		if (port->endpoint < 0)
			return port->endpoint;
	}
	return 0;
}

static int create(struct vhca_hca *hca, const struct topology_node *node)
{
	struct vhca_create record = {
		.head = record_head(VHCA_CREATE, sizeof(record), 0),
		.version = VHCA_ABI_VERSION,
		.ports = (uint8_t)hca->port_count,
		.node_guid = htobe64(node->node_guid),
		.system_image_guid = htobe64(node->system_guid),
		.vendor_id = node->vendor_id,
		.part_id = node->device_id,
	};
	ssize_t written;

	memcpy(record.node_desc, node->description,
	       strnlen(node->description, sizeof(record.node_desc)));
	written = write(hca->source.fd, &record, sizeof(record));
	if (written < 0)
		return -errno;
	return written == sizeof(record) ? 0 : -EBADMSG;
}

/*
 * read_greeting reads the first record, which can be read as soon as the HCA is made. Other records
 * may follow it.
 */
static int read_greeting(struct loop *loop, struct vhca_hca *hca)
{
	uint8_t buffer[READ_RECORDS * sizeof(struct vhca_mad)];
	ssize_t length = read(hca->source.fd, buffer, sizeof(buffer));
	union record record;
	size_t taken;

	if (length < 0 && errno != EAGAIN)
		return -errno;
	taken = length > 0 ? record_take(buffer, (size_t)length, hca->port_count, &record) : 0;
	if (!taken || record.head.type != VHCA_CREATED ||
	    !memchr(record.created.name, '\0', sizeof(record.created.name)))
		return -EBADMSG;
	memcpy(hca->name, record.created.name, sizeof(hca->name));
	return take_records(loop, hca, buffer + taken, (size_t)length - taken) ? 0 : -EBADMSG;
}

/* discard frees an HCA that the loop does not have yet. */
static void discard(struct vhca_hca *hca)
{
	record_queue_free(&hca->urgent);
	record_queue_free(&hca->mads);
	close(hca->source.fd);
	free(hca);
}

int vhca_hca_open(struct vhca_hca **opened, struct loop *loop, int fd,
		  const struct attachment *place)
{
	static const struct source_type type = { .ready = hca_ready, .close = hca_close };
	struct vhca_hca *hca = calloc(1, sizeof(*hca));
	int error;

	if (!hca) {
		close(fd);
		return -ENOMEM;
	}
	hca->source.type = &type;
	hca->source.fd = fd;
	error = attach_ports(loop, hca, place);
	if (!error)
		error = create(hca, place->node);
	if (!error)
		error = read_greeting(loop, hca);
	/* Epoll asks a file for its wait queue only once, and the HCA has that queue. */
	if (!error && !source_add(loop, &hca->source, EPOLLIN))
		error = -ENOMEM;
	if (error) {
		discard(hca);
		return error;
	}
	/* The kernel knows the ports before any program starts. */
	*opened = hca;
	return vhca_hca_settle(loop, hca);
}
