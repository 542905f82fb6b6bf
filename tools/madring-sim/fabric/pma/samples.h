/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PortSamplesControl and PortSamplesResult: how far up to 15 of a port's counters of traffic go
 * in an interval. A node can sample one port at a time.
 */
#ifndef SIM_PMA_SAMPLES_H
#define SIM_PMA_SAMPLES_H

#include "fabric/inside.h"

/* A Set of PortSamplesControl; it does nothing while samples are taken. 0 or -ENOMEM. */
int samples_start(struct fabric *fabric, struct node *node, struct port *port, const uint8_t *data);

/* Makes the attributes' data, of which PortSelect is taken over. */
void samples_control_data(const struct node *node, uint8_t *data);
void samples_result_data(const struct node *node, uint8_t *data);

#endif
