/* SPDX-License-Identifier: BSD-2-Clause */
/* The receive strategy on a command line. */
#ifndef VM_STRATEGY_H
#define VM_STRATEGY_H

#include <argp.h>

#include <madring.h>

/* Parses "multishot" or "posted"; anything else is an argp error, which ends the program. */
enum madring_receive receive_strategy(const char *text, struct argp_state *state);

#endif
