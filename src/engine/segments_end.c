/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a transaction's messages in segments. */
#include "engine/segments_end.h"

#include "engine/engine_state.h"

struct segments *segments_of(const struct engine *engine, const struct transaction *transaction)
{
	return &engine->segments[transaction - engine->transaction];
}

void segments_drop(struct engine *engine, struct transaction *transaction)
{
	struct segments *segments = segments_of(engine, transaction);

	rmpp_cancel(engine->rmpp, segments->send);
	rmpp_cancel(engine->rmpp, segments->receive);
	*segments = (struct segments){ 0 };
	transaction->in_segments = false;
}

void segments_answered(struct engine *engine, struct transaction *transaction)
{
	struct segments *segments = segments_of(engine, transaction);

	rmpp_forget(engine->rmpp, segments->send);
	segments->send = 0;
	segments_drop(engine, transaction);
}
