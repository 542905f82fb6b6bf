/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts messages from the fabric together, segment by segment, and delivers each as one. */
#include <stdlib.h>

#include "server/rmpp.h"

#define WINDOW	   64 /* segments: an eighth of what ib_mad has receives posted for */
#define MESSAGE_MS 40000
#define LINGER_MS  10000 /* a repeated last segment still gets its ACK */

#define UNFINISHED_MAX 16384 /* messages of one port */
#define FINISHED_MAX   65536
#define BYTES_MAX      (256u << 20)

/* The longest block of a message, whose last segment may be padded. */
#define BLOCK_MAX (MAD_UMAD_HEADER + SIM_MESSAGE_MAX + MAD_BYTES)

struct rmpp_receive {
	struct wheel_timer timer;
	LIST_ENTRY(rmpp_receive) by_tid, of_agent;
	TAILQ_ENTRY(rmpp_receive) by_age; /* once finished */
	struct agent *agent;
	struct fabric_packet first;
	uint8_t *block;	  /* room for the umad header, the class header, the data; NULL: finished */
	size_t room;	  /* in it */
	uint32_t segment; /* the last one of those without a gap */
	uint32_t window;  /* the last one that may come */
	uint32_t acknowledged;
	uint32_t last;		  /* with the last flag; 0: not yet known */
	uint32_t last_length;	  /* its payload length */
	uint32_t response_window; /* of the response, if this is a request */
	uint64_t ahead;		  /* bit i: the one i + 1 behind @segment has come */
};

void rmpp_receives_open(struct rmpp_receives *receives)
{
	memset(receives, 0, sizeof(*receives));
	hash_key_draw(&receives->key);
	slabs_open(&receives->slabs, sizeof(struct rmpp_receive));
	TAILQ_INIT(&receives->finished);
}

void rmpp_receives_close(struct rmpp_receives *receives)
{
	slabs_close(&receives->slabs);
}

static struct rmpp_receives *table_of(const struct agent *agent)
{
	return &agent->file->port->receives;
}

static struct rmpp_receive_list *bucket_of(const struct agent *agent, uint64_t tid)
{
	struct rmpp_receives *receives = table_of(agent);

	return &receives->bucket[keyed_hash_u64(&receives->key, tid) % RMPP_BUCKETS];
}

static bool same_class(const struct rmpp_receive *receive, const uint8_t *mad)
{
	const uint8_t *first = receive->first.mad;

	return mad_tid(first) == mad_tid(mad) && mad_class(first) == mad_class(mad) &&
	       mad_class_version(first) == mad_class_version(mad);
}

static struct rmpp_receive *find(const struct agent *agent, const struct fabric_packet *packet)
{
	struct rmpp_receive *receive;

	LIST_FOREACH (receive, bucket_of(agent, mad_tid(packet->mad)), by_tid) {
		if (receive->agent == agent && same_class(receive, packet->mad) &&
		    mad_method(receive->first.mad) == mad_method(packet->mad) &&
		    receive->first.slid == packet->slid && receive->first.sqp == packet->sqp)
			break;
	}
	return receive;
}

static size_t segment_bytes(const struct rmpp_receive *receive)
{
	return MAD_BYTES - mad_class_header_bytes(mad_class(receive->first.mad));
}

static void drop(struct server *server, struct rmpp_receive *receive)
{
	struct rmpp_receives *table = table_of(receive->agent);

	wheel_disarm(&server->wheel, &receive->timer);
	LIST_REMOVE(receive, by_tid);
	LIST_REMOVE(receive, of_agent);
	if (receive->block) {
		table->unfinished_count--;
		table->bytes -= receive->room;
	} else {
		table->finished_count--;
		TAILQ_REMOVE(&table->finished, receive, by_age);
	}
	free(receive->block);
	slab_give_back(&table->slabs, receive);
}

void rmpp_receive_drop_all(struct server *server, struct agent *agent)
{
	while (!LIST_EMPTY(&agent->receiving))
		drop(server, LIST_FIRST(&agent->receiving));
}

static void start_timer(struct server *server, struct rmpp_receive *receive, uint64_t ms)
{
	uint64_t tick = (server->loop.now + NS_PER_MS - 1) / NS_PER_MS;

	wheel_arm(&server->wheel, &receive->timer, tick + ms);
}

static void expire(struct server *server, struct wheel_timer *timer)
{
	struct rmpp_receive *receive =
		(struct rmpp_receive *)(void *)((char *)timer -
						offsetof(struct rmpp_receive, timer));

	if (receive->block)
		rmpp_refuse(server, receive->agent, &receive->first, RMPP_TOO_LATE);
	drop(server, receive);
}

/* Begins a message with its first segment. Returns NULL if there are too many, or no memory. */
static struct rmpp_receive *begin(struct server *server, struct agent *agent,
				  const struct fabric_packet *packet)
{
	struct rmpp_receives *table = table_of(agent);
	struct rmpp_receive *receive;

	if (table->unfinished_count == UNFINISHED_MAX)
		return NULL;
	receive = slab_take(&table->slabs);
	if (!receive)
		return NULL;
	memset(receive, 0, sizeof(*receive));
	receive->room = MAD_UMAD_BYTES;
	receive->block = malloc(receive->room);
	if (!receive->block) {
		slab_give_back(&table->slabs, receive);
		return NULL;
	}
	receive->timer.fire = expire;
	receive->agent = agent;
	receive->first = *packet;
	receive->window = 1;
	receive->response_window = 1;
	memcpy(receive->block + MAD_UMAD_HEADER, packet->mad, MAD_BYTES);
	LIST_INSERT_HEAD(bucket_of(agent, mad_tid(packet->mad)), receive, by_tid);
	LIST_INSERT_HEAD(&agent->receiving, receive, of_agent);
	table->unfinished_count++;
	table->bytes += receive->room;
	start_timer(server, receive, MESSAGE_MS);
	return receive;
}

static bool make_room(struct rmpp_receive *receive, size_t needed)
{
	struct rmpp_receives *table = table_of(receive->agent);
	size_t room = receive->room;
	uint8_t *block;

	if (needed > BLOCK_MAX)
		return false;
	if (needed <= room)
		return true;
	while (room < needed)
		room *= 2;
	if (table->bytes + room - receive->room > BYTES_MAX)
		return false;
	block = realloc(receive->block, room);
	if (!block)
		return false;
	table->bytes += room - receive->room;
	receive->block = block;
	receive->room = room;
	return true;
}

static bool has_come(const struct rmpp_receive *receive, uint32_t segment)
{
	return segment <= receive->segment ||
	       receive->ahead >> (segment - receive->segment - 1) & 1;
}

static bool store(struct rmpp_receive *receive, const struct fabric_packet *packet,
		  const struct rmpp_header *header)
{
	size_t bytes = segment_bytes(receive);
	size_t offset = MAD_UMAD_HEADER + MAD_BYTES - bytes + (header->segment - 1) * bytes;

	if (!make_room(receive, offset + bytes))
		return false;
	memcpy(receive->block + offset, packet->mad + MAD_BYTES - bytes, bytes);
	receive->ahead |= UINT64_C(1) << (header->segment - receive->segment - 1);
	if (header->flags & RMPP_FLAG_LAST && (!receive->last || header->segment < receive->last)) {
		receive->last = header->segment;
		receive->last_length = header->length;
	}
	return true;
}

/* advance passes over all segments that are here without a gap. */
static void advance(struct rmpp_receive *receive)
{
	while (receive->ahead & 1 && (!receive->last || receive->segment < receive->last)) {
		receive->segment++;
		receive->ahead >>= 1;
	}
}

static void acknowledge(struct server *server, struct rmpp_receive *receive,
			const struct fabric_packet *packet)
{
	receive->acknowledged = receive->segment;
	rmpp_send_ack(server, receive->agent, packet, receive->segment, receive->window);
}

/*
 * message_length returns the length of a message. An impossible payload length is taken for that of
 * a full segment.
 */
static size_t message_length(const struct rmpp_receive *receive)
{
	size_t bytes = segment_bytes(receive), padding = 0;

	if (receive->last_length <= MAD_RMPP_DATA)
		padding = MAD_RMPP_DATA - receive->last_length;
	return MAD_BYTES - bytes + receive->last * bytes - padding;
}

/*
 * finish delivers the message. The transfer is kept for a while, to acknowledge segments that are
 * sent again.
 */
static void finish(struct server *server, struct rmpp_receive *receive)
{
	struct rmpp_receives *table = table_of(receive->agent);
	uint8_t *block = receive->block;

	receive->block = NULL;
	table->unfinished_count--;
	table->bytes -= receive->room;
	if (table->finished_count == FINISHED_MAX)
		drop(server, TAILQ_FIRST(&table->finished));
	TAILQ_INSERT_TAIL(&table->finished, receive, by_age);
	table->finished_count++;
	start_timer(server, receive, LINGER_MS);
	acknowledge(server, receive, &receive->first);
	umad_deliver_message(server, receive->agent, &receive->first, block,
			     message_length(receive));
}

void rmpp_receive(struct server *server, struct agent *agent, const struct fabric_packet *packet)
{
	struct rmpp_header header = rmpp_header(packet->mad);
	struct rmpp_receive *receive = find(agent, packet);

	if (!receive && header.segment != 1)
		return;
	if (!receive)
		receive = begin(server, agent, packet);
	if (!receive) {
		rmpp_refuse(server, agent, packet, RMPP_NO_RESOURCES);
		return;
	}
	if (header.segment > receive->window)
		return;
	if (header.segment <= receive->acknowledged || !receive->block) {
		acknowledge(server, receive, packet);
		return;
	}
	if (has_come(receive, header.segment))
		return;
	if (!store(receive, packet, &header)) {
		rmpp_refuse(server, agent, packet, RMPP_NO_RESOURCES);
		drop(server, receive);
		return;
	}
	advance(receive);
	if (receive->segment == receive->last) {
		finish(server, receive);
	} else if (receive->segment == receive->window) {
		receive->window += WINDOW;
		acknowledge(server, receive, packet);
	}
}

void rmpp_set_response_window(const struct agent *agent, const struct fabric_packet *ack)
{
	struct rmpp_receive *receive = find(agent, ack);

	if (receive && !receive->block && rmpp_header(ack->mad).length)
		receive->response_window = rmpp_header(ack->mad).length;
}

uint32_t rmpp_first_window(const struct agent *agent, const struct fabric_packet *packet)
{
	const struct rmpp_receive *receive;

	if (!(mad_method(packet->mad) & UMAD_METHOD_RESP_MASK))
		return 1;
	LIST_FOREACH (receive, bucket_of(agent, mad_tid(packet->mad)), by_tid) {
		if (receive->agent == agent && same_class(receive, packet->mad) &&
		    !(mad_method(receive->first.mad) & UMAD_METHOD_RESP_MASK) &&
		    receive->first.slid == packet->dlid)
			return receive->response_window;
	}
	return 1;
}
