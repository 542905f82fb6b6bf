/* SPDX-License-Identifier: BSD-2-Clause */
/* The message of a transfer that receives one, and the transfers that linger after it. */
#include "rmpp/received.h"

#include "rmpp/rmpp_state.h"

void received_release(struct rmpp *rmpp, uint32_t entry)
{
	struct receive *receive = &rmpp->transfer[entry].receive;

	if (receive->message)
		rmpp->memory -= receive->room;
	receive->message = NULL;
}

void received_drop(struct rmpp *rmpp, uint32_t entry)
{
	const struct rmpp_memory *memory = &rmpp->config.memory;
	struct ib_user_mad *message = rmpp->transfer[entry].receive.message;

	received_release(rmpp, entry);
	if (message)
		memory->give(memory->context, message);
}

void received_linger(struct rmpp *rmpp, uint32_t entry)
{
	struct receive *receive = &rmpp->transfer[entry].receive;

	receive->lingers = true;
	list_append(&rmpp->lingering, LINKS(rmpp->transfer, receive.linger), entry);
}

void received_unlinger(struct rmpp *rmpp, uint32_t entry)
{
	struct receive *receive = &rmpp->transfer[entry].receive;

	if (!receive->lingers)
		return;
	receive->lingers = false;
	list_remove(&rmpp->lingering, LINKS(rmpp->transfer, receive.linger), entry);
}
