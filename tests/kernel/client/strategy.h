/* SPDX-License-Identifier: BSD-2-Clause */
/* The receive strategy on a command line. */
#ifndef VM_STRATEGY_H
#define VM_STRATEGY_H

#include <argp.h>

#include <madring.h>

/* multishot or posted; an argp error, which ends the program, when it is neither. */
enum madring_receive receive_strategy(const char *text, struct argp_state *state);

#endif
