/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be known of a umad file, and of an agent on it, that madring has not opened. */
#ifndef MADRING_DEVICE_LANE_ADOPT_H
#define MADRING_DEVICE_LANE_ADOPT_H

#include <stdint.h>

struct device_port;

/*
 * Makes a umad file of @port's, which somebody else has opened, a lane: non-blocking. Returns what
 * device_lane_release() is told to undo that (0 or 1), or -EBADF, -ENOTTY, -EBADFD when its umad
 * header has no P_Key index, or -ENXIO when it is of another port.
 */
int device_lane_adopt(int fd, const struct device_port *port);
void device_lane_release(int fd, int adopted);

/* Whether a file has an agent of this number: 0, -ESRCH, or -ENODEV when the device is gone. */
int device_agent_find(int fd, uint32_t agent_id);

#endif
