/* SPDX-License-Identifier: BSD-2-Clause */
/* Links that come up and go down, and what their ports show of it. */
#ifndef SIM_LINK_STATE_H
#define SIM_LINK_STATE_H

#include "fabric/inside.h"

/* Takes a link down, or has it trained, when its ends or its cable have changed. */
void link_refresh(struct fabric *fabric, struct node *node, unsigned int number);

/* A link that is up goes down and is trained again. */
void link_restart(struct fabric *fabric, struct node *node, unsigned int number);

#endif
