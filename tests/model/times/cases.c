/* SPDX-License-Identifier: BSD-2-Clause */
#include "cases.h"

#include <string.h>

#define MS UINT64_C(1000000)

#define COMMON .shape = "fat-tree:leafs=30,spines=30,hosts=30", .profile = "real"

const struct times_case times_cases[] = {
	{ "healthy", "nothing is wrong", COMMON },
	{ "short-queues", "queues of 8 MADs", COMMON, .setting = { "queue=8" } },
	{ "loss-1", "1 % of all MADs are lost, each way", COMMON, .setting = { "loss=0.01" } },
	{ "loss-5", "5 % of all MADs are lost, each way", COMMON, .setting = { "loss=0.05" } },
	{ "slow-spine", "one spine takes 1 ms for each MAD", COMMON, .slow_node = "spine-07",
	  .slow_ns = MS },
	{ "dead-10", "10 hosts are dead", COMMON, .dead_hosts = 10 },
	{ "dead-270", "270 hosts are dead", COMMON, .dead_hosts = 270 },
	{ "ideal", "the fabric takes no time", .shape = "fat-tree:leafs=30,spines=30,hosts=30",
	  .profile = "ideal" },
	{ "torus", "a torus of 1,029 nodes", .shape = "torus:7x7x7,hosts=2", .profile = "real" },
	{ "dragonfly", "a dragonfly of 1,056 nodes", .shape = "dragonfly:a=8,p=3,h=4",
	  .profile = "real" },
	{ "nodes-10000", "a fat tree of three levels", .shape = "fat-tree:radix=34,levels=3",
	  .profile = "real", .is_long = true },
	{ "nodes-50000", "a fat tree of three levels", .shape = "fat-tree:radix=56,levels=3",
	  .profile = "real", .is_long = true },
};

const size_t times_case_count = sizeof(times_cases) / sizeof(times_cases[0]);

const struct times_case *case_find(const char *name)
{
	for (size_t i = 0; i < times_case_count; i++)
		if (!strcmp(times_cases[i].name, name))
			return &times_cases[i];
	return NULL;
}
