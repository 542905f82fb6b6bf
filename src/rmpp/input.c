/* SPDX-License-Identifier: BSD-2-Clause */
/* MADs that were read: what they are, and to which transfer they go. */
#include "rmpp/rmpp_state.h"

#include <errno.h>

bool rmpp_takes(const uint8_t *mad, size_t bytes)
{
	if (bytes < RMPP_HEADER_END || mad[0] != 1)
		return false;
	return rmpp_data_offset(mad[offsetof(struct madring_mad_hdr, mgmt_class)]) &&
	       mad[RMPP_FLAGS_OFFSET] & RMPP_ACTIVE;
}

static uint32_t find(const struct rmpp *rmpp, const struct rmpp_arrival *arrival,
		     enum key_kind kind)
{
	struct rmpp_key key = peer_key(arrival->umad, arrival->lane, kind);

	return peer_find(rmpp, &key);
}

bool rmpp_awaits(const struct rmpp *rmpp, unsigned int lane, const struct ib_user_mad *umad,
		 size_t bytes)
{
	const struct rmpp_arrival arrival = { .lane = lane, .umad = umad, .bytes = bytes };

	return rmpp_takes(umad->data, bytes - sizeof(*umad)) &&
	       find(rmpp, &arrival, KEY_SEND) != TRANSFER_NONE;
}

/*
 * The active transfer that a MAD ends, which makes no sense or is to end it. A message received
 * comes first: what its sender says of it looks like an answer to a request with its TID, and
 * that one is through when its reply comes. TRANSFER_NONE.
 */
static uint32_t find_active(const struct rmpp *rmpp, const struct rmpp_arrival *arrival)
{
	static const enum key_kind kinds[] = { KEY_RECEIVE, KEY_SEND };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint32_t entry = find(rmpp, arrival, kinds[i]);

		if (entry != TRANSFER_NONE && rmpp->transfer[entry].state == TRANSFER_ACTIVE)
			return entry;
	}
	return TRANSFER_NONE;
}

static enum rmpp_verdict stray(struct rmpp *rmpp)
{
	rmpp->stats.stray++;
	return RMPP_STRAY;
}

static enum rmpp_verdict take_ack(struct rmpp *rmpp, const struct rmpp_arrival *arrival,
				  const struct rmpp_header *header, uint64_t now, uint64_t *id)
{
	uint32_t entry = find(rmpp, arrival, KEY_SEND);

	if (entry != TRANSFER_NONE) {
		*id = transfer_id(rmpp, entry);
		send_ack(rmpp, entry, arrival, header, now);
		return RMPP_TAKEN;
	}
	entry = find(rmpp, arrival, KEY_RECEIVE);
	if (header->segment || header->status || !header->length)
		return stray(rmpp);
	/* It may be there before the only segment of its message, see rmpp_send.c. */
	if (entry == TRANSFER_NONE)
		return arrival->accept ? RMPP_TAKEN : stray(rmpp);
	/* Whoever sent a request tells how much of the response he takes at once. */
	if (rmpp->transfer[entry].state == TRANSFER_RECEIVED)
		rmpp->transfer[entry].receive.reply_window = header->length;
	return RMPP_TAKEN;
}

/* The statuses that end a transfer by right; any other is told as what it is not. */
static uint8_t end_status(const struct rmpp_header *header)
{
	if (header->type == RMPP_STOP)
		return header->status == RMPP_NO_RESOURCES ? RMPP_NO_RESOURCES : RMPP_BAD_STATUS;
	if (header->status < RMPP_TOO_LONG || header->status > RMPP_UNSPECIFIED)
		return RMPP_BAD_STATUS;
	return header->status;
}

static enum rmpp_verdict take_end(struct rmpp *rmpp, const struct rmpp_arrival *arrival,
				  const struct rmpp_header *header, uint64_t *id)
{
	uint32_t entry = find_active(rmpp, arrival);

	rmpp->stats.refusals_in++;
	if (entry == TRANSFER_NONE)
		return RMPP_DISMISSED;
	*id = transfer_id(rmpp, entry);
	transfer_fail(rmpp, entry, -ECONNABORTED, end_status(header));
	return RMPP_TAKEN;
}

/* A version or type that there is not. */
static enum rmpp_verdict take_nonsense(struct rmpp *rmpp, const struct rmpp_arrival *arrival,
				       uint8_t status, uint64_t *id)
{
	uint32_t entry = find_active(rmpp, arrival);

	if (entry == TRANSFER_NONE && !arrival->accept)
		return stray(rmpp);
	frame_refuse(rmpp, arrival->lane, arrival->umad, status);
	if (entry == TRANSFER_NONE)
		return RMPP_REFUSED;
	*id = transfer_id(rmpp, entry);
	transfer_fail(rmpp, entry, -EPROTO, status);
	return RMPP_TAKEN;
}

static enum rmpp_verdict take(struct rmpp *rmpp, const struct rmpp_arrival *arrival, uint64_t now,
			      uint64_t *id)
{
	struct rmpp_header header = rmpp_header_read(arrival->umad->data);

	/* These are never answered, or two that do not understand each other would go on for ever.
	 */
	if (header.type == RMPP_STOP || header.type == RMPP_ABORT)
		return take_end(rmpp, arrival, &header, id);
	if (header.version != RMPP_VERSION)
		return take_nonsense(rmpp, arrival, RMPP_BAD_VERSION, id);
	switch (header.type) {
	case RMPP_DATA:
		return receive_data(rmpp, arrival, &header, now, id);
	case RMPP_ACK:
		return take_ack(rmpp, arrival, &header, now, id);
	default:
		return take_nonsense(rmpp, arrival, RMPP_BAD_TYPE, id);
	}
}

enum rmpp_verdict rmpp_input(struct rmpp *rmpp, const struct rmpp_arrival *arrival, uint64_t now,
			     uint64_t *id)
{
	uint64_t unused;

	note_time(rmpp, now);
	if (arrival->bytes < sizeof(*arrival->umad) ||
	    !rmpp_takes(arrival->umad->data, arrival->bytes - sizeof(*arrival->umad)))
		return RMPP_PLAIN;
	if (arrival->bytes < sizeof(*arrival->umad) + MADRING_MAD_BYTES) {
		rmpp->stats.malformed++;
		return RMPP_MALFORMED;
	}
	return take(rmpp, arrival, now, id ? id : &unused);
}
