/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <stdlib.h>
#include <madring.h>

#include "common/discover.h"
#include "common/local.h"
#include "common/mkeys.h"
#include "common/option_table.h"
#include "options.h"

#define OPTION_STRUCT struct options

/* The default deadline of a scrape: most Prometheus servers give up one that takes longer. */
#define SCRAPE_DEADLINE_NS UINT64_C(60000000000)

/* The time after which the server closes a connection on which nothing happens. */
#define CLIENT_IDLE_SECONDS 10

static void take_suppress(void *field, const char *option, const char *text)
{
	(void)option;
	if (thresholds_suppress(field, text))
		exit(EXIT_UNABLE);
}

static void take_suppress_common(void *field, const char *option, const char *text)
{
	(void)option;
	(void)text;
	thresholds_hide(field, COUNTER_RCV_SWITCH_RELAY_ERRORS);
}

static void take_port_guid(void *field, const char *option, const char *text)
{
	struct options *options = field;

	options->port_guid = text;
	options->guid = option_number(option, text, 1, UINT64_MAX);
}

static void take_path(void *field, const char *option, const char *text)
{
	struct options *options = field;
	uint8_t path[MADRING_MAX_HOPS + 1];

	(void)option;
	options->dr_path = text;
	if (madring_route_read(text, path) < 0)
		option_refuse(text, "not a path such as 0,1,3, of at most 63 hops");
}

static void take_shard(void *field, const char *option, const char *text)
{
	if (!shard_parse(field, text))
		option_refuse(option, "takes K/N, with K from 1 to N, and N at most 65536");
}

/* An option for one attribute, which the help calls by its name. */
#define ATTRIBUTE(option, name, attribute)                                                         \
	{ 0, option, NULL, name, OPTION_BITS(attributes, PMA_SET(attribute)) }

static const struct option_entry entries[] = {
	OPTION_HEADING("Errors (the default: the ports with errors, as ibqueryerrors writes them)"),
	{ 0, "data", NULL, "also their data counters", OPTION_FLAG(data) },
	{ 0, "details", NULL, "also the kinds of receive errors and discards",
	  OPTION_FLAG(details) },
	{ 'r', "report-port", NULL, "also what they are connected to", OPTION_FLAG(links) },
	{ 0, "threshold-file", "FILE",
	  "the thresholds of error counters; default: /etc/infiniband-diags/error_thresholds",
	  OPTION_TEXT(threshold_file) },
	{ 's', "suppress", "NAME,...", "leave these counters out",
	  OPTION_BY(take_suppress, thresholds) },
	{ 'c', "suppress-common", NULL, "leave PortRcvSwitchRelayErrors out",
	  OPTION_BY(take_suppress_common, thresholds) },
	{ 0, "skip-sl", NULL, "accepted, and without effect", OPTION_IGNORED },
	{ 'e', "errors", NULL, "accepted, and without effect: errors are always told",
	  OPTION_IGNORED },
	{ 'R', "GNDN", NULL, "accepted, and without effect", OPTION_IGNORED },

	OPTION_HEADING("Other formats"),
	{ 0, "counters", NULL, "data counters of all ports instead",
	  OPTION_BITS(formats, 1u << FORMAT_COUNTERS) },
	{ 0, "json", NULL,
	  "all counters of all ports, as JSON; --details, --lanes and the attributes add more",
	  OPTION_BITS(formats, 1u << FORMAT_JSON) },
	{ 0, "csv", NULL, "the same, as comma-separated values",
	  OPTION_BITS(formats, 1u << FORMAT_CSV) },
	{ 0, "watch", "SECONDS",
	  "collect each SECONDS: the ports whose counters moved, with rates, the worst first; with "
	  "--csv all counters of all ports",
	  OPTION_SECONDS(watch_ns) },

	OPTION_HEADING("Attributes of all ports, as perfquery writes them"),
	ATTRIBUTE("dump", "PortCounters", PMA_COUNTERS),
	ATTRIBUTE("extended", "PortCountersExtended", PMA_EXTENDED),
	ATTRIBUTE("xmtsl", "PortXmitDataSL", PMA_XMIT_DATA_SL),
	ATTRIBUTE("rcvsl", "PortRcvDataSL", PMA_RCV_DATA_SL),
	ATTRIBUTE("xmtdisc", "PortXmitDiscardDetails", PMA_XMIT_DISCARD_DETAILS),
	ATTRIBUTE("rcverr", "PortRcvErrorDetails", PMA_RCV_ERROR_DETAILS),
	ATTRIBUTE("extended_speeds", "PortExtendedSpeedsCounters", PMA_EXTENDED_SPEEDS),
	ATTRIBUTE("oprcvcounters", "PortOpRcvCounters", PMA_OP_RCV_COUNTERS),
	ATTRIBUTE("flowctlcounters", "PortFlowCtlCounters", PMA_FLOW_CTL_COUNTERS),
	ATTRIBUTE("vloppackets", "PortVLOpPackets", PMA_VL_OP_PACKETS),
	ATTRIBUTE("vlopdata", "PortVLOpData", PMA_VL_OP_DATA),
	ATTRIBUTE("vlxmitflowctlerrors", "PortVLXmitFlowCtlUpdateErrors",
		  PMA_VL_XMIT_FLOW_CTL_ERRORS),
	ATTRIBUTE("vlxmitcounters", "PortVLXmitWaitCounters", PMA_VL_XMIT_WAIT),
	ATTRIBUTE("swportvlcong", "SwPortVLCongestion", PMA_SW_PORT_VL_CONGESTION),
	ATTRIBUTE("rcvcc", "PortRcvConCtrl", PMA_RCV_CON_CTRL),
	ATTRIBUTE("slrcvfecn", "PortSLRcvFECN", PMA_SL_RCV_FECN),
	ATTRIBUTE("slrcvbecn", "PortSLRcvBECN", PMA_SL_RCV_BECN),
	ATTRIBUTE("xmitcc", "PortXmitConCtrl", PMA_XMIT_CON_CTRL),
	ATTRIBUTE("vlxmittimecc", "PortVLXmitTimeCong", PMA_VL_XMIT_TIME_CONG),
	{ 0, "lanes", NULL, "all that count by virtual lane or service level",
	  OPTION_BITS(attributes, PMA_SET_LANES) },
	{ 0, "all-attributes", NULL, "all of them", OPTION_BITS(attributes, PMA_SET_ALL) },

	OPTION_HEADING(
		"Selected nodes (default: all; more than one of the first three may be given)"),
	{ 0, "switch", NULL, "the switches", OPTION_BITS(node_types, 1u << MADRING_NODE_SWITCH) },
	{ 0, "ca", NULL, "the channel adapters", OPTION_BITS(node_types, 1u << MADRING_NODE_CA) },
	{ 0, "router", NULL, "the routers", OPTION_BITS(node_types, 1u << MADRING_NODE_ROUTER) },
	{ 'G', "port-guid", "GUID", "the node with a port of this GUID",
	  OPTION_CALL(take_port_guid) },
	{ 'S', "switch-guid", "GUID", "the same, as ibqueryerrors has it",
	  OPTION_CALL(take_port_guid) },
	{ 'D', "Direct", "PATH", "the node at the end of this path, such as 0,1,3",
	  OPTION_CALL(take_path) },
	{ 0, "shard", "K/N", "the K-th of N parts of the nodes, by their GUIDs",
	  OPTION_BY(take_shard, shard) },
	{ 0, "node-name-map", "FILE", "names of nodes by GUID", OPTION_TEXT(node_name_map) },

	OPTION_HEADING("Clearing (default: nothing is cleared)"),
	{ 'k', "clear-errors", NULL, "set the error counters that were read to 0",
	  OPTION_BITS(clear, CLEAR_ERRORS) },
	{ 'K', "clear-counts", NULL, "set the data counters that were read to 0",
	  OPTION_BITS(clear, CLEAR_COUNTS) },
	{ 0, "clear", NULL, "both", OPTION_BITS(clear, CLEAR_ERRORS | CLEAR_COUNTS) },

	OPTION_HEADING("Prometheus"),
	{ 0, "listen", "ADDRESS:PORT",
	  "serve /metrics and /healthz; default of ADDRESS: 127.0.0.1, "
	  "which only this host reaches",
	  OPTION_TEXT(serve.listen) },
	{ 0, "textfile", "FILE", "write the metrics to a file, for node_exporter",
	  OPTION_TEXT(serve.textfile) },
	{ 0, "interval", "SECONDS",
	  "how often to collect; default: at each scrape, or once to a file",
	  OPTION_SECONDS(serve.interval_ns) },

	OPTION_HEADING("Collection"),
	{ 0, "topology", "FILE",
	  "do not discover the fabric, but read it from what madring-sweep --json wrote",
	  OPTION_TEXT(session.topology) },
	{ 'C', "Ca", "NAME", "device; default: the first with an active port",
	  OPTION_TEXT(session.ca_name) },
	{ 'P', "Port", "NUMBER", "its port", OPTION_NUMBER(session.port, 0, 254) },
	{ 'Y', "pkey-idx", "N", "index of the P_Key of the requests for counters; default 0",
	  OPTION_NUMBER(session.pkey_index, 0, UINT16_MAX) },
	{ 't', "timeout", "MS", "each attempt's timeout; default: by the measured round trips",
	  OPTION_NUMBER(session.tuning.timeout_ms, 1, INT_MAX) },
	{ 0, "retries", "N", "attempts after the first, 0 to 254; default 7, within --patience",
	  OPTION_RETRIES(session.tuning.retries) },
	{ 0, "patience", "MS",
	  "how long until a node that does not answer is given up; default 250, and "
	  "900 for the discovery",
	  OPTION_NUMBER(session.tuning.patience_ms, 1, INT_MAX) },
	{ 0, "window", "N", "requests in flight at most; default 4096",
	  OPTION_NUMBER(session.tuning.window, 1, MADRING_MAX_TRANSACTIONS) },
	{ 'o', "outstanding_smps", "N", "the discovery's requests in flight, the same throughout",
	  OPTION_NUMBER(session.outstanding_smps, 1, MADRING_MAX_TRANSACTIONS) },
	{ 0, "gentle", NULL, "let MADs wait in queues on the way for 100 us, instead of 200",
	  OPTION_VALUE(session.tuning.queue_us, GENTLE_QUEUE_US) },
	{ 0, "max-nodes", "N", "leave out nodes beyond the first N; default 131072",
	  OPTION_NUMBER(session.max_nodes, 1, MADRING_SWEEP_MAX_NODES) },
	{ 0, "deadline", "SECONDS",
	  "end each collection then, with what was read; default 600, for Prometheus 60",
	  OPTION_SECONDS(session.deadline_ns) },
	{ 'y', "m_key", "KEY", "M_Key of the discovery's requests",
	  OPTION_BY(mkey_option, session.mkey) },
	{ 0, "keys", "FILE", "M_Keys of nodes by GUID; see madring-keys(5)",
	  OPTION_BY(mkeys_option, session.mkeys) },
	{ 0, "capture", "FILE", "all MADs, for Wireshark", OPTION_TEXT(session.capture) },

	{ 0, "load-cache", "FILE", "here it is --topology", OPTION_LEFT_OUT },
	{ 'z', "config", "FILE", "no configuration file is read: give -C, -P, -t and -y instead",
	  OPTION_LEFT_OUT },
	{ 'v', "verbose", NULL, "--json has everything", OPTION_LEFT_OUT },
	{ 'd', "debug", NULL, "set MADRING_DEBUG, or use --capture", OPTION_LEFT_OUT },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Usage: madring-perf [options]\n"
		 "\n"
		 "Collects the performance counters of all ports of an InfiniBand fabric.\n",
	.notes = "Exit status: 0 all is well; 1 a port has errors beyond a threshold; 2 nothing\n"
		 "could be done; 3 not all could be read, and standard error tells what is\n"
		 "missing; 4 both 1 and 3.\n",
	.entries = entries,
};

static enum format choose_format(const struct options *options)
{
	if (options->formats & (options->formats - 1))
		option_refuse("--counters, --json and --csv", "one at a time");
	if (options->formats)
		return (enum format)__builtin_ctz(options->formats);
	return options->attributes ? FORMAT_DUMP : FORMAT_ERRORS;
}

/* Refuses options that do not go together. */
static void check_options(const struct options *options)
{
	if (options->attributes && options->format == FORMAT_COUNTERS)
		option_refuse("--counters and what perfquery writes", "one at a time");
	if (options->port_guid && options->dr_path)
		option_refuse("--port-guid and --Direct", "one at a time");
	if (options->session.mkey && options->session.mkeys)
		option_refuse("--m_key and --keys", "one at a time");
	if (options->watch_ns) {
		if (is_monitoring(options))
			option_refuse("--watch", "does not go with --listen and --textfile");
		if (options->clear)
			option_refuse("--watch",
				      "does not go with --clear-errors and --clear-counts");
		if (options->format != FORMAT_CSV && options->format != FORMAT_ERRORS)
			option_refuse("--watch", "goes with --csv, and with no other format");
	}
	if (is_monitoring(options)) {
		if (options->formats)
			option_refuse("--counters, --json and --csv",
				      "do not go with --listen and --textfile");
		/* Prometheus computes rates from counters that only grow. */
		if (options->clear)
			option_refuse("--clear-errors, --clear-counts",
				      "do not go with --listen and --textfile");
	} else if (options->serve.interval_ns) {
		option_refuse("--interval", "goes with --listen or --textfile");
	}
}

void options_read(struct options *options, int argc, char *argv[])
{
	int first;

	*options = (struct options){ .serve.limits.idle_seconds = CLIENT_IDLE_SECONDS };
	first = option_table_read(&table, options, madring_version(), argc, argv);
	if (first < argc)
		option_refuse(argv[first], "no such argument");
	options->format = choose_format(options);
	check_options(options);
	if (!options->session.deadline_ns)
		options->session.deadline_ns =
			is_monitoring(options) ? SCRAPE_DEADLINE_NS : DISCOVER_DEADLINE_NS;
}
