/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

#define EXIT_NOT_STARTED 2

static const struct option long_options[] = {
	{ "topology", required_argument, NULL, 't' }, { "generate", required_argument, NULL, 'g' },
	{ "attach", required_argument, NULL, 'a' },   { "seed", required_argument, NULL, 's' },
	{ "loss", required_argument, NULL, 'l' },     { "dead", required_argument, NULL, 'd' },
	{ "stats", required_argument, NULL, 'o' },    { "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },	      { NULL, 0, NULL, 0 },
};

static void print_help(void)
{
	puts("Usage: " PROGRAM
	     " --topology FILE | --generate SPEC [OPTION]... -- COMMAND [ARGUMENT]...\n"
	     "Runs a command on a node of a simulated InfiniBand fabric.\n"
	     "\n"
	     "  -t, --topology FILE       an ibsim netlist, or saved ibnetdiscover output\n"
	     "  -g, --generate SPEC       a generated fabric, such as fat-tree:radix=36,levels=2\n"
	     "  -a, --attach NODE[:PORT]  the node to run on (default: $SIM_HOST, else the first "
	     "HCA)\n"
	     "  -s, --seed N              the seed of what is random (default 0)\n"
	     "  -l, --loss P              the probability, 0 to 1, that a packet is lost on its "
	     "way\n"
	     "  -d, --dead NODE           a node that never answers; may be given more than once\n"
	     "  -o, --stats FILE          write what was counted to FILE, as JSON\n"
	     "  -h, --help                print this help\n"
	     "  -V, --version             print the version\n"
	     "\n"
	     "Exit status: the command's; 128 + N when signal N ended it; 2 when it could not "
	     "start.");
}

static bool parse_number(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 0);
	return !errno && end != text && !*end && !strchr(text, '-');
}

static bool parse_probability(const char *text, double *probability)
{
	char *end;

	*probability = strtod(text, &end);
	return end != text && !*end && *probability >= 0 && *probability <= 1;
}

static int complain(const char *what, const char *why)
{
	fprintf(stderr, PROGRAM ": %s: %s\n", what, why);
	return EXIT_NOT_STARTED;
}

/* The exit status of an option that only prints. */
static int printed(void)
{
	return fflush(stdout) || ferror(stdout) ? complain("standard output", strerror(errno)) : 0;
}

static int add_dead(struct options *options, const char *name)
{
	const char **dead;

	dead = reallocarray(options->dead, options->dead_count + 1, sizeof(*dead));
	if (!dead)
		return complain("--dead", strerror(ENOMEM));
	options->dead = dead;
	dead[options->dead_count++] = name;
	return -1;
}

static int parse_one(struct options *options, int option, const char *argument)
{
	switch (option) {
	case 't':
		options->topology = argument;
		return -1;
	case 'g':
		options->generate = argument;
		return -1;
	case 'a':
		options->attach = argument;
		return -1;
	case 'o':
		options->stats = argument;
		return -1;
	case 'd':
		return add_dead(options, argument);
	case 's':
		return parse_number(argument, &options->seed)
			       ? -1
			       : complain(argument, "not a number for --seed");
	case 'l':
		return parse_probability(argument, &options->loss)
			       ? -1
			       : complain(argument, "not a probability, 0 to 1, for --loss");
	case 'h':
		print_help();
		return printed();
	case 'V':
		puts(PROGRAM " " MADRING_SIM_VERSION);
		return printed();
	default:
		fprintf(stderr, "Try '" PROGRAM " --help'.\n");
		return EXIT_NOT_STARTED;
	}
}

int options_parse(struct options *options, int argc, char **argv)
{
	int option, ret;

	memset(options, 0, sizeof(*options));
	options->attach = getenv("MADRING_SIM_HOST");
	if (!options->attach)
		options->attach = getenv("SIM_HOST");
	while ((option = getopt_long(argc, argv, "+t:g:a:s:l:d:o:hV", long_options, NULL)) >= 0) {
		ret = parse_one(options, option, optarg);
		if (ret >= 0)
			return ret;
	}
	if (!options->topology == !options->generate)
		return complain("fabric", "give one of --topology FILE and --generate SPEC");
	if (!argv[optind])
		return complain("command", "give the command to run, after --");
	options->command = argv + optind;
	return -1;
}

void options_free(struct options *options)
{
	free(options->dead);
}
