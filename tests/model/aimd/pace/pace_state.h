/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the pace that aimd.c is. pace.h finds this file before that of src/. */
#ifndef MADRING_PACE_STATE_H
#define MADRING_PACE_STATE_H

#include "base/rtt.h"

/* How a window grows, and when it was last halved. */
struct aimd {
	uint32_t replies;   /* since the window last grew */
	uint32_t threshold; /* the window doubles in a round trip up to here */
	uint64_t shrunk_at; /* ns; attempts that were sent before do not halve it again */
};

struct pace_agent {
	struct pace_window window;
	struct pace_limits limits;
	struct aimd aimd;
	struct rtt_estimate rtt;
	uint64_t answered_sent_at; /* when the latest of all answered attempts was sent, ns */
	uint64_t now;
};

struct pace_flow {
	struct pace_window window;
	struct aimd aimd;
	struct rtt_estimate rtt;
	uint32_t silent;       /* attempts without a reply since the last reply */
	uint64_t silent_since; /* when the first of them was sent, ns */
};

#endif
