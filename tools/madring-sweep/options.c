/* SPDX-License-Identifier: BSD-2-Clause */
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <madring.h>

#include "discovery/run.h"
#include "options.h"

enum {
	OPTION_NODE_NAME_MAP = 256,
	OPTION_JSON,
	OPTION_DOT,
	OPTION_STATS,
	OPTION_WINDOW,
	OPTION_RETRIES,
	OPTION_DEADLINE,
	OPTION_MAX_NODES,
	OPTION_CAPTURE,
	OPTION_CACHE,
	OPTION_LOAD_CACHE,
	OPTION_DIFF,
	OPTION_DIFFCHECK,
};

static const struct option long_options[] = {
	{ "Ca", required_argument, NULL, 'C' },
	{ "Port", required_argument, NULL, 'P' },
	{ "timeout", required_argument, NULL, 't' },
	{ "m_key", required_argument, NULL, 'y' },
	{ "full", no_argument, NULL, 'f' },
	{ "show", no_argument, NULL, 's' },
	{ "list", no_argument, NULL, 'l' },
	{ "Hca_list", no_argument, NULL, 'H' },
	{ "Switch_list", no_argument, NULL, 'S' },
	{ "Router_list", no_argument, NULL, 'R' },
	{ "ports", no_argument, NULL, 'p' },
	{ "max_hops", no_argument, NULL, 'm' },
	{ "outstanding_smps", required_argument, NULL, 'o' },
	{ "node-name-map", required_argument, NULL, OPTION_NODE_NAME_MAP },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "dot", no_argument, NULL, OPTION_DOT },
	{ "stats", no_argument, NULL, OPTION_STATS },
	{ "window", required_argument, NULL, OPTION_WINDOW },
	{ "retries", required_argument, NULL, OPTION_RETRIES },
	{ "max-nodes", required_argument, NULL, OPTION_MAX_NODES },
	{ "deadline", required_argument, NULL, OPTION_DEADLINE },
	{ "capture", required_argument, NULL, OPTION_CAPTURE },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	/* ibnetdiscover's that there are none of here, to be refused by name */
	{ "grouping", no_argument, NULL, 'g' },
	{ "cache", required_argument, NULL, OPTION_CACHE },
	{ "load-cache", required_argument, NULL, OPTION_LOAD_CACHE },
	{ "diff", required_argument, NULL, OPTION_DIFF },
	{ "diffcheck", required_argument, NULL, OPTION_DIFFCHECK },
	{ "config", required_argument, NULL, 'z' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "debug", no_argument, NULL, 'd' },
	{ "errors", no_argument, NULL, 'e' },
	{ 0 },
};

static const char short_options[] = ":C:P:t:y:fslHSRpmo:hVgz:vde";

static const char help[] =
	"Usage: madring-sweep [options] [topology-file]\n"
	"\n"
	"Discovers the InfiniBand fabric from a local port and writes what it found.\n"
	"\n"
	"What is written (without any: the topology file, as ibnetdiscover writes it):\n"
	"  -l, --list               connected nodes\n"
	"  -H, --Hca_list           connected channel adapters\n"
	"  -S, --Switch_list        connected switches\n"
	"  -R, --Router_list        connected routers\n"
	"  -p, --ports              ports and what they are connected to\n"
	"      --json               everything, as JSON\n"
	"      --dot                the cables, as a graph for Graphviz\n"
	"  -f, --full               topology file: with speed, width and VLCap\n"
	"  -m, --max_hops           topology file: with the most hops, and MADs used\n"
	"  -s, --show               each answer as it comes\n"
	"      --stats              time, MADs, round trips; on standard error, or in the JSON\n"
	"      --node-name-map FILE names of nodes by GUID\n"
	"\n"
	"How it is done:\n"
	"  -C, --Ca NAME            device; default: the first with an active port\n"
	"  -P, --Port NUMBER        its port\n"
	"  -t, --timeout MS         each attempt's timeout; default: by the measured round trip\n"
	"      --retries N          attempts after the first, 0 to 254; default 9\n"
	"      --window N           requests in flight at most; default 4096\n"
	"  -o, --outstanding_smps N requests in flight, the same throughout\n"
	"      --max-nodes N        leave out what is beyond N nodes; default 131072\n"
	"      --deadline SECONDS   end the sweep then, with what was found; default 600\n"
	"  -y, --m_key KEY          M_Key of the requests\n"
	"      --capture FILE       all MADs, for Wireshark\n"
	"\n"
	"  -h, --help               this text\n"
	"  -V, --version            the version\n"
	"\n"
	"Exit status: 0 the fabric is complete; 1 it is partial, and standard error tells what\n"
	"is missing; 2 the sweep could not be done.\n";

static void choose(struct options *options, enum format format)
{
	enum format now = options->format;
	bool lists = now <= FORMAT_PORTS && format <= FORMAT_PORTS;

	if (now != FORMAT_TOPOLOGY && now != format && !lists)
		argument_refuse("--json, --dot and the lists", "one at a time");
	/* As ibnetdiscover has it: -p before the lists, and of the lists the last. */
	if (now != FORMAT_PORTS)
		options->format = format;
}

static void choose_list(struct options *options, unsigned int types)
{
	choose(options, FORMAT_LIST);
	options->list_types = types;
}

static void refuse_left_out(int option)
{
	static const struct {
		int option;
		const char *name;
	} left_out[] = {
		{ 'g', "-g, --grouping" },   { 'z', "-z, --config" },
		{ 'v', "-v, --verbose" },    { 'd', "-d, --debug" },
		{ OPTION_CACHE, "--cache" }, { OPTION_LOAD_CACHE, "--load-cache" },
		{ OPTION_DIFF, "--diff" },   { OPTION_DIFFCHECK, "--diffcheck" },
	};

	if (option == 'e')
		argument_refuse("-e, --errors",
				"errors are always shown, and there is no such option");
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (left_out[i].option == option)
			argument_refuse(left_out[i].name,
					"ibnetdiscover has this option, madring-sweep has not");
}

static void take_format(struct options *options, int option)
{
	switch (option) {
	case 'l':
		choose_list(options, 1u << NODE_CA | 1u << NODE_SWITCH | 1u << NODE_ROUTER);
		break;
	case 'H':
		choose_list(options, 1u << NODE_CA);
		break;
	case 'S':
		choose_list(options, 1u << NODE_SWITCH);
		break;
	case 'R':
		choose_list(options, 1u << NODE_ROUTER);
		break;
	case 'p':
		choose(options, FORMAT_PORTS);
		break;
	case OPTION_JSON:
		choose(options, FORMAT_JSON);
		break;
	case OPTION_DOT:
		choose(options, FORMAT_DOT);
		break;
	case 'f':
		options->full = true;
		break;
	case 'm':
		options->max_hops = true;
		break;
	case 's':
		options->show = true;
		break;
	case OPTION_STATS:
		options->stats = true;
		break;
	case OPTION_NODE_NAME_MAP:
		options->node_name_map = optarg;
		break;
	}
}

static void take_manner(struct options *options, int option)
{
	switch (option) {
	case 'C':
		options->ca_name = optarg;
		break;
	case 'P':
		options->port = argument_number("--Port", optarg, 0, 254);
		break;
	case 't':
		options->tuning.timeout_ms = argument_number("--timeout", optarg, 1, INT_MAX);
		break;
	case 'y':
		options->mkey = argument_number("--m_key", optarg, 0, UINT64_MAX);
		break;
	case 'o':
		options->tuning.window =
			argument_number("--outstanding_smps", optarg, 1, MADRING_MAX_TRANSACTIONS);
		options->tuning.pin_window = true;
		break;
	case OPTION_WINDOW:
		options->tuning.window =
			argument_number("--window", optarg, 1, MADRING_MAX_TRANSACTIONS);
		options->tuning.pin_window = false;
		break;
	case OPTION_CAPTURE:
		options->capture = optarg;
		break;
	case OPTION_RETRIES:
		options->tuning.retries = argument_retries(optarg);
		break;
	case OPTION_MAX_NODES:
		options->max_nodes = argument_number("--max-nodes", optarg, 1, FABRIC_MAX_NODES);
		break;
	case OPTION_DEADLINE:
		options->deadline_ns = argument_seconds("--deadline", optarg);
		break;
	}
}

static void take_option(struct options *options, int option, const char *word)
{
	argument_usual(option, word, help);
	refuse_left_out(option);
	take_format(options, option);
	take_manner(options, option);
}

void options_read(struct options *options, int argc, char *argv[])
{
	int option;

	*options = (struct options){ .deadline_ns = DISCOVERY_DEADLINE_NS,
				     .max_nodes = FABRIC_MAX_NODES };
	while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1)
		take_option(options, option, argv[optind - 1]);
	if (argc - optind > 1)
		argument_refuse(argv[optind + 1], "one topology file at most");
	options->output = argv[optind];
}
