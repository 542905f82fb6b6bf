/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * M_Keys, IBA 14.2.4. A port whose M_Key is not 0 takes Sets only with that key; with protection
 * bits 2 or 3, Gets too. Any other SMP is dropped and counted, a trap is sent, and the lease begins
 * to run out. At its end the protection bits are 0, so that a new manager can read the key. An SMP
 * with the right key stops the lease. The port's own host may be let in without it.
 */
#ifndef SIM_MKEY_H
#define SIM_MKEY_H

#include "fabric/sma/attribute.h"

/* mkey_admits tells whether the SMA takes an SMP, and does what follows if it does not. */
bool mkey_admits(struct agent_request *request);

/* mkey_is_shown tells whether the reply to a Get of PortInfo shows @port's M_Key. */
bool mkey_is_shown(const struct request *request, struct port *port);

#endif
