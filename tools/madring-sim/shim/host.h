/* SPDX-License-Identifier: BSD-2-Clause */
/* The node that this program runs on, as its environment names it. */
#ifndef SIM_HOST_H
#define SIM_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* The number of its tree. False: there is no such node, which has been said. */
bool host_tree(uint32_t *tree);

#endif
