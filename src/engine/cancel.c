/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends transactions that still wait. */
#include "engine/cancel.h"

#include <errno.h>

#include "engine/attempt.h"
#include "engine/engine_state.h"
#include "engine/outcome.h"
#include "engine/queue.h"

void cancel_transaction(struct engine *engine, uint32_t slot, int status)
{
	if (engine->transaction[slot].state == TRANSACTION_QUEUED)
		queue_remove(engine, slot);
	else
		attempt_end(engine, slot, ATTEMPT_WITHDRAWN);
	outcome_set(engine, slot, status);
}

int engine_cancel(struct engine *engine, uint64_t id)
{
	uint32_t slot = tid_slot((uint32_t)id, engine->slot_bits);
	const struct transaction *transaction = &engine->transaction[slot];

	if (slot >= engine->config.transactions || transaction->serial != id >> engine->slot_bits)
		return -ENOENT;
	if (transaction->state != TRANSACTION_QUEUED && transaction->state != TRANSACTION_FLYING)
		return -ENOENT;
	cancel_transaction(engine, slot, -ECANCELED);
	return 0;
}
