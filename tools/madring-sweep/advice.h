/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be done about an error, as far as this machine tells. */
#ifndef SWEEP_ADVICE_H
#define SWEEP_ADVICE_H

#include "options.h"

/* Writes it to standard error, if there is anything to say: @error kept the sweep that @options
   ask for from starting. */
void advice_print(const struct options *options, int error);

#endif
