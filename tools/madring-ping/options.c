/* SPDX-License-Identifier: BSD-2-Clause */
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <madring.h>

#include "discovery/run.h"
#include "options.h"
#include "quantity.h"

#define SECOND_NS	   1000000000u
#define DEFAULT_TIMEOUT_MS 1000
#define DEFAULT_RAMP_MHZ   1000000u /* a ramp begins at 1,000 a second */

enum {
	OPTION_RAMP = 256,
	OPTION_STEP,
	OPTION_RETRIES,
	OPTION_SQPOLL,
	OPTION_REPORT,
	OPTION_EACH,
	OPTION_JSON,
	OPTION_HISTOGRAM,
	OPTION_PLOT,
	OPTION_CAPTURE,
	OPTION_DIRECTED,
	OPTION_DEADLINE,
	OPTION_MAX_NODES,
	OPTION_GID_INDEX,
};

static const struct option long_options[] = {
	{ "kind", required_argument, NULL, 'k' },
	{ "all", no_argument, NULL, 'a' },
	{ "file", required_argument, NULL, 'f' },
	{ "directed", no_argument, NULL, OPTION_DIRECTED },
	{ "max-nodes", required_argument, NULL, OPTION_MAX_NODES },
	{ "deadline", required_argument, NULL, OPTION_DEADLINE },
	{ "interval", required_argument, NULL, 'i' },
	{ "in-flight", required_argument, NULL, 'n' },
	{ "rate", required_argument, NULL, 'r' },
	{ "ramp", required_argument, NULL, OPTION_RAMP },
	{ "step", required_argument, NULL, OPTION_STEP },
	{ "count", required_argument, NULL, 'c' },
	{ "duration", required_argument, NULL, 'w' },
	{ "timeout", required_argument, NULL, 't' },
	{ "retries", required_argument, NULL, OPTION_RETRIES },
	{ "sqpoll", required_argument, NULL, OPTION_SQPOLL },
	{ "report", required_argument, NULL, OPTION_REPORT },
	{ "quiet", no_argument, NULL, 'q' },
	{ "each", no_argument, NULL, OPTION_EACH },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "histogram", required_argument, NULL, OPTION_HISTOGRAM },
	{ "plot", required_argument, NULL, OPTION_PLOT },
	{ "capture", required_argument, NULL, OPTION_CAPTURE },
	{ "server", no_argument, NULL, 'S' },
	{ "oui", required_argument, NULL, 'o' },
	{ "gid-index", required_argument, NULL, OPTION_GID_INDEX },
	{ "Ca", required_argument, NULL, 'C' },
	{ "Port", required_argument, NULL, 'P' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 },
};

static const char short_options[] = ":k:af:i:n:r:c:w:t:qSo:C:P:hV";

static const char help[] =
	"Usage: madring-ping [options] target ...\n"
	"       madring-ping [options] --all\n"
	"       madring-ping --server [-o OUI] [-C NAME] [-P NUMBER]\n"
	"\n"
	"Measures how long InfiniBand nodes take to answer, and how many answers are lost.\n"
	"A target is a LID (5, 0x1f), a GUID (0x and more than four digits), a GID (fe80::1),\n"
	"or a directed route (0,1,2).\n"
	"\n"
	"Who is asked, and for what:\n"
	"  -a, --all              every node of the fabric\n"
	"      --directed         with --all: by directed routes\n"
	"      --max-nodes N      of the discovery, too: what is beyond N nodes is left out; "
	"default\n"
	"                         131072\n"
	"      --deadline TIME    of the discovery of the fabric, where there is one: then go on\n"
	"                         with what was found; default 10min\n"
	"  -f, --file FILE        the targets in FILE, too; -: standard input\n"
	"  -k, --kind KIND        smp (NodeInfo; the default), pma, sa (their ClassPortInfo),\n"
	"                         ibping (where ibping -S, or madring-ping --server, runs)\n"
	"  -o, --oui NUMBER       of kind ibping; default 0x1405\n"
	"\n"
	"How (one of these; without any: -i 1):\n"
	"  -i, --interval TIME    one request, and the next one after TIME\n"
	"  -n, --in-flight N      N requests in flight: each answer lets the next one go\n"
	"  -r, --rate RATE        RATE requests a second, whatever is answered; delays count from\n"
	"                         when each request should have been sent\n"
	"      --ramp loss=P|p99=TIME\n"
	"                         find the highest rate at which no more than P percent are lost,\n"
	"                         or 99 percent are answered in TIME; -r: the first rate tried\n"
	"      --step TIME        of a ramp: for each rate; default 2 s\n"
	"\n"
	"  -c, --count N          stop after N requests\n"
	"  -w, --duration TIME    stop after TIME\n"
	"  -t, --timeout MS       wait so long for an answer; default 1000\n"
	"      --retries N        attempts after the first, 0 to 254; default 0\n"
	"      --sqpoll MS        a thread of the kernel's submits (SQPOLL), and sleeps after MS\n"
	"                         without work\n"
	"\n"
	"What is written:\n"
	"  -q, --quiet            the summary only\n"
	"      --report TIME      a line each TIME; default 1 s\n"
	"      --each             in the summary, a line for each target\n"
	"      --json             everything, as JSON\n"
	"      --histogram FILE   the delays, as HdrHistogram's text of percentiles\n"
	"      --plot FILE        the same as a picture (SVG)\n"
	"      --capture FILE     all MADs, for Wireshark\n"
	"\n"
	"  -S, --server           answer ibping and madring-ping\n"
	"  -C, --Ca NAME          device; default: the first with an active port\n"
	"  -P, --Port NUMBER      its port\n"
	"      --gid-index N      of the own GID, for targets with a GRH; default 0\n"
	"  -h, --help             this text\n"
	"  -V, --version          the version\n"
	"\n"
	"TIME: seconds, or a number with ns, us, ms, s or min. RATE: k and M may stand behind it.\n"
	"\n"
	"Exit status: 0 something answered; 1 nothing did; 2 it could not be done.\n";

/* More than none. */
static uint64_t time_ns(const char *option)
{
	uint64_t ns;

	if (!quantity_time(optarg, &ns) || !ns)
		argument_refuse(option, "takes a time, such as 0.5, 20ms or 2min");
	return ns;
}

static uint64_t rate_mhz(void)
{
	uint64_t mhz;

	if (!quantity_rate(optarg, &mhz))
		argument_refuse("--rate", "takes requests a second, 0.001 to 100M");
	return mhz;
}

static void take_ramp(struct options *options)
{
	if (!strncmp(optarg, "loss=", 5) && quantity_percent(optarg + 5, &options->max_loss))
		return;
	if (!strncmp(optarg, "p99=", 4) && quantity_time(optarg + 4, &options->max_p99_ns) &&
	    options->max_p99_ns)
		return;
	argument_refuse("--ramp", "takes loss= and a percentage, or p99= and a time");
}

/* The modes that were asked for, as bits. A rate is also where a ramp begins. */
static void choose_mode(struct options *options, unsigned int modes)
{
	if (modes == (1u << MODE_OPEN | 1u << MODE_RAMP))
		modes = 1u << MODE_RAMP;
	if (modes & (modes - 1))
		argument_refuse("--interval, --in-flight, --rate and --ramp", "one at a time");
	if (modes)
		options->mode = (enum mode)__builtin_ctz(modes);
}

static void take_manner(struct options *options, int option, unsigned int *modes)
{
	switch (option) {
	case 'i':
		*modes |= 1u << MODE_INTERVAL;
		options->interval_ns = time_ns("--interval");
		break;
	case 'n':
		*modes |= 1u << MODE_CLOSED;
		options->in_flight = (uint32_t)argument_number("--in-flight", optarg, 1,
							       MADRING_MAX_TRANSACTIONS / 2);
		break;
	case 'r':
		*modes |= 1u << MODE_OPEN;
		options->rate_mhz = rate_mhz();
		break;
	case OPTION_RAMP:
		*modes |= 1u << MODE_RAMP;
		take_ramp(options);
		break;
	case OPTION_STEP:
		options->step_ns = time_ns("--step");
		break;
	case 'c':
		options->count = argument_number("--count", optarg, 1, UINT64_MAX);
		break;
	case 'w':
		options->duration_ns = time_ns("--duration");
		break;
	case 't':
		options->timeout_ms = (int)argument_number("--timeout", optarg, 1, INT_MAX);
		break;
	case OPTION_RETRIES:
		options->retries = argument_retries(optarg);
		break;
	case OPTION_SQPOLL:
		options->sqpoll_idle_ms =
			(uint32_t)argument_number("--sqpoll", optarg, 1, MADRING_MAX_SQPOLL_MS);
		break;
	}
}

static void take_who(struct options *options, int option)
{
	switch (option) {
	case 'k':
		if (!kind_find(optarg, &options->kind))
			argument_refuse("--kind", "takes smp, pma, sa or ibping");
		break;
	case 'a':
		options->all = true;
		break;
	case OPTION_DIRECTED:
		options->directed = true;
		break;
	case OPTION_MAX_NODES:
		options->max_nodes = argument_number("--max-nodes", optarg, 1, FABRIC_MAX_NODES);
		break;
	case OPTION_DEADLINE:
		options->deadline_ns = time_ns("--deadline");
		break;
	case 'f':
		if (targets_read_file(&options->targets, optarg))
			exit(EXIT_UNABLE);
		break;
	case 'o':
		options->oui = (uint32_t)argument_number("--oui", optarg, 0, 0xffffff);
		break;
	case 'S':
		options->server = true;
		break;
	case 'C':
		options->ca_name = optarg;
		break;
	case 'P':
		options->port = (int)argument_number("--Port", optarg, 0, 254);
		break;
	case OPTION_GID_INDEX:
		options->gid_index = (uint8_t)argument_number("--gid-index", optarg, 0, UINT8_MAX);
		break;
	}
}

static void take_output(struct options *options, int option)
{
	switch (option) {
	case 'q':
		options->quiet = true;
		break;
	case OPTION_REPORT:
		options->report_ns = time_ns("--report");
		break;
	case OPTION_EACH:
		options->each = true;
		break;
	case OPTION_JSON:
		options->json = true;
		break;
	case OPTION_HISTOGRAM:
		options->histogram = optarg;
		break;
	case OPTION_PLOT:
		options->plot = optarg;
		break;
	case OPTION_CAPTURE:
		options->capture = optarg;
		break;
	}
}

static void take_option(struct options *options, int option, const char *word, unsigned int *modes)
{
	argument_usual(option, word, help);
	take_who(options, option);
	take_manner(options, option, modes);
	take_output(options, option);
}

static void take_target(struct options *options, const char *text)
{
	struct target target;
	const char *wrong = target_read(&target, text);

	if (wrong)
		argument_refuse(text, wrong);
	targets_add(&options->targets, &target);
}

static bool needs_target(const struct options *options)
{
	return !options->server && !options->all && !options->targets.count &&
	       options->kind != KIND_SA;
}

/* What does not go together. */
static void check(const struct options *options, unsigned int modes)
{
	if (options->server && (options->targets.count || options->all || modes))
		argument_refuse("--server", "it asks nobody: no target, and no mode");
	if (options->server && options->sqpoll_idle_ms)
		argument_refuse("--sqpoll", "not with --server");
	if (options->all && options->targets.count)
		argument_refuse("--all", "no target beside it");
	if (options->directed && (!options->all || options->kind != KIND_SMP))
		argument_refuse("--directed", "only with --all, and kind smp");
	if (options->mode == MODE_RAMP && (options->count || options->duration_ns))
		argument_refuse("--ramp", "it ends by itself: no --count, no --duration");
	if (options->max_p99_ns && options->max_loss >= 0)
		argument_refuse("--ramp", "loss= or p99=, not both");
	if (options->max_p99_ns >= (uint64_t)options->timeout_ms * 1000000u)
		argument_refuse("--ramp", "the p99 has to be less than the timeout");
	if (needs_target(options))
		argument_refuse("target", "none is named, and there is no --all");
}

void options_read(struct options *options, int argc, char *argv[])
{
	unsigned int modes = 0;
	int option;

	*options = (struct options){
		.oui = IBPING_OUI,
		.interval_ns = SECOND_NS,
		.rate_mhz = DEFAULT_RAMP_MHZ,
		.max_loss = -1,
		.step_ns = (uint64_t)2 * SECOND_NS,
		.timeout_ms = DEFAULT_TIMEOUT_MS,
		.retries = MADRING_NO_RETRIES,
		.report_ns = SECOND_NS,
		.deadline_ns = DISCOVERY_DEADLINE_NS,
		.max_nodes = FABRIC_MAX_NODES,
	};
	while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1)
		take_option(options, option, argv[optind - 1], &modes);
	for (int i = optind; i < argc; i++)
		take_target(options, argv[i]);
	choose_mode(options, modes);
	check(options, modes);
}

void options_free(struct options *options)
{
	targets_free(&options->targets);
}
