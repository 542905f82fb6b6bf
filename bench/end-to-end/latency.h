/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Latencies of requests. As a client sends the next one when it sees the reply, they are measured
 * from reply to reply.
 */
#ifndef BENCH_LATENCY_H
#define BENCH_LATENCY_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Latencies are counted in buckets, each at most 1/32 wider than its lower end. */
#define LATENCY_PARTS	32u
#define LATENCY_BUCKETS (60u * LATENCY_PARTS)

struct latency {
	bool wanted;
	uint64_t *sent_ns; /* by slot; 0: not yet */
	uint64_t count[LATENCY_BUCKETS], all;
};

/* Makes room for @slots. Returns false if there is no memory. */
bool latency_open(struct latency *latency, uint32_t slots);
/* Forgets what was counted so far. */
void latency_reset(struct latency *latency);
void latency_count(struct latency *latency, uint64_t ns);
/* Returns the latency that @percent of all do not exceed, or 0 when none was counted. */
uint64_t latency_percentile(const struct latency *latency, unsigned int percent);

static inline uint64_t latency_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Counts the latency of a slot's request, whose successor is sent now. */
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
