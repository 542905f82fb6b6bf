/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a measurement from its start to what is written about it. */
#ifndef PING_MEASURE_H
#define PING_MEASURE_H

#include "options.h"

/* Measures. Returns the exit status, with a message written when it is EXIT_UNABLE. */
int measure_run(struct options *options);

#endif
