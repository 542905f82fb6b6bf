/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * madring: InfiniBand management datagrams (MADs) in batches.
 *
 * A ring keeps thousands of MADs in flight from one thread. Open a ring, a port
 * on it and an agent on that; take buffers, write MADs into them, queue them with
 * madring_send(), and madring_run() calls back once for each, with its reply or
 * with why there is none.
 *
 * Conventions of every function here:
 * - 0 or a count is success, a negative errno value is an error.
 * - Handles are opaque. A ring and all that was opened on it belong to the thread
 *   that opened the ring; madring_wake() alone may be called from elsewhere.
 * - Times are in milliseconds where a name ends in _ms, in nanoseconds in _ns.
 * - LIDs, QPNs, attribute ids and modifiers are arguments in host byte order; what
 *   is inside a MAD or a struct ib_user_mad is in network byte order, as libibumad
 *   has it.
 * - No function blocks but madring_run() and madring_call().
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
#include <madring/address.h>
#include <madring/prepare.h>
#include <madring/rmpp.h>
#include <madring/receive.h>
#include <madring/send.h>
#include <madring/stats.h>
#include <madring/capture.h>
#include <madring/debug.h>

#endif
