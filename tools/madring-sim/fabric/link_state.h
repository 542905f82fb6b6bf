/* SPDX-License-Identifier: BSD-2-Clause */
/* Links that come up and go down, and what their ports show of it: state, width and speed. */
#ifndef SIM_LINK_STATE_H
#define SIM_LINK_STATE_H

#include "fabric/inside.h"

/* link_refresh takes a link down, or trains it, when its ends or its cable have changed. */
void link_refresh(struct fabric *fabric, struct node *node, unsigned int number);

/* link_restart takes a link down that is up, and trains it again. */
void link_restart(struct fabric *fabric, struct node *node, unsigned int number);

/* link_untrain sets what the port of a link that is down shows: 4x and SDR. */
void link_untrain(struct port *port);

#endif
