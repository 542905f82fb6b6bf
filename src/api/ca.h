/* SPDX-License-Identifier: BSD-2-Clause */
/* libibumad's attributes, copied: in host order. */
#ifndef MADRING_API_CA_H
#define MADRING_API_CA_H

#include <stddef.h>

#include <madring/ca.h>

#include "device/device.h"

/* What does not fit is cut. @most: bytes that @from has. */
void ca_text_copy(char *to, size_t bytes, const char *from, size_t most);

/* @pkeys: room for as many as @from has. */
void ca_port_copy(struct madring_ca_port *to, const umad_port_t *from, uint16_t *pkeys);

#endif
