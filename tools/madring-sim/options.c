/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/complain.h"
#include "common/output.h"
#include "fabric/model.h"
#include "options.h"

static const struct option long_options[] = {
	{ "topology", required_argument, NULL, 't' }, { "generate", required_argument, NULL, 'g' },
	{ "attach", required_argument, NULL, 'a' },   { "device", required_argument, NULL, 'D' },
	{ "profile", required_argument, NULL, 'p' },  { "scenario", required_argument, NULL, 'f' },
	{ "do", required_argument, NULL, 'x' },	      { "seed", required_argument, NULL, 's' },
	{ "loss", required_argument, NULL, 'l' },     { "dead", required_argument, NULL, 'd' },
	{ "control", required_argument, NULL, 'c' },  { "stats", required_argument, NULL, 'o' },
	{ "routed", no_argument, NULL, 'r' },	      { "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },	      { NULL, 0, NULL, 0 },
};

static void print_help(void)
{
	puts("Usage: " PROGRAM
	     " --topology FILE | --generate SPEC [OPTION]... -- COMMAND [ARGUMENT]...\n"
	     "       " PROGRAM " ctl [--socket PATH | --pid PID] [--json] FABRIC-COMMAND...\n"
	     "Runs a command on a node of a simulated InfiniBand fabric; or changes that fabric "
	     "while\nit runs.\n"
	     "\n"
	     "  -t, --topology FILE       an ibsim netlist, or saved ibnetdiscover output\n"
	     "  -g, --generate SPEC       a generated fabric, such as fat-tree:radix=36,levels=2\n"
	     "  -a, --attach NODE[:PORT]  the node to run on (default: $SIM_HOST, else the first "
	     "HCA)\n"
	     "  -D, --device PATH         through the kernel's own driver, on a virtual HCA that "
	     "PATH "
	     "makes\n"
	     "  -p, --profile NAME        ideal (the default) or real: how long things take\n"
	     "  -r, --routed              start with LIDs, active links and forwarding tables\n"
	     "  -f, --scenario FILE       what is to happen, and when\n"
	     "  -x, --do FABRIC-COMMAND   one thing that is to happen, such as \"set hop 1us\"\n"
	     "  -s, --seed N              the seed of what is random (default 0)\n"
	     "  -l, --loss P              the probability, 0 to 1, that a packet is lost on its "
	     "way\n"
	     "  -d, --dead NODE           a node that never answers\n"
	     "  -c, --control PATH        where " PROGRAM " ctl finds the fabric\n"
	     "  -o, --stats FILE          write what was counted to FILE, as JSON\n"
	     "  -h, --help                print this help\n"
	     "  -V, --version             print the version\n"
	     "\n"
	     "--scenario, --do, --loss and --dead may be given more than once, and are obeyed in "
	     "order;\n--attach too, with --device, for an HCA each.\n"
	     "\n"
	     "Exit status: the command's; 128 + N when signal N ended it; 2 when it could not "
	     "start.");
}

static int take_seed(struct options *options, const char *text)
{
	char *end;

	errno = 0;
	options->seed = strtoull(text, &end, 0);
	if (!errno && end != text && !*end && !strchr(text, '-'))
		return -1;
	complain("%s: not a number for --seed", text);
	return EXIT_NOT_STARTED;
}

int options_printed(void)
{
	return output_close(stdout, NULL) ? EXIT_NOT_STARTED : 0;
}

static int add_change(struct options *options, enum change_kind kind, const char *argument)
{
	struct change *changes;

	changes = reallocarray(options->changes, options->change_count + 1, sizeof(*changes));
	if (!changes) {
		complain("%s: %s", argument, strerror(ENOMEM));
		return EXIT_NOT_STARTED;
	}
	options->changes = changes;
	changes[options->change_count++] = (struct change){ .kind = kind, .argument = argument };
	return -1;
}

static int add_attach(struct options *options, const char *argument)
{
	const char **attach =
		reallocarray(options->attach, options->attach_count + 1, sizeof(*attach));

	if (!attach) {
		complain("%s: %s", argument, strerror(ENOMEM));
		return EXIT_NOT_STARTED;
	}
	options->attach = attach;
	attach[options->attach_count++] = argument;
	return -1;
}

/* Where nothing is said of it, the environment may name the node. */
static int attach_by_default(struct options *options)
{
	const char *host = getenv("MADRING_SIM_HOST");

	if (options->attach_count)
		return -1;
	return add_attach(options, host ? host : getenv("SIM_HOST"));
}

static int take(const char **option, const char *argument)
{
	*option = argument;
	return -1;
}

static int parse_one(struct options *options, int option, const char *argument)
{
	switch (option) {
	case 't':
		return take(&options->topology, argument);
	case 'g':
		return take(&options->generate, argument);
	case 'a':
		return add_attach(options, argument);
	case 'D':
		return take(&options->device, argument);
	case 'p':
		return take(&options->profile, argument);
	case 'c':
		return take(&options->control, argument);
	case 'o':
		return take(&options->stats, argument);
	case 'f':
		return add_change(options, CHANGE_SCENARIO, argument);
	case 'x':
		return add_change(options, CHANGE_DO, argument);
	case 'l':
		return add_change(options, CHANGE_LOSS, argument);
	case 'd':
		return add_change(options, CHANGE_DEAD, argument);
	case 's':
		return take_seed(options, argument);
	case 'r':
		options->routed = true;
		return -1;
	case 'h':
		print_help();
		return options_printed();
	case 'V':
		puts(PROGRAM " " MADRING_SIM_VERSION);
		return options_printed();
	default:
		fprintf(stderr, "Try '" PROGRAM " --help'.\n");
		return EXIT_NOT_STARTED;
	}
}

int options_parse(struct options *options, int argc, char **argv)
{
	int option, ret;

	*options = (struct options){ .profile = "ideal" };
	while ((option = getopt_long(argc, argv, "+t:g:a:D:p:rf:x:s:l:d:c:o:hV", long_options,
				     NULL)) >= 0) {
		ret = parse_one(options, option, optarg);
		if (ret >= 0)
			return ret;
	}
	if (!options->topology == !options->generate) {
		complain("fabric: give one of --topology FILE and --generate SPEC");
		return EXIT_NOT_STARTED;
	}
	if (!model_profile_find(options->profile)) {
		complain("%s: no such profile; there are ideal and real", options->profile);
		return EXIT_NOT_STARTED;
	}
	if (!argv[optind]) {
		complain("command: give the command to run, after --");
		return EXIT_NOT_STARTED;
	}
	if (options->attach_count > 1 && !options->device) {
		complain("--attach: without --device there is one node to run on; a program "
			 "that the command starts may choose another by SIM_HOST");
		return EXIT_NOT_STARTED;
	}
	options->command = argv + optind;
	return attach_by_default(options);
}

void options_free(struct options *options)
{
	free(options->changes);
	free(options->attach);
}
