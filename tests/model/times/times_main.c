/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "bounds.h"
#include "common/option_table.h"
#include "cases.h"
#include "play_case.h"
#include "times_report.h"

#define MOST_SETTINGS 32
#define MOST_NAMES    64

static const char *settings[MOST_SETTINGS], *names[MOST_NAMES];
static size_t name_count;
static bool is_kept = true; /* the bounds are kept */

#define OPTION_STRUCT struct options

static struct options {
	const char *shape, *profile, *bounds;
	bool is_json, is_update;
	struct times_changes changes;
} options = {
	.changes = { .setting = settings, .turn_ns = 2000, .mad_ns = 1500 },
};

static void add(const char **list, size_t *count, size_t room, const char *text)
{
	if (*count == room)
		option_refuse(text, "one too many");
	list[(*count)++] = text;
}

static void add_case(void *field, const char *option, const char *text)
{
	(void)field;
	(void)option;
	add(names, &name_count, MOST_NAMES, text);
}

static void add_setting(void *field, const char *option, const char *text)
{
	(void)field;
	(void)option;
	add(settings, &options.changes.setting_count, MOST_SETTINGS, text);
}

static void take_trace(void *trace_ns, const char *option, const char *text)
{
	*(uint64_t *)trace_ns = (text ? option_number(option, text, 1, UINT32_MAX) : 500) * 1000;
}

static void list_cases(void *field, const char *option, const char *text)
{
	(void)field;
	(void)option;
	(void)text;
	for (size_t i = 0; i < times_case_count; i++)
		printf("%-20s %s: %s, %s%s\n", times_cases[i].name, times_cases[i].about,
		       times_cases[i].shape, times_cases[i].profile,
		       times_cases[i].is_long ? " (only when named)" : "");
	exit(0);
}

static const struct option_entry entries[] = {
	{ 'c', "case", "NAME", "play this case; it may be given several times",
	  OPTION_CALL(add_case) },
	{ 'l', "list", NULL, "list the cases", OPTION_CALL(list_cases) },
	{ 'j', "json", NULL, "write JSON", OPTION_FLAG(is_json) },
	{ 't', "trace", "[=US]", "write a line every so many us, 500, to standard error",
	  OPTION_BY(take_trace, changes.trace_ns) },
	{ 's', "seed", "N",
	  "the seed; without it a case that depends on chance plays several, and tells the mean "
	  "and "
	  "the worst time",
	  OPTION_NUMBER(changes.seed, 0, UINT64_MAX) },
	{ 'n', "seeds", "COUNT", "play so many seeds",
	  OPTION_NUMBER(changes.seeds, 0, UINT32_MAX) },
	{ 'S', "shape", "SHAPE", "play the cases on another topology", OPTION_TEXT(shape) },
	{ 'p', "profile", "NAME", "the model's profile: modelled or ideal", OPTION_TEXT(profile) },
	{ 'x', "set", "NAME=VALUE", "set a number of the model: ns, MADs, or 0 to 1",
	  OPTION_CALL(add_setting) },
	{ 'w', "window", "N", "pin the window of the sweep",
	  OPTION_NUMBER(changes.window, 0, UINT32_MAX) },
	{ 'T', "turn-time", "NS", "the program's own time in a turn; default 2000",
	  OPTION_NUMBER(changes.turn_ns, 0, UINT64_MAX) },
	{ 'M', "mad-time", "NS", "and for a MAD that it writes or reads; default 1500",
	  OPTION_NUMBER(changes.mad_ns, 0, UINT64_MAX) },
	{ 'b', "bounds", "FILE", "hold the results to the bounds of FILE", OPTION_TEXT(bounds) },
	{ 'u', "update", NULL, "write such a file", OPTION_FLAG(is_update) },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Plays fixed cases of sweeps and collections in virtual time, and tells their "
		 "times.\n",
	.notes = "Exit status: 0; 1 if a bound was not kept; 2 for a wrong use.\n",
	.entries = entries,
};

static void play(const struct times_case *what)
{
	struct times_case changed = *what;
	struct times_result result;

	if (options.shape)
		changed.shape = options.shape;
	if (options.profile)
		changed.profile = options.profile;
	play_case(&changed, &options.changes, &result);
	if (options.is_update)
		bounds_write(&changed, &result);
	else
		report_case(&changed, &result);
	if (options.bounds)
		is_kept &= bounds_hold(&changed, &result);
}

static void play_named(const char *name)
{
	const struct times_case *what = case_find(name);

	if (!what)
		option_refuse(name, "no case has this name, see --list");
	play(what);
}

int main(int argc, char **argv)
{
	int first = option_table_read(&table, &options, "", argc, argv);

	if (first < argc)
		option_refuse(argv[first], "an argument too many");
	if (!options.changes.seeds && (options.changes.seed || options.changes.trace_ns))
		options.changes.seeds = 1;
	if (!options.changes.seed)
		options.changes.seed = 1;
	if (options.bounds)
		bounds_read(options.bounds);
	if (options.is_update)
		bounds_write_title();
	else
		report_begin(options.is_json);
	for (size_t i = 0; i < name_count; i++)
		play_named(names[i]);
	for (size_t i = 0; !name_count && i < times_case_count; i++)
		if (!times_cases[i].is_long)
			play(&times_cases[i]);
	if (!options.is_update)
		report_end();
	return is_kept ? 0 : 1;
}
