/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out about a umad file from the errors with which the kernel refuses writes. */
#ifndef MADRING_DEVICE_PROBE_H
#define MADRING_DEVICE_PROBE_H

#include <stdint.h>

/*
 * Checks that @fd is a umad file whose header has a P_Key index. Returns 0, -EBADF, -ENOTTY,
 * -EBADFD (no P_Key index) or -ENOMEM.
 */
int probe_file(int fd);

/*
 * Checks that the file has an agent of this number. Returns 0, -ESRCH, -ENOMEM, or -EIO if there
 * is none or the device is gone.
 */
int probe_agent(int fd, uint32_t agent_id);

#endif
