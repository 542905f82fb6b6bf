/* SPDX-License-Identifier: BSD-2-Clause */
#include "cases.h"

#include <string.h>

#define MS UINT64_C(1000000)

#define CHANCES 10 /* seeds of a case that depends on them much */

#define TREE		.shape = "fat-tree:leafs=30,spines=30,hosts=30"
#define REAL		.profile = "real"
#define LEAF_STALLS(ms) .stalled_node = "leaf-11", .stall_after_ns = 10 * MS, .stall_ns = (ms) * MS
#define PAUSE(ms)	.stalled_node = "*", .stall_after_ns = 20 * MS, .stall_ns = (ms) * MS

/* clang-format off */
const struct times_case times_cases[] = {
	{ "healthy", "nothing is wrong", WORK_SWEEP, TREE, REAL },
	{ "short-queues", "queues of 8 MADs", WORK_SWEEP, TREE, REAL, { "queue=8" } },
	{ "short-vl15", "8 KiB of VL15 buffer at a host that takes 10 us for a MAD", WORK_SWEEP,
	  TREE, REAL, { "local-vl15=8192", "local-service=10000" } },
	{ "loss-1", "1 % of all MADs are lost, each way", WORK_SWEEP, TREE, REAL, { "loss=0.01" },
	  .seeds = CHANCES },
	{ "loss-5", "5 % of all MADs are lost, each way", WORK_SWEEP, TREE, REAL, { "loss=0.05" },
	  .seeds = CHANCES },
	{ "slow-spine", "one spine takes 1 ms for each MAD", WORK_SWEEP, TREE, REAL,
	  .slow_node = "spine-07", .slow_ns = MS },
	{ "stalled-leaf", "nothing passes a leaf for 20 ms", WORK_SWEEP, TREE, REAL,
	  .stalled_node = "leaf-11", .stall_after_ns = 10 * MS, .stall_ns = 20 * MS },
	{ "stalled-leaf-100", "for 100 ms", WORK_SWEEP, TREE, REAL, LEAF_STALLS(100) },
	{ "stalled-leaf-200", "for 200 ms", WORK_SWEEP, TREE, REAL, LEAF_STALLS(200) },
	{ "stalled-leaf-500", "for 500 ms", WORK_SWEEP, TREE, REAL, LEAF_STALLS(500) },
	{ "stalled-leaf-800", "for 800 ms", WORK_SWEEP, TREE, REAL, LEAF_STALLS(800) },
	{ "pause-50", "nothing passes anywhere for 50 ms", WORK_SWEEP, TREE, REAL, PAUSE(50) },
	{ "pause-150", "for 150 ms", WORK_SWEEP, TREE, REAL, PAUSE(150) },
	{ "pause-500", "for 500 ms", WORK_SWEEP, TREE, REAL, PAUSE(500) },
	{ "busy-host", "the program is off its processor for up to 3 ms, every 20 turns", WORK_SWEEP,
	  TREE, REAL, .away_ppm = 50000, .away_ns = 3 * MS, .seeds = CHANCES },
	{ "dead-10", "10 hosts are dead", WORK_SWEEP, TREE, REAL, .dead_hosts = 10 },
	{ "dead-270", "270 hosts are dead", WORK_SWEEP, TREE, REAL, .dead_hosts = 270 },
	{ "ideal", "the fabric takes no time", WORK_SWEEP, TREE, .profile = "ideal" },
	{ "kernel-limits", "over a single lane of Linux 7.3, which holds SMPs back", WORK_SWEEP, TREE,
	  REAL, .has_kernel_limits = true, .lanes = 1 },
	{ "dead-270-limits", "the same with Linux 7.3", WORK_SWEEP, TREE, REAL,
	  .dead_hosts = 270, .has_kernel_limits = true },
	{ "dead-270-lane", "and over a single lane", WORK_SWEEP, TREE, REAL, .dead_hosts = 270,
	  .has_kernel_limits = true, .lanes = 1 },
	{ "torus", "1,029 nodes", WORK_SWEEP, .shape = "torus:7x7x7,hosts=2", REAL },
	{ "dragonfly", "1,056 nodes", WORK_SWEEP, .shape = "dragonfly:a=8,p=3,h=4", REAL },
	{ "two-sweeps", "from hosts of two leafs at once", WORK_TWO_SWEEPS, TREE, REAL,
	  .second_host = "host-29-29" },
	{ "two-sweeps-leaf", "from hosts of one leaf at once", WORK_TWO_SWEEPS, TREE, REAL,
	  .second_host = "host-00-01" },
	{ "collection", "the counters of all ports", WORK_COLLECTION, TREE, REAL },
	{ "collection-loss-1", "with 1 % lost, each way", WORK_COLLECTION, TREE, REAL,
	  { "loss=0.01" }, .seeds = CHANCES },
	{ "collection-pause", "and nothing passes for 150 ms", WORK_COLLECTION, TREE, REAL,
	  .stalled_node = "*", .stall_after_ns = 10 * MS, .stall_ns = 150 * MS },
	{ "collection-busy-host", "and the program is off its processor", WORK_COLLECTION, TREE, REAL,
	  .away_ppm = 50000, .away_ns = 3 * MS, .seeds = CHANCES },
	{ "collection-silent-20", "with 20 silent hosts", WORK_COLLECTION, TREE, REAL,
	  .dead_hosts = 20 },
	{ "program", "a sweep and a collection", WORK_LISTENING, TREE, REAL, .rounds = 1,
	  .seeds = CHANCES },
	{ "listening", "sweeps and collections for an hour", WORK_LISTENING, TREE, REAL,
	  .rounds = 20 },
	{ "queries", "1,000 queries to an SA that takes 10 ms each", WORK_QUERIES, TREE, REAL,
	  .sa = { .query_ns = 10 * MS } },
	{ "queries-silent-10", "and never answers 10 % of them", WORK_QUERIES, TREE, REAL,
	  .sa = { .query_ns = 10 * MS, .unanswered = 10 } },
	{ "queries-lane", "with Linux 7.3, over a single lane", WORK_QUERIES, TREE, REAL,
	  .sa = { .query_ns = 10 * MS, .unanswered = 10 }, .has_kernel_limits = true, .lanes = 1 },
	{ "queries-parallel", "to an SA that takes 50 ms for all at once", WORK_QUERIES, TREE, REAL,
	  .sa = { .query_ns = 50 * MS, .is_parallel = true } },
	{ "queries-quick-1", "but 1 ms for the first", WORK_QUERIES, TREE, REAL,
	  .sa = { .query_ns = 50 * MS, .is_parallel = true, .quick_ns = MS, .quick_first = 1 } },
	{ "queries-quick-16", "or for the first 16", WORK_QUERIES, TREE, REAL,
	  .sa = { .query_ns = 50 * MS, .is_parallel = true, .quick_ns = MS, .quick_first = 16 } },
	{ "queries-quick-half", "or for each second", WORK_QUERIES, TREE, REAL,
	  .sa = { .query_ns = 50 * MS, .is_parallel = true, .quick_ns = MS, .quick_every = 2 } },
	{ "nodes-10000", "a fat tree of three levels", WORK_SWEEP,
	  .shape = "fat-tree:radix=34,levels=3", REAL },
	{ "nodes-50000", "a fat tree of three levels", WORK_SWEEP,
	  .shape = "fat-tree:radix=56,levels=3", REAL, .is_long = true },
};
/* clang-format on */

const size_t times_case_count = sizeof(times_cases) / sizeof(times_cases[0]);

const struct times_case *case_find(const char *name)
{
	for (size_t i = 0; i < times_case_count; i++)
		if (!strcmp(times_cases[i].name, name))
			return &times_cases[i];
	return NULL;
}
