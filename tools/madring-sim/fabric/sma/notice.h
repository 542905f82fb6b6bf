/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traps: what a node tells the master SM of itself, IBA 13.4.9 and 14.2.5.1. One of a kind is
 * under way at a time, and is sent again, no more often than SubnetTimeOut allows, until a
 * TrapRepress has come for it. What happens meanwhile is told by one more. A port that knows no
 * SM LID tells nothing.
 */
#ifndef SIM_NOTICE_H
#define SIM_NOTICE_H

#include "fabric/inside.h"

/* 128: the state of a switch's link has changed. Others have no such trap. */
void notice_link_changed(struct fabric *fabric, struct node *node);

/* 144: the CapabilityMask of a port has changed. Only for ports that say they have this trap. */
void notice_capability_changed(struct fabric *fabric, struct node *node, unsigned int port);

/* 256: somebody sent an SMP with a wrong M_Key. */
void notice_bad_mkey(const struct agent_request *request);

/* A TrapRepress has come to a port's SMA. */
void notice_repress(struct port *port, const uint8_t *mad);

/* Whatever was under way is not sent again. */
void notice_forget(struct port *port);

#endif
