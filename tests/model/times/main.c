/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "bounds.h"
#include "cases.h"
#include "play_case.h"
#include "report.h"

#define WRONG_USE     2
#define MOST_SETTINGS 32
#define MOST_NAMES    64

static const char *settings[MOST_SETTINGS], *names[MOST_NAMES];
static size_t name_count;
static const char *shape, *profile;
static const char *bounds;
static bool is_json, is_update;
static bool is_kept = true; /* the bounds are kept */
static struct times_changes changes = {
	.setting = settings,
	.turn_ns = 2000,
	.mad_ns = 1500,
};

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: %s [options]\n"
		"\n"
		"Plays fixed cases of sweeps and collections in virtual time, and tells their "
		"times.\n"
		"\n"
		"  -c, --case NAME        play this case; it may be given several times\n"
		"  -l, --list             list the cases\n"
		"  -j, --json             write JSON\n"
		"  -t, --trace[=US]       write a line every so many us (500) to standard error\n"
		"  -s, --seed N           the seed; without it a case that depends on chance "
		"plays\n"
		"                         several, and tells the mean and the worst time\n"
		"  -n, --seeds COUNT      play so many seeds\n"
		"  -S, --shape SHAPE      play the cases on another topology\n"
		"  -p, --profile NAME     the model's profile: modelled or ideal\n"
		"  -x, --set NAME=VALUE   set a number of the model: ns, MADs, or 0 to 1\n"
		"  -w, --window N         pin the window of the sweep\n"
		"  -T, --turn-time NS     the program's own time in a turn (2000)\n"
		"  -M, --mad-time NS      and for a MAD that it writes or reads (1500)\n"
		"  -b, --bounds FILE      hold the results to the bounds of FILE\n"
		"  -u, --update           write such a file\n"
		"  -h, --help             show this help\n"
		"\n"
		"Exit status: 0; 1 if a bound was not kept; 2 for a wrong use.\n",
		program_invocation_short_name);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (!errno && end != text && !*end && *text != '-')
		return value;
	fprintf(stderr, "%s: not a number: %s\n", program_invocation_short_name, text);
	exit(WRONG_USE);
}

static void add(const char **list, size_t *count, size_t room, const char *text)
{
	if (*count == room) {
		fprintf(stderr, "%s: too many: %s\n", program_invocation_short_name, text);
		exit(WRONG_USE);
	}
	list[(*count)++] = text;
}

static void list_cases(void)
{
	for (size_t i = 0; i < times_case_count; i++)
		printf("%-20s %s: %s, %s%s\n", times_cases[i].name, times_cases[i].about,
		       times_cases[i].shape, times_cases[i].profile,
		       times_cases[i].is_long ? " (only when named)" : "");
}

static void take_option(int option)
{
	switch (option) {
	case 'c':
		add(names, &name_count, MOST_NAMES, optarg);
		break;
	case 'l':
		list_cases();
		exit(0);
	case 'j':
		is_json = true;
		break;
	case 't':
		changes.trace_ns = (optarg ? number(optarg) : 500) * 1000;
		break;
	case 's':
		changes.seed = number(optarg);
		break;
	case 'n':
		changes.seeds = (unsigned int)number(optarg);
		break;
	case 'S':
		shape = optarg;
		break;
	case 'p':
		profile = optarg;
		break;
	case 'x':
		add(settings, &changes.setting_count, MOST_SETTINGS, optarg);
		break;
	case 'w':
		changes.window = (uint32_t)number(optarg);
		break;
	case 'T':
		changes.turn_ns = number(optarg);
		break;
	case 'M':
		changes.mad_ns = number(optarg);
		break;
	case 'b':
		bounds = optarg;
		break;
	case 'u':
		is_update = true;
		break;
	case 'h':
		usage(stdout);
		exit(0);
	default:
		usage(stderr);
		exit(WRONG_USE);
	}
}

static void read_options(int argc, char **argv)
{
	static const struct option options[] = {
		{ "case", required_argument, NULL, 'c' },
		{ "list", no_argument, NULL, 'l' },
		{ "json", no_argument, NULL, 'j' },
		{ "trace", optional_argument, NULL, 't' },
		{ "seed", required_argument, NULL, 's' },
		{ "seeds", required_argument, NULL, 'n' },
		{ "shape", required_argument, NULL, 'S' },
		{ "profile", required_argument, NULL, 'p' },
		{ "set", required_argument, NULL, 'x' },
		{ "window", required_argument, NULL, 'w' },
		{ "turn-time", required_argument, NULL, 'T' },
		{ "mad-time", required_argument, NULL, 'M' },
		{ "bounds", required_argument, NULL, 'b' },
		{ "update", no_argument, NULL, 'u' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "c:ljt::s:n:S:p:x:w:T:M:b:uh", options, NULL)) !=
	       -1)
		take_option(option);
	if (optind == argc)
		return;
	usage(stderr);
	exit(WRONG_USE);
}

static void play(const struct times_case *what)
{
	struct times_case changed = *what;
	struct times_result result;

	if (shape)
		changed.shape = shape;
	if (profile)
		changed.profile = profile;
	play_case(&changed, &changes, &result);
	if (is_update)
		bounds_write(&changed, &result);
	else
		report_case(&changed, &result);
	if (bounds)
		is_kept &= bounds_hold(&changed, &result);
}

static void play_named(const char *name)
{
	const struct times_case *what = case_find(name);

	if (what) {
		play(what);
		return;
	}
	fprintf(stderr, "%s: no case is named %s; see --list\n", program_invocation_short_name,
		name);
	exit(WRONG_USE);
}

int main(int argc, char **argv)
{
	read_options(argc, argv);
	if (!changes.seeds && (changes.seed || changes.trace_ns))
		changes.seeds = 1;
	if (!changes.seed)
		changes.seed = 1;
	if (bounds)
		bounds_read(bounds);
	if (is_update)
		bounds_write_title();
	else
		report_begin(is_json);
	for (size_t i = 0; i < name_count; i++)
		play_named(names[i]);
	for (size_t i = 0; !name_count && i < times_case_count; i++)
		if (!times_cases[i].is_long)
			play(&times_cases[i]);
	if (!is_update)
		report_end();
	return is_kept ? 0 : 1;
}
