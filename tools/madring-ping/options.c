/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <madring.h>

#include "common/local.h"
#include "common/mkeys.h"
#include "common/option_table.h"
#include "common/discover.h"
#include "options.h"
#include "quantity.h"

#define OPTION_STRUCT struct options

#define SECOND_NS	   1000000000u
#define DEFAULT_TIMEOUT_MS 1000
#define DEFAULT_RAMP_MHZ   1000000u /* a ramp begins at 1,000 a second */

/* Reads a time that is longer than 0. */
static void take_time(void *field, const char *option, const char *text)
{
	uint64_t *ns = field;

	if (!quantity_time(text, ns) || !*ns)
		option_refuse(option, "takes a time, such as 0.5, 20ms or 2min");
}

static void take_rate(void *field, const char *option, const char *text)
{
	if (!quantity_rate(text, field))
		option_refuse(option, "takes requests a second, 0.001 to 100M");
}

static void take_ramp(void *field, const char *option, const char *text)
{
	struct options *options = field;

	if (!strncmp(text, "loss=", 5) && quantity_percent(text + 5, &options->max_loss))
		return;
	if (!strncmp(text, "p99=", 4) && quantity_time(text + 4, &options->max_p99_ns) &&
	    options->max_p99_ns)
		return;
	option_refuse(option, "takes loss= and a percentage, or p99= and a time");
}

static void take_kind(void *field, const char *option, const char *text)
{
	if (!kind_find(text, field))
		option_refuse(option, "takes smp, pma, sa or ibping");
}

static void take_targets_file(void *field, const char *option, const char *text)
{
	(void)option;
	if (targets_read_file(field, text))
		exit(EXIT_UNABLE);
}

static const struct option_entry entries[] = {
	OPTION_HEADING("Targets and requests"),
	{ 'a', "all", NULL, "every node of the fabric", OPTION_FLAG(all) },
	{ 0, "directed", NULL, "with --all: by directed routes", OPTION_FLAG(directed) },
	{ 0, "max-nodes", "N",
	  "where the fabric is discovered: leave out nodes beyond the first N; default 131072",
	  OPTION_NUMBER(max_nodes, 1, MADRING_SWEEP_MAX_NODES) },
	{ 0, "deadline", "TIME",
	  "where the fabric is discovered: end that then, and go on with what was found; "
	  "default 10min",
	  OPTION_BY(take_time, deadline_ns) },
	{ 0, "patience", "MS",
	  "where the fabric is discovered: how long until a node that does not answer is given "
	  "up; default 900",
	  OPTION_NUMBER(tuning.patience_ms, 1, INT_MAX) },
	{ 0, "gentle", NULL,
	  "where the fabric is discovered: let its MADs wait in queues on the way for 100 us, "
	  "instead of 200",
	  OPTION_VALUE(tuning.queue_us, GENTLE_QUEUE_US) },
	{ 'f', "file", "FILE", "the targets in FILE, too; -: standard input",
	  OPTION_BY(take_targets_file, targets) },
	{ 'k', "kind", "KIND",
	  "smp (NodeInfo; the default), pma, sa (their ClassPortInfo), ibping (where ibping -S, "
	  "or madring-ping --server, runs)",
	  OPTION_BY(take_kind, kind) },
	{ 'o', "oui", "NUMBER", "the OUI of kind ibping; default 0x1405",
	  OPTION_NUMBER(oui, 0, 0xffffff) },

	OPTION_HEADING("Load (one of the first four, --rate also with --ramp; default: -i 1)"),
	{ 'i', "interval", "TIME", "send one request every TIME",
	  OPTION_BY(take_time, interval_ns) },
	{ 'n', "in-flight", "N", "N requests in flight: each reply lets the next one go",
	  OPTION_NUMBER(in_flight, 1, MADRING_MAX_TRANSACTIONS / 2) },
	{ 'r', "rate", "RATE",
	  "RATE requests a second, whatever is answered; delays count from when each request "
	  "should have been sent",
	  OPTION_BY(take_rate, rate_mhz) },
	{ 0, "ramp", "loss=P|p99=TIME",
	  "find the highest rate at which no more than P percent are lost, or 99 percent are "
	  "answered in TIME; -r: the first rate tried",
	  OPTION_CALL(take_ramp) },
	{ 0, "step", "TIME", "how long a ramp tries each rate; default 2s",
	  OPTION_BY(take_time, step_ns) },

	OPTION_HEADING("Limits"),
	{ 'c', "count", "N", "stop after N requests", OPTION_NUMBER(count, 1, UINT64_MAX) },
	{ 'w', "duration", "TIME", "stop after TIME", OPTION_BY(take_time, duration_ns) },
	{ 't', "timeout", "MS", "how long to wait for a reply; default 1000",
	  OPTION_NUMBER(timeout_ms, 1, INT_MAX) },
	{ 0, "retries", "N", "attempts after the first, 0 to 254; default 0",
	  OPTION_RETRIES(retries) },

	OPTION_HEADING("Output"),
	{ 'q', "quiet", NULL, "the summary only", OPTION_FLAG(quiet) },
	{ 0, "report", "TIME", "a line each TIME; default 1s", OPTION_BY(take_time, report_ns) },
	{ 0, "each", NULL, "in the summary, a line for each target", OPTION_FLAG(each) },
	{ 0, "json", NULL, "everything, as JSON", OPTION_FLAG(json) },
	{ 0, "histogram", "FILE", "the delays, as HdrHistogram's text of percentiles",
	  OPTION_TEXT(histogram) },
	{ 0, "plot", "FILE", "the delays, as a picture (SVG)", OPTION_TEXT(plot) },
	{ 0, "capture", "FILE", "all MADs, for Wireshark", OPTION_TEXT(capture) },

	OPTION_HEADING("Server and device"),
	{ 'S', "server", NULL, "answer ibping and madring-ping", OPTION_FLAG(server) },
	{ 0, "doctor", NULL,
	  "ask the first node and the subnet manager: say what this host can carry, and what to do "
	  "about what is wrong",
	  OPTION_FLAG(doctor) },
	{ 'C', "Ca", "NAME", "device; default: the first with an active port",
	  OPTION_TEXT(ca_name) },
	{ 'P', "Port", "NUMBER", "its port", OPTION_NUMBER(port, 0, 254) },
	{ 'Y', "pkey-idx", "N", "index of the P_Key of all but SMPs; default 0",
	  OPTION_NUMBER(pkey_index, 0, UINT16_MAX) },
	{ 0, "keys", "FILE", "M_Keys of nodes by GUID, for SMPs; see madring-keys(5)",
	  OPTION_BY(mkeys_option, mkeys) },
	{ 0, "gid-index", "N", "index of the own GID, for targets with a GRH; default 0",
	  OPTION_NUMBER(gid_index, 0, UINT8_MAX) },
	{ 0, "sqpoll", "MS",
	  "have a kernel thread submit (SQPOLL), which sleeps after MS without work",
	  OPTION_NUMBER(sqpoll_idle_ms, 1, MADRING_MAX_SQPOLL_MS) },

	OPTION_HEADING("Those of ibping"),
	{ 0, "flood", NULL, "as -n 1; here -f is --file", OPTION_VALUE(in_flight, 1) },
	{ 0, "Server", NULL, "as --server", OPTION_FLAG(server) },
	{ 'G', "Guid", NULL, "the targets are GUIDs, however short", OPTION_FLAG(guids) },
	{ 's', "sm_port", "LID", "ask the subnet administration at this LID",
	  OPTION_NUMBER(sm_lid, 1, TARGET_LAST_LID) },
	{ 'L', "Lid", NULL, "accepted, and without effect", OPTION_IGNORED },
	{ 'e', "errors", NULL, "accepted, and without effect", OPTION_IGNORED },
	{ 'v', "verbose", NULL, "accepted, and without effect", OPTION_IGNORED },
	{ 'd', "debug", NULL, "set MADRING_DEBUG, or use --capture", OPTION_LEFT_OUT },
	{ 'z', "config", "FILE", "there is no such file", OPTION_LEFT_OUT },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Usage: madring-ping [options] target ...\n"
		 "       madring-ping [options] --all\n"
		 "       madring-ping --server [-o OUI] [-C NAME] [-P NUMBER]\n"
		 "       madring-ping --doctor [--json] [--keys FILE] [-C NAME] [-P NUMBER]\n"
		 "\n"
		 "Measures how long InfiniBand nodes take to answer, and how many replies are\n"
		 "lost. A target is a LID (5, 0x1f), a GUID (0x and more than four digits), a\n"
		 "GID (fe80::1), or a directed route (0,1,2).\n",
	.notes = "TIME: seconds, or a number with ns, us, ms, s or min. RATE: a number a second,\n"
		 "which k or M may follow.\n"
		 "\n"
		 "Exit status: 0 each target answered; 1 none did; 2 it could not be done; 3 some\n"
		 "did not, or ceased to.\n"
		 "Of --doctor: 0 no problems; 1 problems.\n",
	.entries = entries,
};

static bool is_ramp(const struct options *options)
{
	return options->max_loss >= 0 || options->max_p99_ns;
}

/* Refuses options that do not go together. An option of a mode that was not given is still 0. */
static void check_options(const struct options *options)
{
	bool ramp = is_ramp(options), rate = options->rate_mhz;
	int modes = !!options->interval_ns + !!options->in_flight + (ramp || rate);

	if (modes > 1)
		option_refuse("--interval, --in-flight, --rate and --ramp", "one at a time");
	if (options->server && (options->targets.count || options->all || modes))
		option_refuse("--server", "it asks nobody: no target, and no mode");
	if (options->doctor && (options->server || options->targets.count || options->all || modes))
		option_refuse("--doctor", "no target beside it, no mode, and no --server");
	if (options->server && options->sqpoll_idle_ms)
		option_refuse("--sqpoll", "not with --server");
	if (options->all && options->targets.count)
		option_refuse("--all", "no target beside it");
	if (options->directed && (!options->all || options->kind != KIND_SMP))
		option_refuse("--directed", "only with --all, and kind smp");
	if (ramp && (options->count || options->duration_ns))
		option_refuse("--ramp", "it ends by itself: no --count, no --duration");
	if (options->max_p99_ns && options->max_loss >= 0)
		option_refuse("--ramp", "loss= or p99=, not both");
	if (options->max_p99_ns >= (uint64_t)options->timeout_ms * 1000000u)
		option_refuse("--ramp", "the p99 has to be less than the timeout");
	if (!options->server && !options->doctor && !options->all && !options->targets.count &&
	    options->kind != KIND_SA)
		option_refuse("target", "none is named, and there is no --all");
}

/* Chooses how requests are paced. A rate is also where a ramp begins. */
static void choose_mode(struct options *options)
{
	if (is_ramp(options))
		options->mode = MODE_RAMP;
	else if (options->rate_mhz)
		options->mode = MODE_OPEN;
	else if (options->in_flight)
		options->mode = MODE_CLOSED;
	if (!options->interval_ns)
		options->interval_ns = SECOND_NS;
	if (!options->rate_mhz)
		options->rate_mhz = DEFAULT_RAMP_MHZ;
}

static void take_target(struct options *options, const char *text)
{
	struct target target;
	const char *wrong =
		options->guids ? target_read_guid(&target, text) : target_read(&target, text);

	if (wrong)
		option_refuse(text, wrong);
	targets_add(&options->targets, &target);
}

void options_read(struct options *options, int argc, char *argv[])
{
	*options = (struct options){
		.oui = IBPING_OUI,
		.max_loss = -1,
		.step_ns = (uint64_t)2 * SECOND_NS,
		.timeout_ms = DEFAULT_TIMEOUT_MS,
		.retries = MADRING_NO_RETRIES,
		.report_ns = SECOND_NS,
		.deadline_ns = DISCOVER_DEADLINE_NS,
		.max_nodes = MADRING_SWEEP_MAX_NODES,
	};
	for (int i = option_table_read(&table, options, madring_version(), argc, argv); i < argc;
	     i++)
		take_target(options, argv[i]);
	check_options(options);
	choose_mode(options);
}

void options_free(struct options *options)
{
	targets_free(&options->targets);
	mkeys_free(options->mkeys);
}
