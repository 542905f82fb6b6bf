/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a subnet, for the files of this folder. */
#ifndef SUBNET_STATE_H
#define SUBNET_STATE_H

#include <madring.h>
#include <madring/subnet.h>

#define API __attribute__((visibility("default")))

#define MGMT_CLASSES 256u

struct madring_subnet {
	struct madring *ring;
	bool ring_is_shared; /* the program closes it */
	struct madring_port *gsi;
	struct madring_port *smi; /* for SMPs; as a rule the same */
	struct madring_subnet_config tuning;
	struct madring_agent *agents[MGMT_CLASSES]; /* of madring_subnet_agent(); NULL: not open */
};

#endif
