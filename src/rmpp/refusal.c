/* SPDX-License-Identifier: BSD-2-Clause */
/* The STOP and ABORT frames, which are written before all others. */
#include "rmpp/refusal.h"

#include "rmpp/rmpp_state.h"

void refusal_drop(struct rmpp *rmpp, unsigned int lane, const uint32_t *agent_id)
{
	uint32_t next;

	for (uint32_t slot = rmpp->refusals.first; slot != FRAME_NONE; slot = next) {
		bool same_agent = !agent_id || rmpp->frame[slot].umad.agent_id == *agent_id;

		next = list_next(LINKS(rmpp->frame_use, link), slot);
		if (rmpp->frame_use[slot].lane != lane || !same_agent)
			continue;
		list_remove(&rmpp->refusals, LINKS(rmpp->frame_use, link), slot);
		frame_give(rmpp, slot);
	}
}

/* Writes a STOP or ABORT. Its class header is that of a MAD of the transfer. */
static void write_refusal(struct rmpp *rmpp, const struct rmpp_key *key, const ib_mad_addr_t *addr,
			  const uint8_t *header, uint8_t method, uint8_t status)
{
	uint32_t header_bytes = rmpp_data_offset(key->mgmt_class);
	struct rmpp_header rmpp_header = {
		.type = status == RMPP_NO_RESOURCES ? RMPP_STOP : RMPP_ABORT,
		.status = status,
	};
	struct frame *frame;
	uint32_t slot;

	if (list_is_empty(&rmpp->free_frames)) {
		rmpp->stats.dropped++;
		return;
	}
	frame = frame_take(rmpp, &slot);
	frame_address(frame, key->agent_id, addr);
	memcpy(frame->mad, header, header_bytes);
	memset(frame->mad + header_bytes, 0, sizeof(frame->mad) - header_bytes);
	frame->mad[offsetof(struct madring_mad_hdr, method)] = method;
	rmpp_header_write(frame->mad, &rmpp_header);
	rmpp->frame_use[slot] = (struct frame_use){ .entry = TRANSFER_NONE, .lane = key->lane };
	list_append(&rmpp->refusals, LINKS(rmpp->frame_use, link), slot);
	rmpp->stats.refusals++;
}

void refusal_to_mad(struct rmpp *rmpp, unsigned int lane, const struct ib_user_mad *umad,
		    uint8_t status)
{
	struct rmpp_key key = peer_key(umad, lane, KEY_RECEIVE);

	write_refusal(rmpp, &key, &umad->addr, umad->data, key.method ^ MADRING_RESPONSE_BIT,
		      status);
}

void refusal_of_transfer(struct rmpp *rmpp, uint32_t entry, uint8_t status)
{
	const struct transfer *transfer = &rmpp->transfer[entry];
	/* A key has the method of the MADs that arrive. This one goes the other way. */
	uint8_t method = transfer->key.method ^ MADRING_RESPONSE_BIT;

	if (is_send(rmpp, entry)) {
		const struct ib_user_mad *message = transfer->send.message;

		write_refusal(rmpp, &transfer->key, &message->addr, message->data, method, status);
	} else {
		write_refusal(rmpp, &transfer->key, &transfer->receive.addr,
			      transfer->receive.first, method, status);
	}
}
