/* SPDX-License-Identifier: BSD-2-Clause */
/* The uncommon parts of finding the transaction that a MAD answers. */
#include "engine/reply.h"

bool reply_has_other_registration(const struct engine *engine,
				  const struct transaction *transaction, unsigned int lane,
				  uint32_t agent_id)
{
	return agent_id < LANE_AGENTS && engine->lane[lane].owner[agent_id] == transaction->agent;
}

bool reply_is_from_same_port(const struct engine *engine, const struct transaction *transaction,
			     const struct ib_user_mad *umad)
{
	unsigned int difference = be16toh(umad->addr.lid ^ transaction->lid);

	return !(difference >> engine->agent[transaction->agent].config.lmc);
}
