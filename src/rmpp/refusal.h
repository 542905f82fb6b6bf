/* SPDX-License-Identifier: BSD-2-Clause */
/* The STOP and ABORT frames. */
#ifndef MADRING_RMPP_REFUSAL_H
#define MADRING_RMPP_REFUSAL_H

#include <stdint.h>
#include <infiniband/umad.h>

struct rmpp;

/* Answers a MAD by STOP or ABORT. */
void refusal_to_mad(struct rmpp *rmpp, unsigned int lane, const struct ib_user_mad *umad,
		    uint8_t status);
/* Tells the other end of a transfer by STOP or ABORT that it has ended. */
void refusal_of_transfer(struct rmpp *rmpp, uint32_t entry, uint8_t status);
/*
 * Drops the STOP and ABORT frames of a lane; if @agent_id is not NULL, only those of that kernel
 * agent.
 */
void refusal_drop(struct rmpp *rmpp, unsigned int lane, const uint32_t *agent_id);

#endif
