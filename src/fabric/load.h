/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads a fabric that was discovered before, from what madring-sweep --json wrote. */
#ifndef FABRIC_LOAD_H
#define FABRIC_LOAD_H

#include "graph.h"

/*
 * Reads nodes, ports, LIDs and cables, in the order of the file. The file does not say what ports
 * support beyond what they use, so both are taken to be the same. Returns the fabric, or NULL with
 * a message written: the file cannot be read, or describes an impossible fabric.
 */
struct fabric *fabric_load(const char *path);

#endif
