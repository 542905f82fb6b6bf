/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * madring sends and receives InfiniBand management datagrams (MADs) in batches.
 *
 * A ring keeps thousands of MADs in flight from one thread. Open a ring, a port on it and an agent
 * on the port. Take buffers, write MADs into them, and queue them with madring_send().
 * madring_run() then calls back exactly once for each request, with its reply or with the reason
 * why there is none.
 *
 * Conventions of every function:
 * - 0 or a count is success; a negative errno value is an error.
 * - Handles are opaque. A ring and everything opened on it belong to the thread that opened the
 *   ring. Other threads may call madring_wake() only: functions that run a ring, send, or open or
 *   close something return -EREMOTE there and do nothing, but madring_close() closes the ring.
 * - Times are in milliseconds where a name ends in _ms, and in nanoseconds where it ends in _ns.
 * - LIDs, QPNs, attribute IDs and modifiers are arguments in host byte order. The contents of a MAD
 *   and of a struct ib_user_mad are in network byte order, as in libibumad.
 * - Structs grow in later versions: sized.h says how. A function that reads a caller's struct also
 *   returns -E2BIG if that sets a member which this version of the library does not know.
 * - Only madring_run(), madring_call(), madring_batch_run() and madring_batch_call() wait for MADs.
 *   Functions that open or close something wait for the kernel: until reads and writes under way
 *   have ended, and madring_port_open() for up to 0.1 s for a device's missing file.
 */
#ifndef MADRING_H
#define MADRING_H

#include <madring/version.h>
#include <madring/ring.h>
#include <madring/ca.h>
#include <madring/port.h>
#include <madring/agent.h>
#include <madring/adopt.h>
#include <madring/mad.h>
#include <madring/names.h>
#include <madring/address.h>
#include <madring/prepare.h>
#include <madring/rmpp.h>
#include <madring/receive.h>
#include <madring/send.h>
#include <madring/batch.h>
#include <madring/stats.h>
#include <madring/capture.h>
#include <madring/debug.h>

#endif
