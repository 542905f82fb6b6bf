/* SPDX-License-Identifier: BSD-2-Clause */
/* How long requests take. A client sends the next one when it sees the reply: from reply to reply.
 */
#ifndef BENCH_LATENCY_H
#define BENCH_LATENCY_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Lengths are counted in buckets, each at most 1/32 wider than its lower end. */
#define LATENCY_PARTS	32u
#define LATENCY_BUCKETS (60u * LATENCY_PARTS)

struct latency {
	bool wanted;
	uint64_t *sent_ns; /* by slot; 0: not yet */
	uint64_t count[LATENCY_BUCKETS], all;
};

/* With room for so many slots. False: there is no memory. */
bool latency_open(struct latency *latency, uint32_t slots);
/* What was counted so far does not count. */
void latency_reset(struct latency *latency);
void latency_count(struct latency *latency, uint64_t ns);
/* That so many in a hundred were no longer than; 0 when none were counted. */
uint64_t latency_percentile(const struct latency *latency, unsigned int percent);

static inline uint64_t latency_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A slot's request is answered, and the next one is sent. */
static inline void latency_turn(struct latency *latency, uint32_t slot)
{
	uint64_t now;

	if (!latency->wanted)
		return;
	now = latency_now();
	if (latency->sent_ns[slot])
		latency_count(latency, now - latency->sent_ns[slot]);
	latency->sent_ns[slot] = now;
}

#endif
