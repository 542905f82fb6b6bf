/* SPDX-License-Identifier: BSD-2-Clause */
/* The message of a transfer that receives one, and the transfers that linger after it. */
#ifndef MADRING_RMPP_RECEIVED_H
#define MADRING_RMPP_RECEIVED_H

#include <stdint.h>

struct rmpp;

/* Gives the transfer's message back, if it has one. */
void received_drop(struct rmpp *rmpp, uint32_t entry);
/* Forgets the transfer's message, because the caller has it now. */
void received_release(struct rmpp *rmpp, uint32_t entry);
/* Lists a transfer whose outcome was taken: it may be closed to make room. */
void received_linger(struct rmpp *rmpp, uint32_t entry);
/* Takes a transfer off that list. */
void received_unlinger(struct rmpp *rmpp, uint32_t entry);

#endif
