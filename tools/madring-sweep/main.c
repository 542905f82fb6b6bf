/* SPDX-License-Identifier: BSD-2-Clause */
/* madring-sweep: discovers an InfiniBand fabric and writes what it found. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "order.h"
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

static int output_failed(const char *path)
{
	fprintf(stderr, "madring-sweep: %s: %s\n", path ? path : "standard output",
		strerror(errno));
	return EXIT_UNABLE;
}

/* Closes the output: what could not be written shows at the latest then. */
static int finish(FILE *out, const char *path)
{
	int failed = ferror(out);

	return fclose(out) || failed ? output_failed(path) : 0;
}

static int report(FILE *out, const struct result *result)
{
	const struct options *options = result->options;

	print_result(out, result);
	print_problems(stderr, result);
	if (options->stats && options->format != FORMAT_JSON)
		print_stats(stderr, result);
	if (finish(out, options->output))
		return EXIT_UNABLE;
	return result->error || !discovery_complete(result->discovery) ? EXIT_PARTIAL
								       : EXIT_COMPLETE;
}

/* Finds the fabric and writes it to @out. */
static int discover(FILE *out, const struct options *options, const struct names *names)
{
	struct fabric *fabric = fabric_new();
	struct discovery discovery;
	struct result result = {
		.fabric = fabric, .discovery = &discovery, .names = names, .options = options
	};
	int status = EXIT_UNABLE;

	discovery_start(&discovery, fabric);
	if (options->show) {
		discovery.seen = show_seen;
		setlinebuf(stdout);
	}
	if (!sweep_run(&discovery, &result)) {
		order_nodes(fabric);
		problems_order(&discovery.problems);
		status = report(out, &result);
	}
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

	options_read(&options, argc, argv);
	if (names_read(&names, options.node_name_map) && options.node_name_map)
		goto end;
	out = options.output ? fopen(options.output, "w") : stdout;
	if (out)
		status = discover(out, &options, names);
	else
		status = output_failed(options.output);
end:
	names_free(names);
	return status;
}
