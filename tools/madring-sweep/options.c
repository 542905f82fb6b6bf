/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <madring.h>

#include "common/discover.h"
#include "common/local.h"
#include "common/mkeys.h"
#include "common/option_table.h"
#include "options.h"

#define OPTION_STRUCT struct options

#define ALL_TYPES (1u << MADRING_NODE_CA | 1u << MADRING_NODE_SWITCH | 1u << MADRING_NODE_ROUTER)

#define NOT_HERE "ibnetdiscover has this option, madring-sweep has not"

/* Takes --window, and keeps it fixed. */
static void take_outstanding_smps(void *field, const char *option, const char *text)
{
	struct tuning *tuning = field;

	tuning->window = (uint32_t)option_number(option, text, 1, MADRING_MAX_TRANSACTIONS);
	tuning->pin_window = true;
}

static void take_window(void *field, const char *option, const char *text)
{
	take_outstanding_smps(field, option, text);
	((struct tuning *)field)->pin_window = false;
}

static const struct option_entry entries[] = {
	OPTION_HEADING("Output (default: the topology file, as ibnetdiscover writes it)"),
	{ 'l', "list", NULL, "connected nodes", OPTION_VALUE(list_types, ALL_TYPES) },
	{ 'H', "Hca_list", NULL, "connected channel adapters",
	  OPTION_VALUE(list_types, 1u << MADRING_NODE_CA) },
	{ 'S', "Switch_list", NULL, "connected switches",
	  OPTION_VALUE(list_types, 1u << MADRING_NODE_SWITCH) },
	{ 'R', "Router_list", NULL, "connected routers",
	  OPTION_VALUE(list_types, 1u << MADRING_NODE_ROUTER) },
	{ 'p', "ports", NULL, "ports and what they are connected to",
	  OPTION_BITS(formats, 1u << FORMAT_PORTS) },
	{ 0, "json", NULL, "everything, as JSON", OPTION_BITS(formats, 1u << FORMAT_JSON) },
	{ 0, "dot", NULL, "the cables, as a graph for Graphviz",
	  OPTION_BITS(formats, 1u << FORMAT_DOT) },
	{ 0, "compare", "FILE",
	  "how the fabric differs from one that --json wrote to FILE; with --json, as JSON",
	  OPTION_TEXT(compare) },
	{ 'f', "full", NULL, "topology file: with speed, width and VLCap", OPTION_FLAG(full) },
	{ 'm', "max_hops", NULL, "topology file: with the most hops, and MADs used",
	  OPTION_FLAG(max_hops) },
	{ 's', "show", NULL, "each reply to a request for NodeInfo, as it arrives",
	  OPTION_FLAG(show) },
	{ 0, "count-drops", NULL,
	  "the MADs that switches with a LID dropped during the sweep; on standard error, or in "
	  "the JSON",
	  OPTION_FLAG(count_drops) },
	{ 0, "stats", NULL,
	  "the same, and time, MADs, round trips; on standard error, or in the JSON",
	  OPTION_FLAG(stats) },
	{ 0, "node-name-map", "FILE", "names of nodes by GUID", OPTION_TEXT(node_name_map) },
	{ 'e', "errors", NULL, "accepted, and without effect: errors are always told",
	  OPTION_IGNORED },

	OPTION_HEADING("Sweep"),
	{ 'C', "Ca", "NAME", "device; default: the first with an active port",
	  OPTION_TEXT(ca_name) },
	{ 'P', "Port", "NUMBER", "its port", OPTION_NUMBER(port, 0, 254) },
	{ 'Y', "pkey-idx", "N",
	  "index of the P_Key of --count-drops, which has to be in the port's table; SMPs have "
	  "none",
	  OPTION_NUMBER(pkey_index, 0, UINT16_MAX) },
	{ 't', "timeout", "MS", "each attempt's timeout; default: by the measured round trips",
	  OPTION_NUMBER(tuning.timeout_ms, 1, INT_MAX) },
	{ 0, "retries", "N", "attempts after the first, 0 to 254; default 7, within --patience",
	  OPTION_RETRIES(tuning.retries) },
	{ 0, "patience", "MS",
	  "how long until a node that does not answer is given up; default 900",
	  OPTION_NUMBER(tuning.patience_ms, 1, INT_MAX) },
	{ 0, "window", "N", "requests in flight at most; default 4096",
	  OPTION_BY(take_window, tuning) },
	{ 'o', "outstanding_smps", "N", "requests in flight, the same throughout",
	  OPTION_BY(take_outstanding_smps, tuning) },
	{ 0, "gentle", NULL, "let MADs wait in queues on the way for 100 us, instead of 200",
	  OPTION_VALUE(tuning.queue_us, GENTLE_QUEUE_US) },
	{ 0, "lid-routed", NULL,
	  "requests by LID, where the fabric routes them, to all but unknown nodes",
	  OPTION_FLAG(lid_routed) },
	{ 0, "max-nodes", "N", "leave out nodes beyond the first N; default 131072",
	  OPTION_NUMBER(max_nodes, 1, MADRING_SWEEP_MAX_NODES) },
	{ 0, "deadline", "SECONDS", "end the sweep then, with what was found; default 600",
	  OPTION_SECONDS(deadline_ns) },
	{ 'y', "m_key", "KEY", "M_Key of the requests", OPTION_BY(mkey_option, mkey) },
	{ 0, "keys", "FILE", "M_Keys of nodes by GUID; see madring-keys(5)",
	  OPTION_BY(mkeys_option, mkeys) },
	{ 0, "capture", "FILE", "all MADs, for Wireshark", OPTION_TEXT(capture) },

	{ 'g', "grouping", NULL, NOT_HERE, OPTION_LEFT_OUT },
	{ 0, "cache", "FILE", NOT_HERE, OPTION_LEFT_OUT },
	{ 0, "load-cache", "FILE", NOT_HERE, OPTION_LEFT_OUT },
	{ 0, "diff", "FILE", NOT_HERE, OPTION_LEFT_OUT },
	{ 0, "diffcheck", "KEYS", NOT_HERE, OPTION_LEFT_OUT },
	{ 'z', "config", "FILE", "no configuration file is read: give -C, -P, -t and -y instead",
	  OPTION_LEFT_OUT },
	{ 'v', "verbose", NULL, NOT_HERE, OPTION_LEFT_OUT },
	{ 'd', "debug", NULL, NOT_HERE, OPTION_LEFT_OUT },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Usage: madring-sweep [options] [topology-file]\n"
		 "\n"
		 "Discovers the InfiniBand fabric from a local port and writes what it found.\n",
	.notes =
		"Exit status: 0 the fabric is complete; 1 it is partial, and standard error tells\n"
		"what is missing; 2 the sweep could not be done; 3 with --compare: the fabric is\n"
		"complete, and differs.\n",
	.entries = entries,
};

/*
 * Chooses the format. As in ibnetdiscover, --ports takes precedence over the lists, and the last
 * list counts.
 */
static enum format choose_format(const struct options *options)
{
	bool lines = options->list_types || options->formats & 1u << FORMAT_PORTS;
	bool json = options->formats & 1u << FORMAT_JSON, dot = options->formats & 1u << FORMAT_DOT;

	if (options->compare && (lines || dot))
		option_refuse("--compare, --dot and the lists", "one at a time");
	if (lines + json + dot > 1)
		option_refuse("--json, --dot and the lists", "one at a time");
	if (json)
		return FORMAT_JSON;
	if (dot)
		return FORMAT_DOT;
	if (options->formats)
		return FORMAT_PORTS;
	return lines ? FORMAT_LIST : FORMAT_TOPOLOGY;
}

void options_read(struct options *options, int argc, char *argv[])
{
	int first;

	*options = (struct options){ .deadline_ns = DISCOVER_DEADLINE_NS,
				     .max_nodes = MADRING_SWEEP_MAX_NODES };
	first = option_table_read(&table, options, madring_version(), argc, argv);
	if (argc - first > 1)
		option_refuse(argv[first + 1], "one topology file at most");
	if (options->mkey && options->mkeys)
		option_refuse("--m_key and --keys", "one at a time");
	options->output = argv[first];
	options->count_drops |= options->stats;
	options->format = choose_format(options);
}
