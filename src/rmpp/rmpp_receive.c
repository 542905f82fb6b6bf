/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Receives a message (IBA 13.6.6.2): joins its segments and acknowledges them.
 *
 * It writes an ACK for the first and the last segment, for every half of a window, and for
 * segments that come twice. One rule is not in the Architecture. If later segments have come and
 * one is missing, it writes an ACK without anything new, for senders that understand it (see
 * rmpp_send.c). If there is something new, an ACK of its own reports that first.
 *
 * Another rule is Linux's. The Architecture aborts a message whose segments contradict the
 * PayloadLength of the first one. Linux ignores that length, and takes one beyond 220 in the last
 * segment for 220, so there are senders that count otherwise. A length that is contradicted is
 * ignored here, too. It only says how much memory and which ACKs the message will need.
 *
 * The memory for a message grows with the segments that have come: a declared length is no reason
 * to take memory.
 */
#include "rmpp/rmpp_receive.h"

#include <errno.h>

#include "rmpp/received.h"
#include "rmpp/refusal.h"
#include "rmpp/rmpp_state.h"
#include "rmpp/timer.h"

#define FIRST_ROOM 8192u /* the first room for a longer message, in bytes of MAD */
#define GAP_ENOUGH 3	 /* so many later segments mean a loss, and not only another order */

static uint32_t data_in_segment(const struct receive *receive)
{
	return MADRING_MAD_BYTES - receive->header;
}

/* Returns how many bytes of each segment's payload are class header. */
static uint32_t header_payload(const struct receive *receive)
{
	return receive->header - RMPP_HEADER_END;
}

/* Returns how many segments a declared length means. */
static uint64_t declared_count(uint32_t declared)
{
	return ((uint64_t)declared + RMPP_PAYLOAD - 1) / RMPP_PAYLOAD;
}

/* Returns the payload of a last segment, in bytes. */
static uint32_t last_payload_of(const struct rmpp_header *header)
{
	return header->length < RMPP_PAYLOAD ? header->length : RMPP_PAYLOAD;
}

/* Returns the length of the message that a declared length means, or 0 if there is none. */
static uint64_t declared_length(const struct receive *receive, uint32_t declared)
{
	uint64_t count = declared_count(declared);
	uint64_t last = declared - (count - 1) * RMPP_PAYLOAD;

	if (count < 2 || last < header_payload(receive))
		return 0;
	return receive->header + declared - count * header_payload(receive);
}

static void request_ack(struct rmpp *rmpp, uint32_t entry)
{
	rmpp->transfer[entry].receive.ack = true;
	transfer_ready(rmpp, entry);
}

/* Answers a repeated segment. Of many that come together, only one is answered. */
static void request_repeated_ack(struct rmpp *rmpp, uint32_t entry, uint64_t now)
{
	rmpp->stats.repeated_in++;
	if (now - rmpp->transfer[entry].receive.ack_written_at >= rmpp->config.tick_ns)
		request_ack(rmpp, entry);
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
	receive->ack_written_at = now;
	rmpp->stats.acks++;
}

static bool has_segment(const struct receive *receive, uint32_t segment)
{
	return segment <= receive->segment ||
	       receive->ahead >> (segment - receive->segment - 1) & 1;
}

static struct ib_user_mad *take_message(struct rmpp *rmpp, struct receive *receive, size_t room)
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

	/* The declared length is trusted only so far that it saves copying. */
	if (receive->declared) {
		most = (size_t)declared_length(receive, receive->declared);
		room *= 2;
	}
	if (room > most)
		room = most;
	return room < needed ? needed : room;
}

/* Makes room for @needed bytes of MAD. Returns 0, -EMSGSIZE or -ENOMEM. */
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
	message = take_message(rmpp, receive, next_room(rmpp, receive, needed));
	if (!message)
		return -ENOMEM;
	memcpy(message, old, filled);
	memory->give(memory->context, old);
	receive->message = message;
	return 0;
}

/* Returns the ABORT status for a segment that is wrong by itself, or 0. */
static uint8_t segment_fault(const struct rmpp_header *header)
{
	if (header->status)
		return RMPP_BAD_STATUS;
	if (!header->segment || !(header->flags & RMPP_FIRST) != (header->segment != 1))
		return RMPP_BAD_FIRST;
	return 0;
}

/* Returns the ABORT status for a segment that contradicts those that have come, or 0. */
static uint8_t segment_conflict(const struct receive *receive, const struct rmpp_header *header)
{
	if (header->segment > receive->window)
		return RMPP_SEGMENT_TOO_BIG;
	if (receive->last && header->segment > receive->last)
		return RMPP_SEGMENT_TOO_BIG;
	if (header->flags & RMPP_LAST &&
	    (header->length < header_payload(receive) || header->segment < receive->highest))
		return RMPP_BAD_LENGTH;
	return 0;
}

/* Tells whether a segment contradicts the declared length of its message. */
static bool is_declared_wrong(const struct receive *receive, const struct rmpp_header *header)
{
	uint64_t before = (uint64_t)(header->segment - 1) * RMPP_PAYLOAD;

	if (header->flags & RMPP_LAST)
		return before + last_payload_of(header) != receive->declared;
	return before + RMPP_PAYLOAD >= receive->declared;
}

static void refuse_message(struct rmpp *rmpp, uint32_t entry, const struct rmpp_arrival *arrival,
			   int status, uint8_t rmpp_status)
{
	refusal_to_mad(rmpp, arrival->lane, arrival->umad, rmpp_status);
	transfer_fail(rmpp, entry, status, rmpp_status);
}

/* Returns how many bytes of data a segment has. */
static uint32_t segment_data(const struct receive *receive, const struct rmpp_header *header)
{
	if (header->flags & RMPP_LAST)
		return last_payload_of(header) - header_payload(receive);
	return data_in_segment(receive);
}

/* Stores a segment. Returns 0, -EMSGSIZE or -ENOMEM. */
static int store_segment(struct rmpp *rmpp, struct receive *receive,
			 const struct rmpp_header *header, const uint8_t *mad)
{
	uint32_t bytes = segment_data(receive, header);
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
		receive->last_payload = last_payload_of(header);
	}
	return 0;
}

/* Advances .segment to the next gap. */
static void advance_to_gap(struct receive *receive)
{
	while (receive->ahead & 1) {
		receive->segment++;
		receive->ahead >>= 1;
	}
}

static void complete_receive(struct rmpp *rmpp, uint32_t entry, uint64_t now)
{
	struct transfer *transfer = &rmpp->transfer[entry];
	struct receive *receive = &transfer->receive;
	size_t length = receive->header + (size_t)receive->last * data_in_segment(receive) -
			(RMPP_PAYLOAD - receive->last_payload);

	receive->message->length = (uint32_t)(sizeof(*receive->message) + length);
	transfer->state = TRANSFER_RECEIVED;
	transfer->total_at = RMPP_NEVER;
	transfer->timeout_at = timer_after(now, rmpp->config.linger_ns);
	request_ack(rmpp, entry);
	transfer_set_outcome(rmpp, entry, 0, 0);
}

/*
 * Tells whether it is time to report a missing segment. @moved means that one that was missing
 * has come.
 */
static bool is_gap_due(const struct receive *receive, bool moved)
{
	if (!receive->ahead || receive->gap_reported == receive->segment)
		return false;
	return moved || receive->highest == receive->last || receive->highest == receive->window ||
	       __builtin_popcountll(receive->ahead) >= GAP_ENOUGH;
}

static void report_gap(struct rmpp *rmpp, uint32_t entry)
{
	struct receive *receive = &rmpp->transfer[entry].receive;

	receive->gap_reported = receive->segment;
	receive->gap = true;
	request_ack(rmpp, entry);
}

/*
 * Tells whether half of a window has come since the last ACK and the sender needs an ACK. It
 * needs none once it may write all segments: an ACK would be in the way of the reply to this
 * message (see rmpp_send.c).
 */
static bool is_half_due(const struct rmpp *rmpp, const struct receive *receive)
{
	uint64_t end = receive->last ? receive->last : declared_count(receive->declared);

	if (end && end <= receive->window)
		return false;
	return receive->segment - receive->acked >= (rmpp->config.window + 1) / 2;
}

static void count_segment(struct rmpp *rmpp, uint32_t entry, bool moved, uint64_t now)
{
	struct transfer *transfer = &rmpp->transfer[entry];
	struct receive *receive = &transfer->receive;

	if (receive->segment == receive->last) {
		complete_receive(rmpp, entry, now);
	} else {
		transfer->timeout_at = timer_after(now, rmpp->config.idle_ns);
		if (!receive->acked || is_half_due(rmpp, receive))
			request_ack(rmpp, entry);
		if (is_gap_due(receive, moved))
			report_gap(rmpp, entry);
	}
	timer_update(rmpp, entry);
}

/*
 * Takes a further segment of a message: stores it, answers a repeated one, or refuses the message.
 */
static void receive_next(struct rmpp *rmpp, uint32_t entry, const struct rmpp_arrival *arrival,
			 const struct rmpp_header *header, uint64_t now)
{
	struct transfer *transfer = &rmpp->transfer[entry];
	struct receive *receive = &transfer->receive;
	uint32_t before = receive->segment;
	uint8_t fault = segment_fault(header);
	int error;

	if (transfer->state == TRANSFER_RECEIVED) {
		request_repeated_ack(rmpp, entry, now);
		return;
	}
	if (!fault && header->segment <= receive->window && has_segment(receive, header->segment)) {
		request_repeated_ack(rmpp, entry, now);
		return;
	}
	if (!fault)
		fault = segment_conflict(receive, header);
	if (fault) {
		refuse_message(rmpp, entry, arrival, -EPROTO, fault);
		return;
	}
	if (is_declared_wrong(receive, header))
		receive->declared = 0;
	error = store_segment(rmpp, receive, header, arrival->umad->data);
	if (error) {
		refuse_message(rmpp, entry, arrival, error, RMPP_NO_RESOURCES);
		return;
	}
	advance_to_gap(receive);
	count_segment(rmpp, entry, receive->segment > before, now);
}

/* Returns the first room for a message. */
static size_t first_room(const struct receive *receive, const struct rmpp_header *header)
{
	uint64_t told = declared_length(receive, receive->declared);

	if (header->flags & RMPP_LAST)
		return MADRING_MAD_BYTES;
	return told && told < FIRST_ROOM ? (size_t)told : FIRST_ROOM;
}

/* Begins a message. Returns 0, -EMSGSIZE or -ENOMEM. */
static int begin_message(struct rmpp *rmpp, uint32_t entry, const struct rmpp_arrival *arrival,
			 const struct rmpp_header *header)
{
	struct receive *receive = &rmpp->transfer[entry].receive;
	const struct ib_user_mad *umad = arrival->umad;

	*receive = (struct receive){
		.header = rmpp_data_offset(rmpp->transfer[entry].key.mgmt_class),
		.window = rmpp->config.window,
		.reply_window = 1,
		.gap_reported = SEGMENT_NONE,
		.addr = umad->addr,
	};
	if (!(header->flags & RMPP_LAST) && declared_length(receive, header->length))
		receive->declared = header->length;
	if (declared_length(receive, receive->declared) > rmpp->config.message_limit)
		return -EMSGSIZE;
	receive->message = take_message(rmpp, receive, first_room(receive, header));
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

/* Takes a free transfer. If there is none, the oldest of those that linger is closed. */
static uint32_t open_receive(struct rmpp *rmpp, const struct rmpp_key *key, uint64_t user,
			     uint64_t now)
{
	uint32_t entry = transfer_open(rmpp, key, user, now);

	if (entry != TRANSFER_NONE || list_is_empty(&rmpp->lingering))
		return entry;
	transfer_close(rmpp, rmpp->lingering.first);
	return transfer_open(rmpp, key, user, now);
}

static enum rmpp_verdict refuse_first(struct rmpp *rmpp, const struct rmpp_arrival *arrival,
				      uint8_t status)
{
	refusal_to_mad(rmpp, arrival->lane, arrival->umad, status);
	return RMPP_REFUSED;
}

/* Takes the first segment of a message, if the caller wants the message and there is room. */
static enum rmpp_verdict receive_first(struct rmpp *rmpp, const struct rmpp_key *key,
				       const struct rmpp_arrival *arrival,
				       const struct rmpp_header *header, uint64_t now, uint64_t *id)
{
	uint8_t fault = segment_fault(header);
	uint32_t entry;
	int error;

	if (arrival->unwanted)
		return refuse_first(rmpp, arrival, RMPP_UNSPECIFIED);
	if (!arrival->accept || (!fault && header->segment != 1)) {
		rmpp->stats.stray++;
		return RMPP_STRAY;
	}
	if (fault)
		return refuse_first(rmpp, arrival, fault);
	entry = open_receive(rmpp, key, arrival->user, now);
	if (entry == TRANSFER_NONE)
		return refuse_first(rmpp, arrival, RMPP_NO_RESOURCES);
	*id = transfer_id(rmpp, entry);
	error = begin_message(rmpp, entry, arrival, header);
	if (error)
		refuse_message(rmpp, entry, arrival, error, RMPP_NO_RESOURCES);
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
		refusal_of_transfer(rmpp, entry, RMPP_TOO_LONG);
		transfer_fail(rmpp, entry, -ETIMEDOUT, RMPP_TOO_LONG);
	} else if (transfer->has_outcome) {
		transfer->timeout_at = timer_after(now, rmpp->config.linger_ns);
	} else {
		transfer_close(rmpp, entry);
	}
}
