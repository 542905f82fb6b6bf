/* SPDX-License-Identifier: BSD-2-Clause */
/* The frames: taken, addressed and freed. */
#include "rmpp/frame.h"

#include "rmpp/rmpp_state.h"

struct frame *frame_take(struct rmpp *rmpp, uint32_t *slot)
{
	*slot = list_take_first(&rmpp->free_frames, LINKS(rmpp->frame_use, link));
	return &rmpp->frame[*slot];
}

void frame_give(struct rmpp *rmpp, uint32_t slot)
{
	list_prepend(&rmpp->free_frames, LINKS(rmpp->frame_use, link), slot);
}

void frame_address(struct frame *frame, uint32_t agent_id, const ib_mad_addr_t *addr)
{
	frame->umad = (struct ib_user_mad){
		.agent_id = agent_id,
		.length = sizeof(*frame),
		.addr = *addr,
	};
}
