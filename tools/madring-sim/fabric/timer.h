/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TIMER_H
#define SIM_TIMER_H

struct fabric;

/* Frees those that have not fired; the queue must not be played any more. */
void timers_free(struct fabric *fabric);

#endif
