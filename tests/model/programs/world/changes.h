/* SPDX-License-Identifier: BSD-2-Clause */
/* The changes of a scenario's fabric as time goes on: deaths, stalls, cables that flap. */
#ifndef MODEL_CHANGES_H
#define MODEL_CHANGES_H

#include "model_scenario.h"

struct prng;

/* Draws the changes of a scenario. Each happens at its time. */
void changes_plan(const struct fabric_scenario *scenario, struct prng *prng);

#endif
