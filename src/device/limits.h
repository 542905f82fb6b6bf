/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The most requests of one registration that the kernel puts on the wire at once. Linux 6.17 and
 * later limits these so that replies do not overrun the port's receive queues. The numbers follow
 * from the length of these queues, a parameter of the module ib_core. They are as useful on older
 * kernels, whose receive queues are as long.
 */
#ifndef MADRING_LIMITS_H
#define MADRING_LIMITS_H

#include <stdint.h>

/* Returns the limit for a class by the present parameter; 0: there is none. */
uint32_t device_request_limit(uint8_t mgmt_class);

/* Returns the limit for a class with receive queues of @queue MADs; 0: there is none. */
uint32_t limits_of_class(uint8_t mgmt_class, unsigned int queue);

#endif
