/* SPDX-License-Identifier: BSD-2-Clause */
/* madring-sweep: discovers an InfiniBand fabric and writes what it found. */
#include <errno.h>
#include <stdio.h>

#include <madring/compare.h>

#include "common/complain.h"
#include "common/mkeys.h"
#include "common/output.h"
#include "print.h"
#include "sweep.h"

/* Prints the fabric in the format that was asked for. */
static void print_result(FILE *out, const struct result *result)
{
	switch (result->options->format) {
	case FORMAT_TOPOLOGY:
		if (result->old)
			print_changes(out, result);
		else
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

/*
 * Returns whether something is missing that was asked for. Drops that this host cannot count are
 * told, and are no failure.
 */
static bool is_partial(const struct result *result)
{
	return result->error || result->drops.error == -ENOMEM ||
	       !madring_fabric_is_complete(result->fabric);
}

static int exit_status(const struct result *result)
{
	if (is_partial(result)) {
		if (result->old)
			complain("the sweep is partial: what it has not found counts as gone in "
				 "the comparison with %s",
				 result->options->compare);
		return EXIT_PARTIAL;
	}
	return result->old && madring_fabric_compare(result->old, result->fabric, NULL, NULL)
		       ? EXIT_CHANGED
		       : EXIT_COMPLETE;
}

/* Writes all results. Standard error comes last, so that it does not split standard output. */
static int write_all(struct output *output, const struct result *result)
{
	const struct options *options = result->options;
	FILE *out = output ? output_begin(output) : stdout;
	int failed = result->capture_failed || !out ? -1 : 0;

	if (out)
		print_result(out, result);
	if (output && output_close(output))
		failed = -1;
	/* With an output file, standard output has the lines of --show. */
	if (output_close_standard())
		failed = -1;
	print_problems(stderr, result);
	if (options->stats && options->format != FORMAT_JSON)
		print_stats(stderr, result);
	if (options->count_drops && options->format != FORMAT_JSON)
		print_drops(stderr, result);
	else if (result->drops.error == -ENOMEM)
		complain("drops were not counted: %s", madring_error_text(result->drops.error));
	if (failed)
		return EXIT_UNABLE;
	return exit_status(result);
}

/* Finds the fabric and writes it to @output, or to standard output for NULL. */
static int discover_and_write(struct output *output, const struct options *options,
			      const struct names *names, const struct madring_fabric *old)
{
	struct result result = { .names = names, .options = options, .old = old };
	struct madring_fabric *fabric;
	int status = EXIT_UNABLE;

	drops_start(&result.drops);
	if (options->show)
		setlinebuf(stdout);
	fabric = sweep_run(&result);
	if (fabric) {
		drops_order(&result.drops);
		status = write_all(output, &result);
	} else if (output) {
		output_close(output);
	}
	drops_end(&result.drops);
	madring_fabric_free(fabric);
	return status;
}

/*
 * Loads the fabric to compare with, if the options name one. Returns 0, or -1 with a message
 * written.
 */
static int load_old(const struct options *options, struct madring_fabric **old)
{
	char text[MADRING_LOAD_TEXT_BYTES];

	*old = NULL;
	if (!options->compare || !madring_fabric_load(options->compare, old, text))
		return 0;
	complain("%s: %s", options->compare, text);
	return -1;
}

int main(int argc, char *argv[])
{
	struct options options;
	struct madring_fabric *old = NULL;
	struct names *names;
	int status = EXIT_UNABLE;
	struct output *output = NULL;

	output_prepare();
	options_read(&options, argc, argv);
	/* A broken default map costs a message only; the sweep runs without the rest of it. */
	if ((!names_read(&names, options.node_name_map) || !options.node_name_map) &&
	    !load_old(&options, &old)) {
		if (options.output)
			output = output_open(options.output);
		if (output || !options.output)
			status = discover_and_write(output, &options, names, old);
	}
	madring_fabric_free(old);
	names_free(names);
	mkeys_free(options.mkeys);
	return status;
}
