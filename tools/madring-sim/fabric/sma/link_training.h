/* SPDX-License-Identifier: BSD-2-Clause */
/* What two ports agree on when their link comes up: width and speed. */
#ifndef SIM_LINK_TRAINING_H
#define SIM_LINK_TRAINING_H

#include "fabric/inside.h"

/*
 * Gives both ports the best width and speed that both have enabled and the cable carries: up to
 * what the topology says that the link had when it was cabled. False: there is none.
 */
bool link_train(const struct place *one, const struct place *other);

/* What a port without a link shows. */
void link_untrain(struct port *port);

#endif
