/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the device and port of a program that names neither, or only one, as libibumad does. */
#ifndef MADRING_DEVICE_CHOOSE_H
#define MADRING_DEVICE_CHOOSE_H

#include <infiniband/umad.h>

/*
 * Chooses a port of a device, or of any device if @ca_name is NULL. *portnum is the wanted port,
 * or 0 for any; it becomes the chosen one. The first active port is chosen, else the first whose
 * link is up, else the first that is not disabled. Returns 0 and the device's name in @found, or
 * -ENODEV if no port is suitable.
 */
int choose_port(const char *ca_name, int *portnum, char found[UMAD_CA_NAME_LEN]);

#endif
