/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <madring.h>

#include "discovery/run.h"
#include "options.h"

enum {
	OPTION_NODE_NAME_MAP = 256,
	OPTION_WINDOW,
	OPTION_RETRIES,
	OPTION_CAPTURE,
	OPTION_THRESHOLD_FILE,
	OPTION_DATA,
	OPTION_DETAILS,
	OPTION_COUNTERS,
	OPTION_SWITCH,
	OPTION_CA,
	OPTION_ROUTER,
	OPTION_SKIP_SL,
	OPTION_CLEAR,
	OPTION_LOAD_CACHE,
	OPTION_LANES,
	OPTION_ALL,
	OPTION_TOPOLOGY,
	OPTION_WATCH,
	OPTION_JSON,
	OPTION_CSV,
	OPTION_LISTEN,
	OPTION_TEXTFILE,
	OPTION_INTERVAL,
	OPTION_SHARD,
	OPTION_DEADLINE,
	OPTION_MAX_NODES,
	OPTION_ATTRIBUTE, /* and so many more as there are attributes */
};

/* One of attribute.h's. */
#define ATTRIBUTE(name, attribute)                                                                 \
	{                                                                                          \
		name, no_argument, NULL, OPTION_ATTRIBUTE + (attribute)                            \
	}

/* Most Prometheus servers give up a scrape that takes longer. */
#define SCRAPE_DEADLINE_NS UINT64_C(60000000000)

/* A client that does nothing for so long is left alone. */
#define CLIENT_IDLE_SECONDS 10

static const struct option long_options[] = {
	{ "suppress", required_argument, NULL, 's' },
	{ "suppress-common", no_argument, NULL, 'c' },
	{ "port-guid", required_argument, NULL, 'G' },
	{ "Direct", required_argument, NULL, 'D' },
	{ "report-port", no_argument, NULL, 'r' },
	{ "threshold-file", required_argument, NULL, OPTION_THRESHOLD_FILE },
	{ "data", no_argument, NULL, OPTION_DATA },
	{ "details", no_argument, NULL, OPTION_DETAILS },
	{ "counters", no_argument, NULL, OPTION_COUNTERS },
	{ "switch", no_argument, NULL, OPTION_SWITCH },
	{ "ca", no_argument, NULL, OPTION_CA },
	{ "router", no_argument, NULL, OPTION_ROUTER },
	{ "skip-sl", no_argument, NULL, OPTION_SKIP_SL },
	{ "clear", no_argument, NULL, OPTION_CLEAR },
	{ "clear-errors", no_argument, NULL, 'k' },
	{ "clear-counts", no_argument, NULL, 'K' },
	{ "watch", required_argument, NULL, OPTION_WATCH },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "csv", no_argument, NULL, OPTION_CSV },
	{ "lanes", no_argument, NULL, OPTION_LANES },
	{ "all-attributes", no_argument, NULL, OPTION_ALL },
	ATTRIBUTE("dump", PMA_COUNTERS),
	ATTRIBUTE("extended", PMA_EXTENDED),
	ATTRIBUTE("rcverr", PMA_RCV_ERROR_DETAILS),
	ATTRIBUTE("xmtdisc", PMA_XMIT_DISCARD_DETAILS),
	ATTRIBUTE("oprcvcounters", PMA_OP_RCV_COUNTERS),
	ATTRIBUTE("flowctlcounters", PMA_FLOW_CTL_COUNTERS),
	ATTRIBUTE("vloppackets", PMA_VL_OP_PACKETS),
	ATTRIBUTE("vlopdata", PMA_VL_OP_DATA),
	ATTRIBUTE("vlxmitflowctlerrors", PMA_VL_XMIT_FLOW_CTL_ERRORS),
	ATTRIBUTE("vlxmitcounters", PMA_VL_XMIT_WAIT),
	ATTRIBUTE("swportvlcong", PMA_SW_PORT_VL_CONGESTION),
	ATTRIBUTE("rcvcc", PMA_RCV_CON_CTRL),
	ATTRIBUTE("slrcvfecn", PMA_SL_RCV_FECN),
	ATTRIBUTE("slrcvbecn", PMA_SL_RCV_BECN),
	ATTRIBUTE("xmitcc", PMA_XMIT_CON_CTRL),
	ATTRIBUTE("vlxmittimecc", PMA_VL_XMIT_TIME_CONG),
	ATTRIBUTE("xmtsl", PMA_XMIT_DATA_SL),
	ATTRIBUTE("rcvsl", PMA_RCV_DATA_SL),
	ATTRIBUTE("extended_speeds", PMA_EXTENDED_SPEEDS),
	{ "Ca", required_argument, NULL, 'C' },
	{ "Port", required_argument, NULL, 'P' },
	{ "timeout", required_argument, NULL, 't' },
	{ "m_key", required_argument, NULL, 'y' },
	{ "node-name-map", required_argument, NULL, OPTION_NODE_NAME_MAP },
	{ "window", required_argument, NULL, OPTION_WINDOW },
	{ "retries", required_argument, NULL, OPTION_RETRIES },
	{ "max-nodes", required_argument, NULL, OPTION_MAX_NODES },
	{ "deadline", required_argument, NULL, OPTION_DEADLINE },
	{ "topology", required_argument, NULL, OPTION_TOPOLOGY },
	{ "capture", required_argument, NULL, OPTION_CAPTURE },
	{ "listen", required_argument, NULL, OPTION_LISTEN },
	{ "textfile", required_argument, NULL, OPTION_TEXTFILE },
	{ "interval", required_argument, NULL, OPTION_INTERVAL },
	{ "shard", required_argument, NULL, OPTION_SHARD },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	/* ibqueryerrors' that there are none of here, to be refused by name */
	{ "load-cache", required_argument, NULL, OPTION_LOAD_CACHE },
	{ "outstanding_smps", required_argument, NULL, 'o' },
	{ "GNDN", no_argument, NULL, 'R' },
	{ "config", required_argument, NULL, 'z' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "debug", no_argument, NULL, 'd' },
	{ "errors", no_argument, NULL, 'e' },
	{ 0 },
};

static const char short_options[] = ":s:cG:D:rkKC:P:t:y:hVo:Rz:vde";

static const char help[] =
	"Usage: madring-perf [options]\n"
	"\n"
	"Collects the performance counters of all ports of an InfiniBand fabric.\n"
	"\n"
	"What is written (without any: the ports with errors, as ibqueryerrors writes them):\n"
	"      --data               with their data counters\n"
	"      --details            with what receive errors and discards are made of\n"
	"  -r, --report-port        with what they are connected to\n"
	"      --threshold-file FILE  how much is no error yet; default:\n"
	"                           /etc/infiniband-diags/error_thresholds\n"
	"  -s, --suppress NAME,...  not these counters\n"
	"  -c, --suppress-common    not PortRcvSwitchRelayErrors\n"
	"      --counters           data counters of all ports instead\n"
	"      --dump, --extended, --xmtsl, --rcvsl, --xmtdisc, --rcverr, --extended_speeds,\n"
	"      --oprcvcounters, --flowctlcounters, --vloppackets, --vlopdata,\n"
	"      --vlxmitflowctlerrors, --vlxmitcounters, --swportvlcong, --rcvcc, --slrcvfecn,\n"
	"      --slrcvbecn, --xmitcc, --vlxmittimecc\n"
	"                           these attributes of all ports, as perfquery writes them;\n"
	"                           --dump: PortCounters\n"
	"      --watch SECONDS      again and again: the ports whose counters moved, with rates, "
	"the\n"
	"                           worst first; with --csv all counters of all ports\n"
	"      --json, --csv        all counters of all ports; and with the options above more\n"
	"      --lanes              all that count by virtual lane or service level\n"
	"      --all-attributes     all of them\n"
	"\n"
	"Of whom:\n"
	"      --switch, --ca, --router  nodes of this kind; more than one may be given\n"
	"  -G, --port-guid GUID     the node with a port of this GUID\n"
	"  -D, --Direct PATH        the node at the end of this path, such as 0,1,3\n"
	"      --shard K/N          the K-th of N parts of the nodes, by their GUIDs\n"
	"      --node-name-map FILE names of nodes by GUID\n"
	"\n"
	"What is changed (by default nothing):\n"
	"      --clear              both of these\n"
	"  -k, --clear-errors       the error counters that were read are set to 0\n"
	"  -K, --clear-counts       the data counters that were read are set to 0\n"
	"\n"
	"For Prometheus:\n"
	"      --listen ADDRESS:PORT\n"
	"                           serve /metrics and /healthz; ADDRESS: default 127.0.0.1\n"
	"      --textfile FILE      write the metrics to a file, for node_exporter\n"
	"      --interval SECONDS   collect so often; default: at each scrape, or once to a file\n"
	"\n"
	"How it is done:\n"
	"      --topology FILE      not discovered, but as madring-sweep --json wrote it\n"
	"  -C, --Ca NAME            device; default: the first with an active port\n"
	"  -P, --Port NUMBER        its port\n"
	"  -t, --timeout MS         each attempt's timeout; default: by the measured round trip\n"
	"      --retries N          attempts after the first, 0 to 254; default 5\n"
	"      --window N           requests in flight at most; default 4096\n"
	"      --max-nodes N        leave out what is beyond N nodes; default 131072\n"
	"      --deadline SECONDS   end each collection then, with what was read; default 600,\n"
	"                           for Prometheus 60\n"
	"  -y, --m_key KEY          M_Key of the discovery's requests\n"
	"      --capture FILE       all MADs, for Wireshark\n"
	"\n"
	"  -h, --help               this text\n"
	"  -V, --version            the version\n"
	"\n"
	"Exit status: 0 all is well; 1 a port has errors beyond a threshold; 2 nothing could be\n"
	"done; 3 not all could be read, and standard error tells what is missing.\n";

static void choose(struct options *options, enum format format)
{
	if (options->format != FORMAT_ERRORS && options->format != format)
		argument_refuse("--counters, --json and --csv", "one at a time");
	options->format = format;
}

/* A path as the diagnostics write it: "0", or "0,1,3". */
static void read_path(struct route *route, const char *text)
{
	const char *rest = text;
	unsigned long port;
	char *end;

	*route = (struct route){ 0 };
	for (bool first = true;; first = false) {
		port = strtoul(rest, &end, 10);
		if (end == rest || !isdigit((unsigned char)*rest) || port > 254 ||
		    (*end && *end != ',') || (first && port) ||
		    (!first && !route_extend(route, route, port)))
			argument_refuse(text, "not a path such as 0,1,3, of at most 63 hops");
		if (!*end)
			return;
		rest = end + 1;
	}
}

static void take_report(struct options *options, int option)
{
	switch (option) {
	case 's':
		if (thresholds_suppress(&options->thresholds, optarg))
			exit(EXIT_UNABLE);
		break;
	case 'c':
		thresholds_hide(&options->thresholds, COUNTER_RCV_SWITCH_RELAY_ERRORS);
		break;
	case 'r':
		options->links = true;
		break;
	case OPTION_THRESHOLD_FILE:
		options->threshold_file = optarg;
		break;
	case OPTION_DATA:
		options->data = true;
		break;
	case OPTION_DETAILS:
		options->details = true;
		break;
	case OPTION_COUNTERS:
		choose(options, FORMAT_COUNTERS);
		break;
	case OPTION_JSON:
		choose(options, FORMAT_JSON);
		break;
	case OPTION_CSV:
		choose(options, FORMAT_CSV);
		break;
	case OPTION_LANES:
		options->attributes |= PMA_SET_LANES;
		break;
	case OPTION_ALL:
		options->attributes |= PMA_SET_ALL;
		break;
	}
	if (option >= OPTION_ATTRIBUTE && option < OPTION_ATTRIBUTE + PMA_ATTRIBUTES)
		options->attributes |= PMA_SET(option - OPTION_ATTRIBUTE);
}

static void take_nodes(struct options *options, int option)
{
	switch (option) {
	case OPTION_SWITCH:
		options->node_types |= 1u << NODE_SWITCH;
		break;
	case OPTION_CA:
		options->node_types |= 1u << NODE_CA;
		break;
	case OPTION_ROUTER:
		options->node_types |= 1u << NODE_ROUTER;
		break;
	case 'G':
		options->port_guid = optarg;
		options->guid = argument_number("--port-guid", optarg, 1, UINT64_MAX);
		break;
	case 'D':
		options->dr_path = optarg;
		read_path(&options->route, optarg);
		break;
	case OPTION_CLEAR:
		options->clear_errors = true;
		options->clear_counts = true;
		break;
	case 'k':
		options->clear_errors = true;
		break;
	case 'K':
		options->clear_counts = true;
		break;
	}
}

static void take_monitoring(struct options *options, int option)
{
	switch (option) {
	case OPTION_LISTEN:
		options->serve.listen = optarg;
		break;
	case OPTION_TEXTFILE:
		options->serve.textfile = optarg;
		break;
	case OPTION_INTERVAL:
		options->serve.interval_ns = argument_seconds("--interval", optarg);
		break;
	case OPTION_WATCH:
		options->watch_ns = argument_seconds("--watch", optarg);
		break;
	case OPTION_SHARD:
		if (!shard_parse(&options->shard, optarg))
			argument_refuse("--shard",
					"takes K/N, with K from 1 to N, and N at most 65536");
		break;
	}
}

static void take_manner(struct session_config *session, int option)
{
	switch (option) {
	case 'C':
		session->ca_name = optarg;
		break;
	case 'P':
		session->port = argument_number("--Port", optarg, 0, 254);
		break;
	case 't':
		session->tuning.timeout_ms = argument_number("--timeout", optarg, 1, INT_MAX);
		break;
	case 'y':
		session->mkey = argument_number("--m_key", optarg, 0, UINT64_MAX);
		break;
	case OPTION_WINDOW:
		session->tuning.window =
			argument_number("--window", optarg, 1, MADRING_MAX_TRANSACTIONS);
		break;
	case OPTION_RETRIES:
		session->tuning.retries = argument_retries(optarg);
		break;
	case OPTION_MAX_NODES:
		session->max_nodes = argument_number("--max-nodes", optarg, 1, FABRIC_MAX_NODES);
		break;
	case OPTION_DEADLINE:
		session->deadline_ns = argument_seconds("--deadline", optarg);
		break;
	case OPTION_TOPOLOGY:
		session->topology = optarg;
		break;
	case OPTION_CAPTURE:
		session->capture = optarg;
		break;
	}
}

static void refuse_left_out(int option)
{
	static const struct {
		int option;
		const char *name, *why;
	} left_out[] = {
		{ OPTION_LOAD_CACHE, "--load-cache", "here it is --topology" },
		{ 'o', "-o, --outstanding_smps", "here it is --window" },
		{ 'R', "-R, --GNDN", "it is obsolete" },
		{ 'z', "-z, --config", "there is no such file" },
		{ 'v', "-v, --verbose", "--json has everything" },
		{ 'd', "-d, --debug", "set MADRING_DEBUG, or use --capture" },
		{ 'e', "-e, --errors", "errors are always told" },
	};

	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (left_out[i].option == option)
			argument_refuse(left_out[i].name, left_out[i].why);
}

static void take_option(struct options *options, int option, const char *word)
{
	argument_usual(option, word, help);
	if (option == OPTION_NODE_NAME_MAP)
		options->node_name_map = optarg;
	refuse_left_out(option);
	take_report(options, option);
	take_nodes(options, option);
	take_manner(&options->session, option);
	take_monitoring(options, option);
}

/* What Prometheus reads has every port, and its counters go on from scrape to scrape. */
static void check_monitoring(const struct options *options)
{
	if (!monitors(options)) {
		if (options->serve.interval_ns)
			argument_refuse("--interval", "goes with --listen or --textfile");
		return;
	}
	if (options->format != FORMAT_ERRORS && options->format != FORMAT_DUMP)
		argument_refuse("--counters, --json and --csv",
				"do not go with --listen and --textfile");
	if (options->clear_errors || options->clear_counts)
		argument_refuse("--clear-errors, --clear-counts",
				"do not go with --listen and --textfile");
}

/* All ports are looked at, and their counters have to go on. */
static void check_watching(struct options *options)
{
	if (!options->watch_ns)
		return;
	if (monitors(options))
		argument_refuse("--watch", "does not go with --listen and --textfile");
	if (options->clear_errors || options->clear_counts)
		argument_refuse("--watch", "does not go with --clear-errors and --clear-counts");
	if (options->format != FORMAT_CSV && options->format != FORMAT_ERRORS)
		argument_refuse("--watch", "has a form of its own, or that of --csv");
}

void options_read(struct options *options, int argc, char *argv[])
{
	int option;

	*options = (struct options){ .format = FORMAT_ERRORS,
				     .serve.limits.idle_seconds = CLIENT_IDLE_SECONDS };
	while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1)
		take_option(options, option, argv[optind - 1]);
	if (optind < argc)
		argument_refuse(argv[optind], "no such argument");
	if (options->attributes && options->format == FORMAT_COUNTERS)
		argument_refuse("--counters and what perfquery writes", "one at a time");
	if (options->attributes && options->format == FORMAT_ERRORS)
		options->format = FORMAT_DUMP;
	if (options->port_guid && options->dr_path)
		argument_refuse("--port-guid and --Direct", "one at a time");
	if (!options->session.deadline_ns)
		options->session.deadline_ns =
			monitors(options) ? SCRAPE_DEADLINE_NS : DISCOVERY_DEADLINE_NS;
	check_watching(options);
	check_monitoring(options);
}
