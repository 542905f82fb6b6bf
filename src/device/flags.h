/* SPDX-License-Identifier: BSD-2-Clause */
/* The flags that an agent can be registered with. */
#ifndef MADRING_DEVICE_FLAGS_H
#define MADRING_DEVICE_FLAGS_H

#include <stdint.h>

/* Those that the kernel knows, asked on an open umad file; 0 when it tells of none. */
uint32_t device_flags(int fd);

#endif
