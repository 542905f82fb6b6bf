/* SPDX-License-Identifier: BSD-2-Clause */
/* The little that a subnet manager would do for the two ports of host1 to reach each other. */
#ifndef SIM_TEST_SUBNET_H
#define SIM_TEST_SUBNET_H

#define LID_OF_PORT1 1
#define LID_OF_PORT2 2

/* Gives them LIDs, and has the switch forward to these. */
void subnet_bring_up(void);

#endif
