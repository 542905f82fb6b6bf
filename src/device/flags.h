/* SPDX-License-Identifier: BSD-2-Clause */
/* The flags of an agent's registration. */
#ifndef MADRING_DEVICE_FLAGS_H
#define MADRING_DEVICE_FLAGS_H

#include <stdint.h>

/* Returns the flags that the kernel knows, or 0 if it does not tell. @fd is an open umad file. */
uint32_t device_flags(int fd);

#endif
