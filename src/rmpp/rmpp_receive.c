/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A message on its way in (IBA 13.6.6.2): put together segment by segment, and acknowledged.
 *
 * An ACK is written for the first segment and the last one, for every half of a window, and for
 * what comes twice. What is not in the Architecture: when later segments have come and one is
 * missing, an ACK that tells nothing new is written, for a sender that makes something of it. If
 * there is something new, it is told first, by an ACK of its own.
 *
 * The room for a message grows with what has come of it: a length that is told is no reason to
 * take memory.
 */
#include "rmpp/rmpp_state.h"

#include <errno.h>

#define FIRST_ROOM 8192u /* bytes of MAD that a message begins with, if it is to be longer */
#define GAP_ENOUGH 3	 /* later segments that have come: it is not just their order */

static uint32_t data_in_segment(const struct receive *receive)
{
	return MADRING_MAD_BYTES - receive->header;
}

/* What of a segment's payload is class header. */
static uint32_t header_payload(const struct receive *receive)
{
	return receive->header - RMPP_HEADER_END;
}

/* Segments that a first one tells of. */
static uint64_t told_count(uint32_t declared)
{
	return ((uint64_t)declared + RMPP_PAYLOAD - 1) / RMPP_PAYLOAD;
}

static bool payload_can_be(const struct receive *receive, uint32_t payload)
{
	return payload >= header_payload(receive) && payload <= RMPP_PAYLOAD;
}

/* The message that a first segment tells of; 0: none can be so long. */
static uint64_t told_length(const struct receive *receive, uint32_t declared)
{
	uint64_t count = told_count(declared);
	uint64_t last = declared - (count - 1) * RMPP_PAYLOAD;

	if (count < 2 || !payload_can_be(receive, (uint32_t)last))
		return 0;
	return receive->header + declared - count * header_payload(receive);
}

void receive_release(struct rmpp *rmpp, uint32_t entry)
{
	struct receive *receive = &rmpp->transfer[entry].receive;

	if (receive->message)
		rmpp->memory -= receive->room;
	receive->message = NULL;
}

void receive_drop(struct rmpp *rmpp, uint32_t entry)
{
	const struct rmpp_memory *memory = &rmpp->config.memory;
	struct ib_user_mad *message = rmpp->transfer[entry].receive.message;

	receive_release(rmpp, entry);
	if (message)
		memory->give(memory->context, message);
}

void receive_linger(struct rmpp *rmpp, uint32_t entry)
{
	struct receive *receive = &rmpp->transfer[entry].receive;

	receive->lingers = true;
	list_append(&rmpp->lingering, LINKS(rmpp->transfer, receive.linger), entry);
}

void receive_unlinger(struct rmpp *rmpp, uint32_t entry)
{
	struct receive *receive = &rmpp->transfer[entry].receive;

	if (!receive->lingers)
		return;
	receive->lingers = false;
	list_remove(&rmpp->lingering, LINKS(rmpp->transfer, receive.linger), entry);
}

static void acknowledge(struct rmpp *rmpp, uint32_t entry)
{
	rmpp->transfer[entry].receive.ack = true;
	transfer_ready(rmpp, entry);
}

/* Of many that come again together, one is answered. */
static void acknowledge_again(struct rmpp *rmpp, uint32_t entry, uint64_t now)
{
	rmpp->stats.repeated_in++;
	if (now - rmpp->transfer[entry].receive.told_at >= rmpp->config.tick_ns)
		acknowledge(rmpp, entry);
}

void receive_write_ack(struct rmpp *rmpp, uint32_t entry, struct frame *frame, uint64_t now)
{
	struct receive *receive = &rmpp->transfer[entry].receive;
	struct rmpp_header header = { .type = RMPP_ACK, .segment = receive->segment };

	if (receive->window < receive->segment + rmpp->config.window)
		receive->window = receive->segment + rmpp->config.window;
	header.length = receive->window;
	memcpy(frame->mad, receive->first, receive->header);
	memset(frame->mad + receive->header, 0, data_in_segment(receive));
	frame->mad[offsetof(struct madring_mad_hdr, method)] ^= MADRING_RESPONSE_BIT;
	rmpp_header_write(frame->mad, &header);
	receive->ack = receive->gap && receive->acked != receive->segment;
	receive->gap = receive->ack;
	receive->acked = receive->segment;
	receive->told_at = now;
	rmpp->stats.acks++;
}

static bool has_come(const struct receive *receive, uint32_t segment)
{
	return segment <= receive->segment ||
	       receive->ahead >> (segment - receive->segment - 1) & 1;
}

static struct ib_user_mad *take(struct rmpp *rmpp, struct receive *receive, size_t room)
{
	const struct rmpp_memory *memory = &rmpp->config.memory;
	struct ib_user_mad *message = memory->take(memory->context, room);

	if (!message)
		return NULL;
	rmpp->memory += room - receive->room;
	if (rmpp->memory > rmpp->stats.memory_peak)
		rmpp->stats.memory_peak = rmpp->memory;
	receive->room = room;
	return message;
}

static size_t next_room(const struct rmpp *rmpp, const struct receive *receive, size_t needed)
{
	size_t most = rmpp->config.message_limit;
	size_t room = 2 * receive->room;

	/* What is told is believed so far that it saves copying. */
	if (receive->declared) {
		most = (size_t)told_length(receive, receive->declared);
		room *= 2;
	}
	if (room > most)
		room = most;
	return room < needed ? needed : room;
}

/* 0, -EMSGSIZE or -ENOMEM. */
static int make_room(struct rmpp *rmpp, struct receive *receive, size_t needed)
{
	const struct rmpp_memory *memory = &rmpp->config.memory;
	struct ib_user_mad *old = receive->message;
	size_t filled = sizeof(*old) + receive->room;
	struct ib_user_mad *message;

	if (needed > rmpp->config.message_limit)
		return -EMSGSIZE;
	if (needed <= receive->room)
		return 0;
	message = take(rmpp, receive, next_room(rmpp, receive, needed));
	if (!message)
		return -ENOMEM;
	memcpy(message, old, filled);
	memory->give(memory->context, old);
	receive->message = message;
	return 0;
}

/* What is wrong with a segment by itself. */
static uint8_t fault_of(const struct rmpp_header *header)
{
	if (header->status)
		return RMPP_BAD_STATUS;
	if (!header->segment || !(header->flags & RMPP_FIRST) != (header->segment != 1))
		return RMPP_BAD_FIRST;
	return 0;
}

/* And what is, with those that have come. */
static uint8_t conflict_of(const struct receive *receive, const struct rmpp_header *header)
{
	uint64_t before = (uint64_t)(header->segment - 1) * RMPP_PAYLOAD;

	if (header->segment > receive->window)
		return RMPP_SEGMENT_TOO_BIG;
	if (receive->last && header->segment > receive->last)
		return RMPP_SEGMENT_TOO_BIG;
	if (receive->declared && before >= receive->declared)
		return RMPP_SEGMENT_TOO_BIG;
	if (!(header->flags & RMPP_LAST)) {
		bool ends = receive->declared && before + RMPP_PAYLOAD >= receive->declared;

		return ends ? RMPP_BAD_LENGTH : 0;
	}
	if (!payload_can_be(receive, header->length) || header->segment < receive->highest)
		return RMPP_BAD_LENGTH;
	if (receive->declared && before + header->length != receive->declared)
		return RMPP_BAD_LENGTH;
	return 0;
}

static void refuse(struct rmpp *rmpp, uint32_t entry, const struct rmpp_arrival *arrival,
		   int status, uint8_t rmpp_status)
{
	frame_refuse(rmpp, arrival->lane, arrival->umad, rmpp_status);
	transfer_fail(rmpp, entry, status, rmpp_status);
}

/* Bytes of data in a segment. */
static uint32_t data_of(const struct receive *receive, const struct rmpp_header *header)
{
	if (header->flags & RMPP_LAST)
		return header->length - header_payload(receive);
	return data_in_segment(receive);
}

/* 0, -EMSGSIZE or -ENOMEM. */
static int store(struct rmpp *rmpp, struct receive *receive, const struct rmpp_header *header,
		 const uint8_t *mad)
{
	uint32_t bytes = data_of(receive, header);
	size_t offset = receive->header + (size_t)(header->segment - 1) * data_in_segment(receive);
	int error = make_room(rmpp, receive, offset + bytes);

	if (error)
		return error;
	memcpy(receive->message->data + offset, mad + receive->header, bytes);
	receive->ahead |= UINT64_C(1) << (header->segment - receive->segment - 1);
	if (header->segment > receive->highest)
		receive->highest = header->segment;
	if (header->flags & RMPP_LAST) {
		receive->last = header->segment;
		receive->last_payload = header->length;
	}
	return 0;
}

/* Over all that is there without a gap. */
static void advance(struct receive *receive)
{
	while (receive->ahead & 1) {
		receive->segment++;
		receive->ahead >>= 1;
	}
}

static void complete(struct rmpp *rmpp, uint32_t entry, uint64_t now)
{
	struct transfer *transfer = &rmpp->transfer[entry];
	struct receive *receive = &transfer->receive;
	size_t length = receive->header + (size_t)receive->last * data_in_segment(receive) -
			(RMPP_PAYLOAD - receive->last_payload);

	receive->message->length = (uint32_t)(sizeof(*receive->message) + length);
	transfer->state = TRANSFER_RECEIVED;
	transfer->total_at = RMPP_NEVER;
	transfer->timeout_at = timer_after(now, rmpp->config.linger_ns);
	acknowledge(rmpp, entry);
	transfer_tell(rmpp, entry, 0, 0);
}

/* Whether it is time to tell of a segment that is missing. @moved: one that was has come. */
static bool gap_is_due(const struct receive *receive, bool moved)
{
	if (!receive->ahead || receive->gap_told == receive->segment)
		return false;
	return moved || receive->highest == receive->last || receive->highest == receive->window ||
	       __builtin_popcountll(receive->ahead) >= GAP_ENOUGH;
}

static void tell_gap(struct rmpp *rmpp, uint32_t entry)
{
	struct receive *receive = &rmpp->transfer[entry].receive;

	receive->gap_told = receive->segment;
	receive->gap = true;
	acknowledge(rmpp, entry);
}

/*
 * Half of a window has come since the last ACK, and the sender needs more. It does not once it may
 * write all there is: an ACK would be in the way of the reply to this message, as rmpp_send.c has
 * it.
 */
static bool half_is_due(const struct rmpp *rmpp, const struct receive *receive)
{
	uint64_t end = receive->last ? receive->last : told_count(receive->declared);

	if (end && end <= receive->window)
		return false;
	return receive->segment - receive->acked >= (rmpp->config.window + 1) / 2;
}

static void segment_came(struct rmpp *rmpp, uint32_t entry, bool moved, uint64_t now)
{
	struct transfer *transfer = &rmpp->transfer[entry];
	struct receive *receive = &transfer->receive;

	if (receive->segment == receive->last) {
		complete(rmpp, entry, now);
	} else {
		transfer->timeout_at = timer_after(now, rmpp->config.idle_ns);
		if (!receive->acked || half_is_due(rmpp, receive))
			acknowledge(rmpp, entry);
		if (gap_is_due(receive, moved))
			tell_gap(rmpp, entry);
	}
	timer_update(rmpp, entry);
}

static void receive_next(struct rmpp *rmpp, uint32_t entry, const struct rmpp_arrival *arrival,
			 const struct rmpp_header *header, uint64_t now)
{
	struct transfer *transfer = &rmpp->transfer[entry];
	struct receive *receive = &transfer->receive;
	uint32_t before = receive->segment;
	uint8_t fault = fault_of(header);
	int error;

	if (transfer->state == TRANSFER_RECEIVED) {
		acknowledge_again(rmpp, entry, now);
		return;
	}
	if (!fault && header->segment <= receive->window && has_come(receive, header->segment)) {
		acknowledge_again(rmpp, entry, now);
		return;
	}
	if (!fault)
		fault = conflict_of(receive, header);
	if (fault) {
		refuse(rmpp, entry, arrival, -EPROTO, fault);
		return;
	}
	error = store(rmpp, receive, header, arrival->umad->data);
	if (error) {
		refuse(rmpp, entry, arrival, error, RMPP_NO_RESOURCES);
		return;
	}
	advance(receive);
	segment_came(rmpp, entry, receive->segment > before, now);
}

/* The room to begin with; 0: what the first segment tells cannot be. */
static size_t first_room(const struct receive *receive, const struct rmpp_header *header)
{
	uint64_t told;

	if (header->flags & RMPP_LAST)
		return payload_can_be(receive, header->length) ? MADRING_MAD_BYTES : 0;
	if (!header->length)
		return FIRST_ROOM;
	told = told_length(receive, header->length);
	return told < FIRST_ROOM ? (size_t)told : FIRST_ROOM;
}

/* 0, -EPROTO, -EMSGSIZE or -ENOMEM. */
static int begin(struct rmpp *rmpp, uint32_t entry, const struct rmpp_arrival *arrival,
		 const struct rmpp_header *header)
{
	struct receive *receive = &rmpp->transfer[entry].receive;
	const struct ib_user_mad *umad = arrival->umad;
	size_t room;

	*receive = (struct receive){
		.header = rmpp_data_offset(rmpp->transfer[entry].key.mgmt_class),
		.window = rmpp->config.window,
		.reply_window = 1,
		.gap_told = SEGMENT_NONE,
		.addr = umad->addr,
	};
	room = first_room(receive, header);
	if (!room)
		return -EPROTO;
	if (!(header->flags & RMPP_LAST))
		receive->declared = header->length;
	if (receive->declared &&
	    told_length(receive, receive->declared) > rmpp->config.message_limit)
		return -EMSGSIZE;
	receive->message = take(rmpp, receive, room);
	if (!receive->message)
		return -ENOMEM;
	*receive->message = (struct ib_user_mad){
		.agent_id = umad->agent_id,
		.addr = umad->addr,
	};
	memcpy(receive->message->data, umad->data, receive->header);
	memcpy(receive->first, umad->data, receive->header);
	return 0;
}

/* Of those that linger the oldest makes room. */
static uint32_t make_entry(struct rmpp *rmpp, const struct rmpp_key *key, uint64_t user,
			   uint64_t now)
{
	uint32_t entry = transfer_open(rmpp, key, user, now);

	if (entry != TRANSFER_NONE || list_is_empty(&rmpp->lingering))
		return entry;
	transfer_close(rmpp, rmpp->lingering.first);
	return transfer_open(rmpp, key, user, now);
}

static enum rmpp_verdict refused(struct rmpp *rmpp, const struct rmpp_arrival *arrival,
				 uint8_t status)
{
	frame_refuse(rmpp, arrival->lane, arrival->umad, status);
	return RMPP_REFUSED;
}

static enum rmpp_verdict receive_first(struct rmpp *rmpp, const struct rmpp_key *key,
				       const struct rmpp_arrival *arrival,
				       const struct rmpp_header *header, uint64_t now, uint64_t *id)
{
	uint8_t fault = fault_of(header);
	uint32_t entry;
	int error;

	if (arrival->unwanted)
		return refused(rmpp, arrival, RMPP_UNSPECIFIED);
	if (!arrival->accept || (!fault && header->segment != 1)) {
		rmpp->stats.stray++;
		return RMPP_STRAY;
	}
	if (fault)
		return refused(rmpp, arrival, fault);
	entry = make_entry(rmpp, key, arrival->user, now);
	if (entry == TRANSFER_NONE)
		return refused(rmpp, arrival, RMPP_NO_RESOURCES);
	*id = transfer_id(rmpp, entry);
	error = begin(rmpp, entry, arrival, header);
	if (error)
		refuse(rmpp, entry, arrival, error,
		       error == -EPROTO ? RMPP_BAD_LENGTH : RMPP_NO_RESOURCES);
	else
		receive_next(rmpp, entry, arrival, header, now);
	return RMPP_STARTED;
}

enum rmpp_verdict receive_data(struct rmpp *rmpp, const struct rmpp_arrival *arrival,
			       const struct rmpp_header *header, uint64_t now, uint64_t *id)
{
	struct rmpp_key key = peer_key(arrival->umad, arrival->lane, KEY_RECEIVE);
	uint32_t entry = peer_find(rmpp, &key);

	rmpp->stats.segments_in++;
	if (entry == TRANSFER_NONE)
		return receive_first(rmpp, &key, arrival, header, now, id);
	*id = transfer_id(rmpp, entry);
	receive_next(rmpp, entry, arrival, header, now);
	return RMPP_TAKEN;
}

void receive_expire(struct rmpp *rmpp, uint32_t entry, uint64_t now)
{
	struct transfer *transfer = &rmpp->transfer[entry];

	if (transfer->state == TRANSFER_ACTIVE) {
		frame_abandon(rmpp, entry, RMPP_TOO_LONG);
		transfer_fail(rmpp, entry, -ETIMEDOUT, RMPP_TOO_LONG);
	} else if (transfer->waiting) {
		transfer->timeout_at = timer_after(now, rmpp->config.linger_ns);
	} else {
		transfer_close(rmpp, entry);
	}
}
