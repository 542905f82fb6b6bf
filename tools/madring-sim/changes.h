/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHANGES_H
#define SIM_CHANGES_H

#include "options.h"
#include "scenario/scenario.h"

/* Tells the scenario what the command line says. False: it complained. */
bool changes_make(struct scenario *scenario, const struct options *options);

#endif
