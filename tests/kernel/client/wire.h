/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the madring-sim that the program runs under which requests have come to its fabric. */
#ifndef KERNEL_WIRE_H
#define KERNEL_WIRE_H

#include <stdint.h>

/* Names the program madring-sim, whose "ctl" is asked. */
void wire_ask(const char *simulator);

/* Returns how many requests of a class and attribute have been sent into the fabric. */
uint64_t wire_sent(uint8_t mgmt_class, uint16_t attribute);

/*
 * Returns how many duplicates the simulated device has dropped; 0 on a kernel, which refuses the
 * write.
 */
uint64_t wire_duplicates(void);

#endif
