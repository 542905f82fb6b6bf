/* SPDX-License-Identifier: BSD-2-Clause */
/* A fabric that was discovered before: what madring-sweep --json wrote. */
#ifndef DISCOVERY_LOAD_H
#define DISCOVERY_LOAD_H

#include "fabric.h"

/*
 * Reads it: nodes, ports, LIDs and cables, in the order of the file. What ports support beyond
 * what they do is not in the file, and taken to be the same.
 * Returns the fabric, or NULL with a message written: the file cannot be read, or says what no
 * fabric can be.
 */
struct fabric *fabric_load(const char *path);

#endif
