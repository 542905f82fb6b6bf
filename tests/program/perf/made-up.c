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
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/interrupt.h"
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

int main(int argc, char *argv[])
{
	static const struct option names[] = {
		{ "listen", required_argument, NULL, 'l' },
		{ "textfile", required_argument, NULL, 't' },
		{ "interval", required_argument, NULL, 'i' },
		{ "idle", required_argument, NULL, 'd' },
		{ "connections", required_argument, NULL, 'c' },
		{ "lines", required_argument, NULL, 'n' },
		{ NULL, 0, NULL, 0 },
	};
	struct serve_options options = { .limits.idle_seconds = 10 };
	struct made_up made_up = { 0 };
	struct serve_source source = { &made_up, collect, reload };
	int option;

	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (option) {
		case 'l':
			options.listen = optarg;
			break;
		case 't':
			options.textfile = optarg;
			break;
		case 'i':
			options.interval_ns = (uint64_t)(strtod(optarg, NULL) * 1e9);
			break;
		case 'd':
			options.limits.idle_seconds = (unsigned int)strtoul(optarg, NULL, 10);
			break;
		case 'c':
			options.limits.connections = (unsigned int)strtoul(optarg, NULL, 10);
			break;
		case 'n':
			made_up.lines = strtoul(optarg, NULL, 10);
			break;
		default:
			return 2;
		}
	}
	made_up.folder = argv[optind];
	return made_up.folder && !serve(&options, &source) ? 0 : 2;
}
