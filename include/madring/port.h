/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes local HCA ports. */
#ifndef MADRING_PORT_H
#define MADRING_PORT_H

#include <stdint.h>

#include <madring/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring;
struct madring_port;

/* Describes a port. Zeroed fields select the ring's settings. */
struct madring_port_config {
	uint32_t lanes; /* umad files of this port; 0: madring_config.lanes */
	/* The most requests that the program has in flight at this port; 0: any number. If they are
	   few, and neither .lanes nor madring_config.lanes is set, the port has fewer lanes, each
	   of which takes time to open. It is no bound: see madring_agent_config.window, and
	   madring_agent_get_state() for how many are in flight. */
	uint32_t in_flight;
};

/*
 * Opens a port by name and number, as umad_open_port(3) does.
 * @ca_name: NULL for any device. @portnum: 0 for the first active port, else the first that is up.
 * @config: may be NULL. @port: set on success; closed by madring_port_close().
 * Returns 0, or
 *   -ENODEV      there is no such device, or none at all, or it has no umad device, for instance
 *                because it is being removed
 *   -ENXIO       the device has no port of that number; or, when a name or the number is not given,
 *                no port is active or up
 *   -EINVAL      the number is negative, the name too long, or a field of @config out of range
 *   -EACCES      the process may not open the umad device; its group and root may
 *   -EIO         the umad device has no file in /dev/infiniband, which udev creates and a container
 *                has to be given
 *   -EOPNOTSUPP  the ib_umad module is not loaded, or its ABI is older than 5
 *   -EMFILE, -ENFILE  the process or the machine has no file descriptor left
 *   -ENOSPC      the ring has no lane left (MADRING_MAX_LANES)
 *   -ENOSYS      the requested receive strategy does not work on this kernel
 *   -ENOMEM      out of memory
 *   -EREMOTE     the ring belongs to another thread, or to the parent process
 */
int madring_port_open_sized(struct madring *ring, const char *ca_name, int portnum,
			    const struct madring_port_config *config, size_t config_size,
			    struct madring_port **port);
MADRING_SIZED int madring_port_open(struct madring *ring, const char *ca_name, int portnum,
				    const struct madring_port_config *config,
				    struct madring_port **port)
{
	return madring_port_open_sized(ring, ca_name, portnum, config, sizeof(*config), port);
}

/*
 * Closes a port and its agents. Their outstanding transactions complete with -ECANCELED at the next
 * dispatch. The handles are invalid on return.
 * Returns 0. On an error it does nothing, and returns -EREMOTE when the ring belongs to another
 * thread or to the parent process, or an error of io_uring_enter(2).
 */
int madring_port_close(struct madring_port *port);

/* Returns the name of the port's device. The string is valid while the port is open. */
const char *madring_port_ca_name(const struct madring_port *port);

/* Returns the port's number on its device. */
int madring_port_number(const struct madring_port *port);

#ifdef __cplusplus
}
#endif
#endif
