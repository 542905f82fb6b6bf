/* SPDX-License-Identifier: BSD-2-Clause */
/* Recounts all that RMPP keeps count of, for engine_check(). */
#include "rmpp/rmpp_state.h"

#ifdef NDEBUG

void rmpp_check(const struct rmpp *rmpp)
{
	(void)rmpp;
}

#else

struct recount {
	uint32_t free_sends, free_receives;
	uint32_t ready, outcomes, lingering, known;
	uint64_t memory;
};

/* Counts a transfer where its state says that it is counted. */
static void count_transfer(struct recount *recount, const struct rmpp *rmpp, uint32_t entry)
{
	const struct transfer *transfer = &rmpp->transfer[entry];
	bool sends = is_send(rmpp, entry);

	recount->ready += transfer->ready;
	recount->outcomes += transfer->has_outcome;
	recount->known += is_known(transfer);
	if (transfer->state == TRANSFER_FREE) {
		assert(!transfer->has_outcome);
		recount->free_sends += sends;
		recount->free_receives += !sends;
		return;
	}
	assert(transfer->key.kind == (sends ? KEY_SEND : KEY_RECEIVE));
	assert(transfer->state != TRANSFER_ENDED || transfer->has_outcome);
	assert(transfer->hold_at == RMPP_NEVER || !is_known(transfer) ||
	       wheel_holds(&rmpp->wheel, entry));
	if (sends) {
		const struct send *send = &transfer->send;

		assert(send->acked <= send->high && send->high <= send->count);
		assert(send->next >= send->acked || transfer->state != TRANSFER_ACTIVE);
		return;
	}
	recount->lingering += transfer->receive.lingers;
	recount->memory += transfer->receive.message ? transfer->receive.room : 0;
	assert(!transfer->receive.last || transfer->receive.segment <= transfer->receive.last);
}

/* Checks that the hash table has each known transfer once, and no other. */
static void check_buckets(const struct rmpp *rmpp, uint32_t known)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < UINT32_C(1) << rmpp->bucket_bits; i++)
		for (uint32_t entry = rmpp->bucket[i]; entry != TRANSFER_NONE;
		     entry = rmpp->transfer[entry].bucket_next) {
			assert(is_known(&rmpp->transfer[entry]));
			found++;
		}
	assert(found == known);
}

static void check_frames(const struct rmpp *rmpp)
{
	const struct list_links links = LINKS(rmpp->frame_use, link);
	uint32_t handed_out = 0;

	for (uint32_t i = 0; i < rmpp->config.frames; i++)
		handed_out += rmpp->frame_use[i].handed_out;
	assert(list_length(&rmpp->free_frames, links) + list_length(&rmpp->refusals, links) +
		       handed_out ==
	       rmpp->config.frames);
}

void rmpp_check(const struct rmpp *rmpp)
{
	struct recount recount = { 0 };

	for (uint32_t i = 0; i < rmpp->config.sends + rmpp->config.receives; i++)
		count_transfer(&recount, rmpp, i);
	assert(list_length(&rmpp->free_sends, LINKS(rmpp->transfer, free_link)) ==
	       recount.free_sends);
	assert(list_length(&rmpp->free_receives, LINKS(rmpp->transfer, free_link)) ==
	       recount.free_receives);
	assert(list_length(&rmpp->ready, LINKS(rmpp->transfer, ready_link)) == recount.ready);
	assert(list_length(&rmpp->outcomes, LINKS(rmpp->transfer, outcome_link)) ==
	       recount.outcomes);
	assert(list_length(&rmpp->lingering, LINKS(rmpp->transfer, receive.linger)) ==
	       recount.lingering);
	assert(rmpp->memory == recount.memory);
	check_buckets(rmpp, recount.known);
	check_frames(rmpp);
}

#endif
