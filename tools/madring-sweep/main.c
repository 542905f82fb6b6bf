/* SPDX-License-Identifier: BSD-2-Clause */
/* madring-sweep: discovers an InfiniBand fabric and writes what it found. */
#include <stdio.h>

#include "common/mkeys.h"
#include "common/output.h"
#include "fabric/order.h"
#include "print.h"
#include "show.h"
#include "sweep.h"

static void print_result(FILE *out, const struct result *result)
{
	switch (result->options->format) {
	case FORMAT_TOPOLOGY:
		print_topology(out, result);
		break;
	case FORMAT_LIST:
		print_list(out, result);
		break;
	case FORMAT_PORTS:
		print_ports(out, result);
		break;
	case FORMAT_JSON:
		print_json(out, result);
		break;
	case FORMAT_DOT:
		print_dot(out, result);
		break;
	}
}

/* Writes all results. Standard error comes last, so that it does not split standard output. */
static int write_all(FILE *out, const struct result *result)
{
	const struct options *options = result->options;
	int failed = result->capture_failed ? -1 : 0, begun = output_begin(out, options->output);

	if (begun)
		failed = -1;
	else
		print_result(out, result);
	if (output_close(out, options->output))
		failed = -1;
	/* Standard output has the lines of --show, which are not in the output file. */
	if (out != stdout && output_close(stdout, NULL))
		failed = -1;
	print_problems(stderr, result);
	if (options->stats && options->format != FORMAT_JSON)
		print_stats(stderr, result);
	if (options->count_drops && options->format != FORMAT_JSON)
		print_drops(stderr, result);
	if (failed)
		return EXIT_UNABLE;
	return result->error || !discovery_complete(result->discovery) ? EXIT_PARTIAL
								       : EXIT_COMPLETE;
}

/* Finds the fabric and writes it to @out. */
static int discover_and_write(FILE *out, const struct options *options, const struct names *names)
{
	struct fabric *fabric = fabric_new();
	struct discovery discovery;
	struct result result = {
		.fabric = fabric, .discovery = &discovery, .names = names, .options = options
	};
	int status = EXIT_UNABLE;

	discovery_start(&discovery, fabric);
	drops_start(&result.drops);
	discovery.max_nodes = options->max_nodes;
	if (options->show) {
		discovery.seen = show_seen;
		setlinebuf(stdout);
	}
	if (!sweep_run(&discovery, &result)) {
		order_nodes(fabric);
		drops_order(&result.drops);
		problems_order(&discovery.problems);
		status = write_all(out, &result);
	}
	drops_end(&result.drops);
	discovery_end(&discovery);
	fabric_free(fabric);
	return status;
}

int main(int argc, char *argv[])
{
	struct options options;
	struct names *names;
	int status = EXIT_UNABLE;
	FILE *out;

	output_prepare();
	options_read(&options, argc, argv);
	/* A broken default map costs a message only; the sweep runs without the rest of it. */
	if (!names_read(&names, options.node_name_map) || !options.node_name_map) {
		out = output_open(options.output);
		if (out)
			status = discover_and_write(out, &options, names);
	}
	names_free(names);
	mkeys_free(options.mkeys);
	return status;
}
