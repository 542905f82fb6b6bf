/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the MADs that were read, and passes each to its transfer. */
#include <errno.h>

#include "rmpp/refusal.h"
#include "rmpp/rmpp_state.h"

bool rmpp_takes(const uint8_t *mad, size_t bytes)
{
	if (bytes < RMPP_HEADER_END || mad[0] != 1)
		return false;
	return rmpp_data_offset(mad[offsetof(struct madring_mad_hdr, mgmt_class)]) &&
	       mad[RMPP_FLAGS_OFFSET] & RMPP_ACTIVE;
}

static uint32_t find_transfer(const struct rmpp *rmpp, const struct rmpp_arrival *arrival,
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
	       find_transfer(rmpp, &arrival, KEY_SEND) != TRANSFER_NONE;
}

/*
 * Returns the active transfer that an invalid MAD, a STOP or an ABORT ends, or TRANSFER_NONE. A
 * received message comes first: the MADs of its sender look like answers to a request with its
 * TID, and that request ends when its reply comes.
 */
static uint32_t find_active_transfer(const struct rmpp *rmpp, const struct rmpp_arrival *arrival)
{
	static const enum key_kind kinds[] = { KEY_RECEIVE, KEY_SEND };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint32_t entry = find_transfer(rmpp, arrival, kinds[i]);

		if (entry != TRANSFER_NONE && rmpp->transfer[entry].state == TRANSFER_ACTIVE)
			return entry;
	}
	return TRANSFER_NONE;
}

static enum rmpp_verdict count_stray(struct rmpp *rmpp)
{
	rmpp->stats.stray++;
	return RMPP_STRAY;
}

static enum rmpp_verdict take_ack(struct rmpp *rmpp, const struct rmpp_arrival *arrival,
				  const struct rmpp_header *header, uint64_t now, uint64_t *id)
{
	uint32_t entry = find_transfer(rmpp, arrival, KEY_SEND);

	if (entry != TRANSFER_NONE) {
		*id = transfer_id(rmpp, entry);
		send_receive_ack(rmpp, entry, arrival, header, now);
		return RMPP_TAKEN;
	}
	entry = find_transfer(rmpp, arrival, KEY_RECEIVE);
	if (header->segment || header->status || !header->length)
		return count_stray(rmpp);
	/* The turn may arrive before the only segment of its message, see rmpp_send.c. */
	if (entry == TRANSFER_NONE)
		return arrival->accept ? RMPP_TAKEN : count_stray(rmpp);
	/* The sender of a request announces the first window of the response. */
	if (rmpp->transfer[entry].state == TRANSFER_RECEIVED)
		rmpp->transfer[entry].receive.reply_window = header->length;
	return RMPP_TAKEN;
}

/*
 * Returns the status of a STOP or ABORT, or RMPP_BAD_STATUS if the Architecture does not allow
 * it.
 */
static uint8_t end_status(const struct rmpp_header *header)
{
	if (header->type == RMPP_STOP)
		return header->status == RMPP_NO_RESOURCES ? RMPP_NO_RESOURCES : RMPP_BAD_STATUS;
	if (header->status < RMPP_TOO_LONG || header->status > RMPP_UNSPECIFIED)
		return RMPP_BAD_STATUS;
	return header->status;
}

static enum rmpp_verdict take_stop_or_abort(struct rmpp *rmpp, const struct rmpp_arrival *arrival,
					    const struct rmpp_header *header, uint64_t *id)
{
	uint32_t entry = find_active_transfer(rmpp, arrival);

	rmpp->stats.refusals_in++;
	if (entry == TRANSFER_NONE)
		return RMPP_DISMISSED;
	*id = transfer_id(rmpp, entry);
	transfer_fail(rmpp, entry, -ECONNABORTED, end_status(header));
	return RMPP_TAKEN;
}

/* Takes a MAD of an unknown version or type. */
static enum rmpp_verdict take_invalid(struct rmpp *rmpp, const struct rmpp_arrival *arrival,
				      uint8_t status, uint64_t *id)
{
	uint32_t entry = find_active_transfer(rmpp, arrival);

	if (entry == TRANSFER_NONE && !arrival->accept)
		return count_stray(rmpp);
	refusal_to_mad(rmpp, arrival->lane, arrival->umad, status);
	if (entry == TRANSFER_NONE)
		return RMPP_REFUSED;
	*id = transfer_id(rmpp, entry);
	transfer_fail(rmpp, entry, -EPROTO, status);
	return RMPP_TAKEN;
}

static enum rmpp_verdict take_mad(struct rmpp *rmpp, const struct rmpp_arrival *arrival,
				  uint64_t now, uint64_t *id)
{
	struct rmpp_header header = rmpp_header_read(arrival->umad->data);

	/*
	 * Never answer these, or two nodes that misunderstand each other would go on without end.
	 */
	if (header.type == RMPP_STOP || header.type == RMPP_ABORT)
		return take_stop_or_abort(rmpp, arrival, &header, id);
	if (header.version != RMPP_VERSION)
		return take_invalid(rmpp, arrival, RMPP_BAD_VERSION, id);
	switch (header.type) {
	case RMPP_DATA:
		return receive_data(rmpp, arrival, &header, now, id);
	case RMPP_ACK:
		return take_ack(rmpp, arrival, &header, now, id);
	default:
		return take_invalid(rmpp, arrival, RMPP_BAD_TYPE, id);
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
	return take_mad(rmpp, arrival, now, id ? id : &unused);
}
