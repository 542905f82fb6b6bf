/* SPDX-License-Identifier: BSD-2-Clause */
/* The frames that are written, their order, and the reports of their writes. */
#include <errno.h>

#include "rmpp/rmpp_state.h"
#include "rmpp/timer.h"

/* The most pauses in a row that a transfer makes for lack of memory. */
#define MOST_REFUSALS 10u

static bool has_frame(const struct rmpp *rmpp, uint32_t entry)
{
	const struct transfer *transfer = &rmpp->transfer[entry];

	if (!is_known(transfer) || transfer->hold_at != RMPP_NEVER)
		return false;
	return is_send(rmpp, entry) ? send_has_more(rmpp, entry) : transfer->receive.ack;
}

/* Writes the next MAD of a transfer into a frame. */
static void write_frame(struct rmpp *rmpp, uint32_t entry, uint32_t slot, uint64_t now)
{
	const struct transfer *transfer = &rmpp->transfer[entry];
	struct frame *frame = &rmpp->frame[slot];
	uint32_t segment = 0;

	if (is_send(rmpp, entry)) {
		frame_address(frame, transfer->key.agent_id, &transfer->send.message->addr);
		segment = send_write(rmpp, entry, frame, now);
	} else {
		frame_address(frame, transfer->key.agent_id, &transfer->receive.addr);
		receive_write_ack(rmpp, entry, frame, now);
	}
	rmpp->frame_use[slot] = (struct frame_use){
		.serial = transfer->serial,
		.entry = entry,
		.segment = segment,
		.lane = transfer->key.lane,
	};
}

/* Takes the next transfer with something to write off the list, or returns TRANSFER_NONE. */
static uint32_t next_ready(struct rmpp *rmpp)
{
	uint32_t entry;

	while ((entry = list_take_first(&rmpp->ready, LINKS(rmpp->transfer, ready_link))) !=
	       TRANSFER_NONE) {
		rmpp->transfer[entry].ready = false;
		if (has_frame(rmpp, entry))
			return entry;
	}
	return TRANSFER_NONE;
}

static uint32_t next_transfer_frame(struct rmpp *rmpp, uint64_t now)
{
	uint32_t entry;
	uint32_t slot;

	if (list_is_empty(&rmpp->free_frames))
		return FRAME_NONE;
	entry = next_ready(rmpp);
	if (entry == TRANSFER_NONE)
		return FRAME_NONE;
	frame_take(rmpp, &slot);
	write_frame(rmpp, entry, slot, now);
	/* Transfers take turns, so that a long message does not delay the others. */
	if (has_frame(rmpp, entry))
		transfer_ready(rmpp, entry);
	return slot;
}

struct rmpp_frame rmpp_frame_of(const struct rmpp *rmpp, uint32_t slot)
{
	return (struct rmpp_frame){
		.umad = &rmpp->frame[slot].umad,
		.bytes = sizeof(rmpp->frame[slot]),
		.lane = rmpp->frame_use[slot].lane,
		.slot = slot,
	};
}

bool rmpp_next_frame(struct rmpp *rmpp, uint64_t now, struct rmpp_frame *out)
{
	uint32_t slot;

	note_time(rmpp, now);
	slot = list_take_first(&rmpp->refusals, LINKS(rmpp->frame_use, link));
	if (slot == FRAME_NONE)
		slot = next_transfer_frame(rmpp, now);
	if (slot == FRAME_NONE)
		return false;
	rmpp->frame_use[slot].handed_out = true;
	*out = rmpp_frame_of(rmpp, slot);
	return true;
}

bool rmpp_wants_frame(const struct rmpp *rmpp)
{
	return !list_is_empty(&rmpp->refusals) ||
	       (!list_is_empty(&rmpp->ready) && !list_is_empty(&rmpp->free_frames));
}

/*
 * Returns after how many ticks to repeat a write that failed with @error, or 0 if it has failed
 * for good.
 */
static unsigned int pause_after(struct transfer *transfer, int error)
{
	if (error == -EAGAIN)
		return 1;
	if (error != -ENOMEM && error != -ENOBUFS)
		return 0;
	/* A write from before a pause does not start another pause. */
	if (transfer->hold_at != RMPP_NEVER)
		return 1;
	if (transfer->refusals == MOST_REFUSALS)
		return 0;
	return 1u << transfer->refusals++;
}

/* Makes a transfer write nothing until @at, or longer if it is held already. */
static void hold_transfer(struct transfer *transfer, uint64_t at)
{
	if (transfer->hold_at == RMPP_NEVER || transfer->hold_at < at)
		transfer->hold_at = at;
}

static void handle_failed_write(struct rmpp *rmpp, const struct frame *frame,
				const struct frame_use *use, int error, uint64_t now)
{
	struct transfer *transfer = &rmpp->transfer[use->entry];
	unsigned int pause;

	if (transfer->serial != use->serial || !is_known(transfer))
		return;
	pause = pause_after(transfer, error);
	if (!pause) {
		if (transfer->state == TRANSFER_ACTIVE)
			transfer_fail(rmpp, use->entry, error, 0);
		return;
	}
	hold_transfer(transfer, timer_after(now, pause * rmpp->config.tick_ns));
	if (is_send(rmpp, use->entry))
		send_postpone(rmpp, use->entry, frame, use->segment);
	else
		transfer->receive.ack = true;
	timer_update(rmpp, use->entry);
}

void rmpp_frame_done(struct rmpp *rmpp, uint32_t slot, int error, uint64_t now)
{
	struct frame_use use = rmpp->frame_use[slot];

	assert(slot < rmpp->config.frames && use.handed_out);
	note_time(rmpp, now);
	rmpp->frame_use[slot].handed_out = false;
	if (error && use.entry != TRANSFER_NONE)
		handle_failed_write(rmpp, &rmpp->frame[slot], &use, error, now);
	else if (use.entry != TRANSFER_NONE)
		rmpp->transfer[use.entry].refusals = 0;
	frame_give(rmpp, slot);
}
