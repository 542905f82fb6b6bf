/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the device and port of a program that names neither, or only one, as libibumad does. */
#ifndef MADRING_DEVICE_CHOOSE_H
#define MADRING_DEVICE_CHOOSE_H

#include <infiniband/umad.h>

/*
 * `choose_port` chooses a port of a device, or with NULL of any. *portnum is the one that is asked
 * for, 0 for any, and then the one that is chosen: the first that is active, else the first whose
 * link is up, else the first that is not disabled. Returns 0 and the device's name in @found, or
 * -ENODEV when no port will do.
 */
int choose_port(const char *ca_name, int *portnum, char found[UMAD_CA_NAME_LEN]);

#endif
