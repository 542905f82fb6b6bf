/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Round trips that do not leave the machine: directed-route SMPs of no hops, which the local port
 * answers itself. Their time is that of the kernel, the driver and the adapter. The rest of another
 * request's time is that of the wire and the other node.
 */
#ifndef PING_LOCAL_TRIP_H
#define PING_LOCAL_TRIP_H

#include <stdint.h>

#include "common/local.h"

struct mkeys;

/*
 * Returns the median of some round trips, one after the other, in ns; or 0 where they are
 * impossible, as on a RoCE port, which has no such SMPs. @mkeys: the M_Keys
 * of nodes, or NULL.
 */
uint64_t local_trip(const struct local *local, const struct mkeys *mkeys);

#endif
