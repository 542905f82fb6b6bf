/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writes to cancel. The kernel may read a request's buffer until it reports the write. So an
 * expired attempt or a canceled transaction waits for that report, which a write that hangs
 * would never make.
 */
#include "engine/abort.h"

#include "engine/engine_state.h"

void abort_add(struct engine *engine, uint32_t slot)
{
	struct transaction *transaction = &engine->transaction[slot];

	assert(transaction->writing);
	if (transaction->abort_asked)
		return;
	transaction->abort_asked = true;
	transaction->aborting = true;
	list_append(&engine->aborts, LINKS(engine->transaction, link), slot);
}

void abort_remove(struct engine *engine, uint32_t slot)
{
	struct transaction *transaction = &engine->transaction[slot];

	if (!transaction->aborting)
		return;
	transaction->aborting = false;
	list_remove(&engine->aborts, LINKS(engine->transaction, link), slot);
}

bool engine_next_abort(struct engine *engine, struct engine_write_id *id, unsigned int *lane)
{
	uint32_t slot = engine->aborts.first;

	if (slot == SLOT_NONE)
		return false;
	*id = (struct engine_write_id){ ENGINE_WRITE_WHOLE, slot };
	*lane = engine->transaction[slot].lane;
	abort_remove(engine, slot);
	return true;
}
