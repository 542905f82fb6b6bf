/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers: opened, ended, completed and freed. */
#include "rmpp/transfer.h"

#include "rmpp/received.h"
#include "rmpp/rmpp_state.h"
#include "rmpp/timer.h"

uint64_t transfer_id(const struct rmpp *rmpp, uint32_t entry)
{
	return (uint64_t)rmpp->transfer[entry].serial << 32 | entry;
}

static struct list *free_list(struct rmpp *rmpp, bool sends)
{
	return sends ? &rmpp->free_sends : &rmpp->free_receives;
}

/* Returns the next serial, which is never 0, so that no id is 0. */
static uint32_t next_serial(struct rmpp *rmpp)
{
	if (!++rmpp->serial)
		rmpp->serial++;
	return rmpp->serial;
}

uint32_t transfer_open(struct rmpp *rmpp, const struct rmpp_key *key, uint64_t user, uint64_t now)
{
	uint32_t entry = list_take_first(free_list(rmpp, key->kind == KEY_SEND),
					 LINKS(rmpp->transfer, free_link));
	struct transfer *transfer;

	if (entry == TRANSFER_NONE)
		return TRANSFER_NONE;
	transfer = &rmpp->transfer[entry];
	*transfer = (struct transfer){
		.key = *key,
		.serial = next_serial(rmpp),
		.user = user,
		.timeout_at = RMPP_NEVER,
		.total_at = timer_after(now, rmpp->config.total_ns),
		.hold_at = RMPP_NEVER,
		.ready_link = transfer->ready_link,
		.state = TRANSFER_ACTIVE,
		/*
		 * The entry may still be listed from its last use. The list is checked when its
		 * turn comes.
		 */
		.ready = transfer->ready,
	};
	peer_insert(rmpp, entry);
	return entry;
}

static void free_transfer(struct rmpp *rmpp, uint32_t entry)
{
	rmpp->transfer[entry].state = TRANSFER_FREE;
	list_prepend(free_list(rmpp, is_send(rmpp, entry)), LINKS(rmpp->transfer, free_link),
		     entry);
}

void transfer_close(struct rmpp *rmpp, uint32_t entry)
{
	struct transfer *transfer = &rmpp->transfer[entry];

	peer_remove(rmpp, entry);
	transfer->state = TRANSFER_ENDED;
	if (transfer->has_outcome)
		return;
	if (!is_send(rmpp, entry)) {
		received_unlinger(rmpp, entry);
		received_drop(rmpp, entry);
	}
	free_transfer(rmpp, entry);
}

static void count_outcome(struct rmpp_stats *stats, bool sent, int status)
{
	if (sent && status)
		stats->send_failed++;
	else if (sent)
		stats->sent++;
	else if (status)
		stats->receive_failed++;
	else
		stats->received++;
}

void transfer_set_outcome(struct rmpp *rmpp, uint32_t entry, int status, uint8_t rmpp_status)
{
	struct transfer *transfer = &rmpp->transfer[entry];

	count_outcome(&rmpp->stats, is_send(rmpp, entry), status);
	transfer->status = status;
	transfer->rmpp_status = rmpp_status;
	transfer->has_outcome = true;
	list_append(&rmpp->outcomes, LINKS(rmpp->transfer, outcome_link), entry);
}

void transfer_fail(struct rmpp *rmpp, uint32_t entry, int status, uint8_t rmpp_status)
{
	if (!is_send(rmpp, entry))
		received_drop(rmpp, entry);
	transfer_set_outcome(rmpp, entry, status, rmpp_status);
	transfer_close(rmpp, entry);
}

void transfer_ready(struct rmpp *rmpp, uint32_t entry)
{
	struct transfer *transfer = &rmpp->transfer[entry];

	if (transfer->ready)
		return;
	transfer->ready = true;
	list_append(&rmpp->ready, LINKS(rmpp->transfer, ready_link), entry);
}

static void fill_outcome(const struct rmpp *rmpp, uint32_t entry, struct rmpp_outcome *outcome)
{
	const struct transfer *transfer = &rmpp->transfer[entry];

	*outcome = (struct rmpp_outcome){
		.id = transfer_id(rmpp, entry),
		.user = transfer->user,
		.sent = is_send(rmpp, entry),
		.status = transfer->status,
		.rmpp_status = transfer->rmpp_status,
	};
	if (outcome->sent || !transfer->receive.message)
		return;
	outcome->message = transfer->receive.message;
	outcome->length = outcome->message->length - sizeof(*outcome->message);
}

/* Frees a transfer whose outcome was taken with its message, or lets it linger. */
static void finish_outcome(struct rmpp *rmpp, uint32_t entry)
{
	struct transfer *transfer = &rmpp->transfer[entry];

	if (!is_send(rmpp, entry))
		received_release(rmpp, entry);
	if (transfer->state == TRANSFER_ENDED)
		free_transfer(rmpp, entry);
	else if (!is_send(rmpp, entry))
		received_linger(rmpp, entry);
}

bool rmpp_next_outcome(struct rmpp *rmpp, struct rmpp_outcome *outcome)
{
	uint32_t entry;

	while ((entry = list_take_first(&rmpp->outcomes, LINKS(rmpp->transfer, outcome_link))) !=
	       TRANSFER_NONE) {
		struct transfer *transfer = &rmpp->transfer[entry];
		bool silent = transfer->skips_outcome;

		transfer->has_outcome = false;
		if (!silent)
			fill_outcome(rmpp, entry, outcome);
		finish_outcome(rmpp, entry);
		if (!silent)
			return true;
	}
	return false;
}
