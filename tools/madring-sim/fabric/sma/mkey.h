/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * M_Keys, IBA 14.2.4. A port whose M_Key is not 0 lets itself be set only by those who know it;
 * protection bits 2 and 3 let nobody else read it either. What does not fit is dropped and
 * counted, a trap is sent, and the lease begins to run out: at its end the protection bits are
 * 0, so that a new manager can read the key. An SMP with the right key stops the lease. The port's
 * own host may be let in without it.
 */
#ifndef SIM_MKEY_H
#define SIM_MKEY_H

#include "fabric/sma/attribute.h"

/* Whether the node's SMA may look at this SMP. */
bool mkey_admits(struct agent_request *request);

/* Whether a Get of PortInfo shows @port's M_Key to the one who asks. */
bool mkey_is_shown(const struct request *request, struct port *port);

#endif
