/* SPDX-License-Identifier: BSD-2-Clause */
/* Examines a umad file, and an agent on it, that madring has not opened. */
#ifndef MADRING_DEVICE_LANE_ADOPT_H
#define MADRING_DEVICE_LANE_ADOPT_H

#include <stdint.h>

struct device_port;

/*
 * Makes a umad file of @port, which the program has opened, a lane, and so non-blocking. Returns
 * 0 or 1, which device_lane_release() needs to restore the file. Returns -EBADF, -ENOTTY, -EBADFD
 * (its umad header has no P_Key index) or -ENXIO (it belongs to another port).
 */
int device_lane_adopt(int fd, const struct device_port *port);
void device_lane_release(int fd, int adopted);

/*
 * Checks that a file has an agent of this number. Returns 0, -ESRCH, or -ENODEV if the device is
 * gone.
 */
int device_agent_find(int fd, uint32_t agent_id);

#endif
