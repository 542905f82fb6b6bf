/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Serves pages that no fabric was asked for, so that a test can say how a collection goes:
 *
 *   made-up FOLDER [--listen WHERE] [--textfile FILE] [--interval SECONDS] [--idle SECONDS]
 *           [--connections NUMBER] [--lines NUMBER]
 *
 * A collection lasts as long as there is a file FOLDER/hold, and cannot be made while there is a
 * file FOLDER/sick. A page has NUMBER lines of filling.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "common/option_table.h"
#include "madring-perf/prometheus/serve.h"

#define LOOK_US 10000

static const struct metric collections = { .name = "made_up_collections",
					   .type = METRIC_COUNTER,
					   .help = "Collections." };
static const struct metric reloads = { .name = "made_up_reloads",
				       .type = METRIC_COUNTER,
				       .help = "Reloads." };
static const struct metric filling = { .name = "made_up_filling",
				       .type = METRIC_GAUGE,
				       .help = "Filling." };

struct made_up {
	const char *folder;
	unsigned long lines;
	uint64_t collections, reloads;
};

static bool there_is(const struct made_up *made_up, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", made_up->folder, name);
	return !access(path, F_OK);
}

static void write_count(struct exposition *page, const struct metric *metric, uint64_t count)
{
	exposition_family(page, metric);
	exposition_sample(page, NULL);
	exposition_value(page, count);
}

static struct exposition *collect(void *context, bool *made)
{
	struct made_up *made_up = context;
	struct exposition *page = exposition_new();

	made_up->collections++;
	while (there_is(made_up, "hold") && !interrupted())
		usleep(LOOK_US);
	*made = !there_is(made_up, "sick");
	write_count(page, &collections, made_up->collections);
	write_count(page, &reloads, made_up->reloads);
	exposition_family(page, &filling);
	for (unsigned long i = 0; i < made_up->lines; i++) {
		exposition_sample(page, NULL);
		exposition_label_u64(page, "line", i);
		exposition_value(page, i);
	}
	return page;
}

static void reload(void *context)
{
	((struct made_up *)context)->reloads++;
}

#define OPTION_STRUCT struct options

struct options {
	struct serve_options serve;
	struct made_up made_up;
};

static const struct option_entry entries[] = {
	{ 0, "listen", "ADDRESS", "serve here", OPTION_TEXT(serve.listen) },
	{ 0, "textfile", "FILE", "write here", OPTION_TEXT(serve.textfile) },
	{ 0, "interval", "SECONDS", "between two pages", OPTION_SECONDS(serve.interval_ns) },
	{ 0, "idle", "SECONDS", "until a silent client is left",
	  OPTION_NUMBER(serve.limits.idle_seconds, 0, UINT32_MAX) },
	{ 0, "connections", "N", "that there may be",
	  OPTION_NUMBER(serve.limits.connections, 0, UINT32_MAX) },
	{ 0, "lines", "N", "of the page", OPTION_NUMBER(made_up.lines, 0, UINT64_MAX) },
	OPTION_END,
};

int main(int argc, char *argv[])
{
	const struct option_table table = {
		.usage = "Serves pages that are made up.\n",
		.notes = "",
		.entries = entries,
	};
	struct options options = { .serve.limits.idle_seconds = 10 };
	struct serve_source source = { &options.made_up, collect, reload };

	options.made_up.folder = argv[option_table_read(&table, &options, "", argc, argv)];
	return options.made_up.folder && !serve(&options.serve, &source) ? 0 : 2;
}
