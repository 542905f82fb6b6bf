/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers that the caller ends. */
#include "rmpp/received.h"
#include "rmpp/refusal.h"
#include "rmpp/rmpp_state.h"

/* Returns the transfer with this id, unless it is free; else TRANSFER_NONE. */
static uint32_t find_by_id(const struct rmpp *rmpp, uint64_t id)
{
	uint32_t entry = (uint32_t)id;

	if (entry >= rmpp->config.sends + rmpp->config.receives)
		return TRANSFER_NONE;
	if (rmpp->transfer[entry].serial != id >> 32 ||
	    rmpp->transfer[entry].state == TRANSFER_FREE)
		return TRANSFER_NONE;
	return entry;
}

/* Ends a transfer without an outcome. If one waits to be taken, it is skipped. */
static void drop_transfer(struct rmpp *rmpp, uint32_t entry)
{
	struct transfer *transfer = &rmpp->transfer[entry];

	if (!is_send(rmpp, entry))
		received_drop(rmpp, entry);
	transfer->skips_outcome = transfer->has_outcome;
	if (is_known(transfer))
		transfer_close(rmpp, entry);
}

void rmpp_cancel(struct rmpp *rmpp, uint64_t id)
{
	uint32_t entry = find_by_id(rmpp, id);

	if (entry == TRANSFER_NONE)
		return;
	if (rmpp->transfer[entry].state == TRANSFER_ACTIVE)
		refusal_of_transfer(rmpp, entry, RMPP_UNSPECIFIED);
	drop_transfer(rmpp, entry);
}

void rmpp_forget(struct rmpp *rmpp, uint64_t id)
{
	uint32_t entry = find_by_id(rmpp, id);

	if (entry != TRANSFER_NONE)
		drop_transfer(rmpp, entry);
}

void rmpp_forget_lane(struct rmpp *rmpp, unsigned int lane)
{
	for (uint32_t i = 0; i < rmpp->config.sends + rmpp->config.receives; i++)
		if (is_known(&rmpp->transfer[i]) && rmpp->transfer[i].key.lane == lane)
			transfer_close(rmpp, i);
	refusal_drop(rmpp, lane, NULL);
}

void rmpp_forget_agent(struct rmpp *rmpp, unsigned int lane, uint32_t agent_id)
{
	for (uint32_t i = 0; i < rmpp->config.sends + rmpp->config.receives; i++) {
		const struct transfer *transfer = &rmpp->transfer[i];

		if (is_known(transfer) && transfer->key.lane == lane &&
		    transfer->key.agent_id == agent_id)
			transfer_close(rmpp, i);
	}
	refusal_drop(rmpp, lane, &agent_id);
}
