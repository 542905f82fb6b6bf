/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies libibumad's attributes into madring's structures, in host order. */
#ifndef MADRING_API_CA_H
#define MADRING_API_CA_H

#include <stddef.h>

#include <madring/ca.h>

#include "device/device.h"

/* Copies a text of at most @most bytes, cut to @bytes with its end. */
void ca_text_copy(char *to, size_t bytes, const char *from, size_t most);

/* Copies a port's attributes. @pkeys has room for all of its P_Keys. */
void ca_port_copy(struct madring_ca_port *to, const umad_port_t *from, uint16_t *pkeys);

/*
 * `ca_get` and `ca_port_get` work as madring_ca_get() and madring_ca_port_get(), but read no more
 * than @detail says.
 */
int ca_get(const char *name, enum device_detail detail, struct madring_ca **ca);
int ca_port_get(const char *ca_name, int portnum, enum device_detail detail,
		struct madring_ca_port **port);

#endif
