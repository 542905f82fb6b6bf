/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The attributes of devices and ports, as libibumad's structures have them, read from sysfs.
 * libibumad's own umad_get_port() and umad_get_ca() write beyond a port's P_Keys when some of their
 * files vanish while it counts them, as those of a device do that is being removed.
 */
#ifndef MADRING_DEVICE_ATTRIBUTES_H
#define MADRING_DEVICE_ATTRIBUTES_H

#include <infiniband/umad.h>

/* `attributes_of_port` fills @port, which is to be released. Returns 0, or -errno of a file. */
int attributes_of_port(const char *ca_name, int portnum, umad_port_t *port);
void attributes_release_port(umad_port_t *port);

/*
 * `attributes_of_ca` fills @ca with a device and all its ports, which is to be released. Returns 0,
 * -errno of a file of the device's, or -EIO when a port cannot be read.
 */
int attributes_of_ca(const char *name, umad_ca_t *ca);
void attributes_release_ca(umad_ca_t *ca);

#endif
