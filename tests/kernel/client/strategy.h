/* SPDX-License-Identifier: BSD-2-Clause */
/* The receive strategy on a command line. */
#ifndef VM_STRATEGY_H
#define VM_STRATEGY_H

/* Reads "multishot" or "posted" into @receive, an enum madring_receive; an option_function. */
void receive_strategy(void *receive, const char *option, const char *text);

#endif
