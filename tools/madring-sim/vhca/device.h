/* SPDX-License-Identifier: BSD-2-Clause */
/* The device file that virtual HCAs are made with. */
#ifndef SIM_VHCA_DEVICE_H
#define SIM_VHCA_DEVICE_H

#include <stddef.h>

/* Opens it. The fd, or -errno with the reason in @why. */
int vhca_device_open(const char *path, char *why, size_t size);

#endif
