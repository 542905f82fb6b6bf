/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends a message (IBA 13.6.6.1): writes its segments as far as the receiver's window allows,
 * handles the ACKs, and repeats the window if no ACK comes.
 *
 * One rule is not in the Architecture. An ACK without anything new, while more is in flight,
 * means that the receiver misses a segment (see rmpp_receive.c). That segment is repeated at
 * once.
 *
 * The kernel accepts a reply of one MAD only while a MAD with its TID waits for an answer. Every
 * answer, an ACK included, ends the wait of one MAD. So if a reply is expected, two MADs must
 * wait: one for the last ACK, and one for a reply that may follow the ACK at once, before this
 * end can write more. A repeated segment may get its own ACK, so one more MAD must wait for it.
 */
#include "rmpp/rmpp_send.h"

#include <errno.h>

#include "rmpp/refusal.h"
#include "rmpp/rmpp_state.h"
#include "rmpp/timer.h"

#define WAITING_UNACKED 2u
#define WAITING_ACKED	1u
#define MOST_REPEATS	4u /* after more, a reply may be lost, and the request is repeated */

#define RESPONSE_TIME_NS 4096u /* times a power of two: IBA 13.4.6.2.1 */

static uint32_t data_in_segment(const struct send *send)
{
	return MADRING_MAD_BYTES - send->header;
}

/* Returns how many bytes the last segment is shorter than a full one. */
static uint32_t last_padding(const struct send *send)
{
	uint64_t room = (uint64_t)send->count * data_in_segment(send);

	return (uint32_t)(room - (send->length - send->header));
}

static bool is_sendable(const struct rmpp_message *message)
{
	const struct madring_mad_hdr *header = (const void *)message->umad->data;
	uint32_t offset = rmpp_data_offset(header->mgmt_class);

	return offset && header->base_version == 1 && message->length >= offset &&
	       message->length <= RMPP_MAX_MESSAGE;
}

/*
 * Returns the first window of a message. The response to a request that came by RMPP may begin
 * with the window that the request's sender announced.
 */
static uint32_t first_window(const struct rmpp *rmpp, const struct rmpp_key *answer)
{
	struct rmpp_key request = *answer;
	uint32_t entry;

	request.kind = KEY_RECEIVE;
	entry = peer_find(rmpp, &request);
	if (entry == TRANSFER_NONE || rmpp->transfer[entry].state != TRANSFER_RECEIVED)
		return 1;
	return rmpp->transfer[entry].receive.reply_window;
}

int rmpp_send(struct rmpp *rmpp, const struct rmpp_message *message, uint64_t now, uint64_t *id)
{
	struct rmpp_key key;
	struct send *send;
	uint32_t entry;

	note_time(rmpp, now);
	if (!is_sendable(message))
		return -EINVAL;
	key = peer_answer_key(message->umad, message->lane);
	if (peer_find(rmpp, &key) != TRANSFER_NONE)
		return -EEXIST;
	entry = transfer_open(rmpp, &key, message->user, now);
	if (entry == TRANSFER_NONE)
		return -EAGAIN;
	send = &rmpp->transfer[entry].send;
	*send = (struct send){
		.message = message->umad,
		.length = (uint32_t)message->length,
		.header = rmpp_data_offset(key.mgmt_class),
		.next = 1,
		.window = first_window(rmpp, &key),
		.retries = message->attempts ? message->attempts - 1 : rmpp->config.retries,
		.reply_ms = message->reply_ms,
		.first_timeout_ns =
			message->timeout_ns ? message->timeout_ns : rmpp->config.first_timeout_ns,
	};
	send->count =
		(send->length - send->header + data_in_segment(send) - 1) / data_in_segment(send);
	if (!send->count)
		send->count = 1;
	timer_update(rmpp, entry);
	transfer_ready(rmpp, entry);
	*id = transfer_id(rmpp, entry);
	return 0;
}

static uint32_t last_in_window(const struct send *send)
{
	return send->window < send->count ? send->window : send->count;
}

static bool has_segment(const struct send *send)
{
	return send->repair || send->next <= last_in_window(send);
}

bool send_has_more(const struct rmpp *rmpp, uint32_t entry)
{
	const struct transfer *transfer = &rmpp->transfer[entry];
	const struct send *send = &transfer->send;

	return send->turn || (transfer->state == TRANSFER_ACTIVE && has_segment(send));
}

static uint64_t bound_timeout(const struct rmpp_config *config, uint64_t ns)
{
	if (ns < config->min_timeout_ns)
		return config->min_timeout_ns;
	return ns < config->max_timeout_ns ? ns : config->max_timeout_ns;
}

/* Returns how long to wait for an ACK, in ns. */
static uint64_t ack_timeout(const struct rmpp *rmpp, const struct send *send)
{
	const struct rmpp_config *config = &rmpp->config;
	uint64_t timeout = rtt_estimate_timeout(&send->rtt, config->tick_ns);

	if (!timeout)
		timeout = send->first_timeout_ns;
	if (timeout < send->response_ns)
		timeout = send->response_ns;
	timeout = bound_timeout(config, timeout);
	for (unsigned int i = 0; i < send->timeouts && timeout < config->max_timeout_ns; i++)
		timeout *= 2;
	return bound_timeout(config, timeout);
}

static void restart_timer(struct rmpp *rmpp, uint32_t entry, uint64_t now)
{
	struct transfer *transfer = &rmpp->transfer[entry];

	transfer->timeout_at = timer_after(now, ack_timeout(rmpp, &transfer->send));
	timer_update(rmpp, entry);
}

/*
 * Returns the umad timeout of a frame, in ms: not 0 while fewer than @enough MADs wait for an
 * answer.
 */
static uint32_t reply_wait_ms(struct send *send, uint32_t enough)
{
	if (!send->reply_ms || send->replies_accepted >= enough)
		return 0;
	send->replies_accepted++;
	return send->reply_ms;
}

static uint32_t payload_length(const struct send *send, uint32_t segment)
{
	if (segment == 1)
		return send->count * RMPP_PAYLOAD - last_padding(send);
	return segment == send->count ? RMPP_PAYLOAD - last_padding(send) : 0;
}

static void write_data(const struct send *send, uint32_t segment, uint8_t *mad)
{
	uint32_t bytes = data_in_segment(send);
	size_t offset = send->header + (size_t)(segment - 1) * bytes;
	struct rmpp_header header = {
		.type = RMPP_DATA,
		.segment = segment,
		.length = payload_length(send, segment),
	};

	if (segment == 1)
		header.flags |= RMPP_FIRST;
	if (segment == send->count) {
		header.flags |= RMPP_LAST;
		memset(mad + send->header, 0, bytes);
		bytes = (uint32_t)(send->length - offset);
	}
	memcpy(mad, send->message->data, send->header);
	memcpy(mad + send->header, send->message->data + offset, bytes);
	rmpp_header_write(mad, &header);
}

/*
 * Writes the ACK that turns the transfer's direction. Its SegmentNumber is 0; its window is the
 * first window of the response.
 */
static void write_turn(const struct rmpp *rmpp, const struct send *send, uint8_t *mad)
{
	struct rmpp_header header = { .type = RMPP_ACK, .length = rmpp->config.window };

	memcpy(mad, send->message->data, send->header);
	memset(mad + send->header, 0, MADRING_MAD_BYTES - send->header);
	rmpp_header_write(mad, &header);
}

static uint32_t next_segment(const struct send *send)
{
	return send->repair ? send->repair : send->next;
}

static uint32_t take_segment(struct send *send)
{
	uint32_t segment = next_segment(send);

	if (send->repair)
		send->repair = 0;
	else
		send->next++;
	return segment;
}

/*
 * Counts a segment that was written. An ACK for a segment that was written twice does not measure
 * the round trip (Karn's rule).
 */
static void count_written(struct rmpp *rmpp, struct send *send, uint32_t segment, uint64_t now)
{
	rmpp->stats.segments++;
	if (segment <= send->high) {
		rmpp->stats.resent++;
		send->timed = 0;
		if (send->repeats < MOST_REPEATS)
			send->repeats++;
		return;
	}
	send->high = segment;
	if (!send->timed) {
		send->timed = segment;
		send->timed_at = now;
	}
}

/*
 * Announces the turn early if too few MADs would wait for the reply; @more is how many segments
 * are left that could. The receiver ignores a turn before the last segment.
 */
static void announce_turn(struct send *send, uint32_t more)
{
	if (send->reply_ms && send->replies_accepted + more < WAITING_UNACKED + send->repeats)
		send->turn = true;
}

uint32_t send_write(struct rmpp *rmpp, uint32_t entry, struct frame *frame, uint64_t now)
{
	struct transfer *transfer = &rmpp->transfer[entry];
	struct send *send = &transfer->send;
	bool unacked = transfer->state == TRANSFER_ACTIVE;
	uint32_t enough = (unacked ? WAITING_UNACKED : WAITING_ACKED) + send->repeats;
	uint32_t segment;

	if (unacked && has_segment(send) && next_segment(send) == send->count)
		announce_turn(send, 1);
	frame->umad.timeout_ms = reply_wait_ms(send, enough);
	if (send->turn) {
		send->turn = false;
		write_turn(rmpp, send, frame->mad);
		rmpp->stats.acks++;
		return 0;
	}
	segment = take_segment(send);
	write_data(send, segment, frame->mad);
	count_written(rmpp, send, segment, now);
	restart_timer(rmpp, entry, now);
	return segment;
}

void send_postpone(struct rmpp *rmpp, uint32_t entry, const struct frame *frame, uint32_t segment)
{
	struct transfer *transfer = &rmpp->transfer[entry];
	struct send *send = &transfer->send;

	if (frame->umad.timeout_ms && send->replies_accepted)
		send->replies_accepted--;
	if (!segment)
		send->turn = true;
	else if (segment > send->acked && segment < send->next)
		send->next = segment;
	transfer->timeout_at = RMPP_NEVER;
	if (transfer->state == TRANSFER_ACTIVE)
		restart_timer(rmpp, entry, transfer->hold_at);
}

static void complete_send(struct rmpp *rmpp, uint32_t entry)
{
	struct transfer *transfer = &rmpp->transfer[entry];
	struct send *send = &transfer->send;

	transfer_set_outcome(rmpp, entry, 0, 0);
	if (!send->reply_ms) {
		transfer_close(rmpp, entry);
		return;
	}
	transfer->state = TRANSFER_SENT;
	transfer->timeout_at = RMPP_NEVER;
	transfer->total_at = RMPP_NEVER;
	send->turn = true;
	transfer_ready(rmpp, entry);
}

static void measure_round_trip(struct send *send, uint32_t acked, uint64_t now)
{
	if (!send->timed || acked < send->timed)
		return;
	rtt_estimate_add(&send->rtt, now - send->timed_at);
	send->timed = 0;
}

static void repair_segment(struct send *send, uint32_t segment)
{
	send->repair = segment;
	send->repaired = segment;
}

static void advance_acked(struct send *send, uint32_t acked, uint64_t now)
{
	measure_round_trip(send, acked, now);
	send->acked = acked;
	/* Acknowledged segments count as written, also if the receiver has another copy of them. */
	if (send->high < acked)
		send->high = acked;
	send->timeouts = 0;
	if (send->next <= acked)
		send->next = acked + 1;
	if (send->repair <= acked)
		send->repair = 0;
	/* The first gap is filled. The segments behind it may have other gaps. */
	if (acked < send->recover && acked + 1 < send->next)
		repair_segment(send, acked + 1);
}

/* Records an ACK without anything new while more is in flight. */
static void note_gap(struct send *send)
{
	uint32_t missing = send->acked + 1;

	if (missing >= send->next || missing == send->repaired)
		return;
	repair_segment(send, missing);
	send->recover = send->high;
}

static uint8_t ack_fault(const struct send *send, const struct rmpp_header *header)
{
	if (header->status)
		return RMPP_BAD_STATUS;
	if (header->length < header->segment)
		return RMPP_WINDOW_TOO_SMALL;
	/*
	 * An ACK for all segments, of which not all were written: the receiver asked twice and has
	 * another copy of this response. It does not want the rest of this one.
	 */
	if (header->segment == send->count)
		return 0;
	return header->segment > send->high ? RMPP_SEGMENT_TOO_BIG : 0;
}

static void note_response_time(struct send *send, const struct rmpp_header *header)
{
	if (header->response_time < RMPP_NO_RESPONSE_TIME)
		send->response_ns = (uint64_t)RESPONSE_TIME_NS << header->response_time;
}

/* Takes an ACK: moves the window, completes the message, or notes a gap. */
static void take_ack(struct rmpp *rmpp, uint32_t entry, const struct rmpp_header *header,
		     uint64_t now)
{
	struct send *send = &rmpp->transfer[entry].send;
	bool wider = header->length > send->window;
	bool further = header->segment > send->acked;

	if (!further && (header->segment < send->acked || header->length < send->window))
		return; /* a later ACK has overtaken it */
	note_response_time(send, header);
	/* A window only grows. Linux ignores an ACK whose NewWindowLast is less than before. */
	if (wider)
		send->window = header->length;
	if (further)
		advance_acked(send, header->segment, now);
	else if (!wider)
		note_gap(send);
	if (send->acked == send->count) {
		complete_send(rmpp, entry);
		return;
	}
	if (send->high)
		restart_timer(rmpp, entry, now);
	if (send_has_more(rmpp, entry))
		transfer_ready(rmpp, entry);
}

/*
 * Records that an answer has ended the wait of one MAD. There may be no segment left to wait
 * instead.
 */
static void count_answer(struct send *send)
{
	if (send->replies_accepted)
		send->replies_accepted--;
	if (send->high == send->count)
		announce_turn(send, 0);
}

void send_receive_ack(struct rmpp *rmpp, uint32_t entry, const struct rmpp_arrival *arrival,
		      const struct rmpp_header *header, uint64_t now)
{
	struct transfer *transfer = &rmpp->transfer[entry];
	uint8_t fault = ack_fault(&transfer->send, header);

	rmpp->stats.acks_in++;
	count_answer(&transfer->send);
	if (transfer->state == TRANSFER_SENT) {
		/*
		 * The other end repeats its last ACK to learn whether it has arrived: repeat the
		 * turn.
		 */
		transfer->send.turn = true;
		transfer_ready(rmpp, entry);
		return;
	}
	if (fault) {
		refusal_to_mad(rmpp, arrival->lane, arrival->umad, fault);
		transfer_fail(rmpp, entry, -EPROTO, fault);
		return;
	}
	take_ack(rmpp, entry, header, now);
}

static void give_up_sending(struct rmpp *rmpp, uint32_t entry, uint8_t status)
{
	refusal_of_transfer(rmpp, entry, status);
	transfer_fail(rmpp, entry, -ETIMEDOUT, status);
}

void send_expire(struct rmpp *rmpp, uint32_t entry, uint64_t now)
{
	struct transfer *transfer = &rmpp->transfer[entry];
	struct send *send = &transfer->send;

	if (transfer->total_at <= now) {
		give_up_sending(rmpp, entry, RMPP_TOO_LONG);
		return;
	}
	if (send->timeouts == send->retries) {
		give_up_sending(rmpp, entry, RMPP_TOO_MANY_RETRIES);
		return;
	}
	send->timeouts++;
	send->timed = 0;
	send->recover = 0;
	send->repair = 0;
	send->repaired = send->acked + 1;
	send->next = send->acked + 1;
	/* If the window is closed, repeat a segment that was acknowledged: it gets an ACK, too. */
	if (send->next > last_in_window(send) && send->acked)
		send->next = send->acked;
	restart_timer(rmpp, entry, now);
	transfer_ready(rmpp, entry);
}
