/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run of the simulator: a fabric, the scenario that changes it, the server that plays it, and the
 * command.
 */
#ifndef SIM_SIMULATION_H
#define SIM_SIMULATION_H

#include "options.h"

/* simulation_run returns the status to exit with. */
int simulation_run(const struct options *options);

#endif
