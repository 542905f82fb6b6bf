/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the attributes of devices and ports from sysfs into libibumad's structures. libibumad's
 * own umad_get_port() and umad_get_ca() are not safe: files of a port's P_Keys may vanish while
 * they are counted, because the device is being removed. These functions then write beyond the
 * P_Keys.
 */
#ifndef MADRING_DEVICE_ATTRIBUTES_H
#define MADRING_DEVICE_ATTRIBUTES_H

#include <infiniband/umad.h>

#include "device/device.h"

/* Reads a port's attributes. Release @port afterwards. Returns 0 or a file's negative errno. */
int attributes_of_port(const char *ca_name, int portnum, enum device_detail detail,
		       umad_port_t *port);
void attributes_release_port(umad_port_t *port);

/*
 * Reads the attributes of a device and all its ports: DEVICE_ALL, or DEVICE_NO_PKEYS, as no choice
 * among ports depends on P_Keys. Release @ca afterwards. Returns 0, the negative errno of one of
 * the device's files, or -EIO if a port cannot be read.
 */
int attributes_of_ca(const char *name, enum device_detail detail, struct device_ca *ca);
void attributes_release_ca(struct device_ca *ca);

#endif
