/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions to a umad file that nothing but the kernel's way of refusing them answers. */
#ifndef MADRING_DEVICE_PROBE_H
#define MADRING_DEVICE_PROBE_H

#include <stdint.h>

/* Whether it is one, whose header has a P_Key index: 0, -EBADF, -ENOTTY, -EBADFD, -ENOMEM. */
int probe_file(int fd);

/* Whether it has an agent of this number: 0, -ESRCH, -ENOMEM; -EIO: no, or the device is gone. */
int probe_agent(int fd, uint32_t agent_id);

#endif
