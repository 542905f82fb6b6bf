/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fabric discovered by madring as madring-sweep does it, over and over: the same discovery, and
 * ring, port and agent opened and closed each time, but nothing printed.
 */
#include "bench_discover.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <madring.h>
#include <madring/subnet.h>
#include <madring/sweep.h>

/* madring-sweep has as many. */
#define TRANSACTIONS 16384u

static void open_subnet(const struct measure *measure, struct madring_subnet **subnet)
{
	const struct madring_config ring = { .pin = MADRING_PIN_BEST_EFFORT,
					     .transactions = TRANSACTIONS };
	struct madring_subnet_config config = { .ring = &ring };
	int error;

	if (!measure->own_windows) {
		config.window = measure->in_flight;
		config.pin_window = true;
		config.in_flight = measure->in_flight;
	}
	error = madring_subnet_open(&config, subnet);
	if (error)
		measure_fail(measure, "the port", error);
}

static void discover_fabric(struct measure *measure, struct discovered *found)
{
	struct madring_subnet *subnet;
	struct madring_fabric *fabric;
	struct madring_stats stats;
	int error;

	open_subnet(measure, &subnet);
	error = madring_sweep(subnet, NULL, &fabric);
	if (error)
		measure_fail(measure, "discovery", error);
	if (!madring_fabric_is_complete(fabric))
		measure_fail(measure, "discovery", ETIMEDOUT);
	madring_get_stats(madring_subnet_ring(subnet), &stats);
	madring_subnet_close(subnet);
	found->nodes = madring_fabric_node_count(fabric);
	found->smps = stats.sent;
	measure->syscalls += stats.entries;
	madring_fabric_free(fabric);
}

int main(int argc, char **argv)
{
	static struct measure measure;

	measure_options(&measure, "madring", argc, argv);
	return discover_measure(&measure, discover_fabric);
}
