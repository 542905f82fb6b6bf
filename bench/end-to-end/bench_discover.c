/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_discover.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The sums of all measured discoveries. */
struct total {
	uint64_t discoveries, nodes, smps;
};

static void discover_again(struct measure *measure, discover_once once, struct total *total)
{
	struct discovered found = { 0 };

	once(measure, &found);
	if (found.nodes != total->nodes) {
		fprintf(stderr, "%s: %" PRIu64 " nodes found, and %" PRIu64 " before\n",
			measure->client, found.nodes, total->nodes);
		exit(1);
	}
	total->discoveries++;
	total->smps += found.smps;
}

static int print_report(const struct measure *measure, const struct total *total)
{
	printf("{\"client\": \"%s\", \"discoveries\": %" PRIu64 ", \"nodes\": %" PRIu64
	       ", \"smps\": %" PRIu64 ", \"wall_ns\": %" PRIu64 ", \"cpu_ns\": %" PRIu64
	       ", \"syscalls\": %" PRIu64 "}\n",
	       measure->client, total->discoveries, total->nodes, total->smps, measure->wall_ns,
	       measure->cpu_ns, measure->measured_syscalls);
	return measure_written(measure);
}

int discover_measure(struct measure *measure, discover_once once)
{
	struct discovered first = { 0 };
	struct total total = { 0 };

	once(measure, &first);
	total.nodes = first.nodes;
	measure_start(measure);
	while (total.smps < measure->mads)
		discover_again(measure, once, &total);
	measure_stop(measure);
	return print_report(measure, &total);
}
