/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traps: what a node tells the master SM of itself, IBA 13.4.9 and 14.2.5.1. One trap of a kind is
 * under way at a time. It is sent again, no more often than SubnetTimeOut allows, until a
 * TrapRepress for it has come. One more trap tells what has happened meanwhile. A port that knows
 * no SM LID sends none.
 */
#ifndef SIM_NOTICE_H
#define SIM_NOTICE_H

#include "fabric/node_agent.h"

/* Sends trap 128: the state of a switch's link has changed. Other nodes have no such trap. */
void notice_link_changed(struct fabric *fabric, struct node *node);

/* Sends trap 144: a port's CapabilityMask has changed. Only for ports that say they send it. */
void notice_capability_changed(struct fabric *fabric, struct node *node, unsigned int port);

/* Sends trap 256: an SMP had a wrong M_Key. */
void notice_bad_mkey(const struct agent_request *request);

/* notice_repress ends the trap that a TrapRepress is for. */
void notice_repress(struct port *port, const uint8_t *mad);

/* notice_forget ends all traps of a port. */
void notice_forget(struct port *port);

#endif
