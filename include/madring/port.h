/* SPDX-License-Identifier: BSD-2-Clause */
/* A port: a local HCA port, opened through libibumad. */
#ifndef MADRING_PORT_H
#define MADRING_PORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring;
struct madring_port;

/* Zeroed, or NULL: the ring's defaults. */
struct madring_port_config {
	uint32_t lanes; /* umad files of this port; 0: as madring_config.lanes says */
	/* Must be zero. */
	uint64_t reserved[2];
};

/*
 * Opens a port by name and number as umad_open_port(3) does.
 * @ca_name: NULL for any device. @portnum: 0 for the first port that is active, else the
 * first that is up. @config: may be NULL. @port: set on success.
 * Returns 0, or
 *   -ENODEV      no such device, none at all, or one without a umad device, as when it is
 *                just being removed
 *   -ENXIO       the device has no port of that number; or, when a name or the number is
 *                left open, there is none that would do
 *   -EINVAL      the number is negative, the name too long, or a field of @config is wrong
 *   -EACCES      the umad device may not be opened: its group, or root
 *   -EIO         the umad device cannot be opened: it has no file in /dev/infiniband, which
 *                udev makes and a container has to be given
 *   -EOPNOTSUPP  the ib_umad module is not loaded, or its ABI is older than 5
 *   -EMFILE, -ENFILE  the file descriptors of the process, or of the machine, are used up
 *   -ENOSPC      the ring's lanes (MADRING_MAX_LANES) are used up
 *   -ENOSYS      the receive strategy asked for does not work on this kernel
 *   -ENOMEM      out of memory
 *   -EREMOTE     the ring belongs to another thread, or to the parent process
 */
int madring_port_open(struct madring *ring, const char *ca_name, int portnum,
		      const struct madring_port_config *config, struct madring_port **port);

/*
 * Closes a port and its agents; what they have outstanding completes with -ECANCELED, at
 * the next dispatch. The handles are invalid on return. Returns 0; or, with nothing done,
 * -EREMOTE when the ring belongs to another thread or to the parent process, or an error of
 * io_uring_enter(2).
 */
int madring_port_close(struct madring_port *port);

/* The device's name and the port's number that were opened. Valid while the port is. */
const char *madring_port_ca_name(const struct madring_port *port);
int madring_port_number(const struct madring_port *port);

#ifdef __cplusplus
}
#endif
#endif
