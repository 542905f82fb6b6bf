/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock of everything in this process: of the library, of the programs, and of the fabric. */
#ifndef MODEL_VIRTUAL_CLOCK_H
#define MODEL_VIRTUAL_CLOCK_H

#include <stdint.h>

/* The time in ns at which every seed begins. */
#define VIRTUAL_START UINT64_C(1000000000000)

void virtual_reset(void);
uint64_t virtual_now(void);
void virtual_advance(uint64_t to);

/* Has @look called at each multiple of @period ns from VIRTUAL_START on, until virtual_reset(). */
void virtual_watch(uint64_t period, void (*look)(void *user), void *user);

#endif
