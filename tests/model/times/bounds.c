/* SPDX-License-Identifier: BSD-2-Clause */
#include "bounds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "play_case.h"

#define WRONG_USE  2
#define MOST_CASES 64
#define NS_IN_MS   1000000u

/* A result that is better by more than this share wants a lower bound. */
#define SLACK 0.03

struct bound {
	char name[32];
	uint64_t ns, sent, dropped;
};

static struct bound bounds[MOST_CASES];
static size_t bound_count;

/* Reads a line: the name, ms, MADs sent and dropped. */
static bool read_bound(char *line, struct bound *bound)
{
	char *end = line + strcspn(line, " ");

	snprintf(bound->name, sizeof(bound->name), "%.*s", (int)(end - line), line);
	bound->ns = (uint64_t)(strtod(end, &end) * NS_IN_MS + 0.5);
	bound->sent = strtoull(end, &end, 10);
	bound->dropped = strtoull(end, &end, 10);
	return *end == '\n' && case_find(bound->name);
}

void bounds_read(const char *path)
{
	FILE *in = fopen(path, "r");
	char line[128];

	if (!in) {
		perror(path);
		exit(WRONG_USE);
	}
	while (fgets(line, sizeof(line), in)) {
		if (line[0] == '#')
			continue;
		if (bound_count == MOST_CASES || !read_bound(line, &bounds[bound_count])) {
			fprintf(stderr, "%s: no bound of a case: %s", path, line);
			exit(WRONG_USE);
		}
		bound_count++;
	}
	fclose(in);
}

static const struct bound *find_bound(const char *name)
{
	for (size_t i = 0; i < bound_count; i++)
		if (!strcmp(bounds[i].name, name))
			return &bounds[i];
	return NULL;
}

static struct bound bound_of(const struct times_result *result)
{
	return (struct bound){
		.ns = result->ns,
		.sent = result->sent,
		.dropped = result->drops.full + result->drops.local,
	};
}

static bool holds(const char *name, const char *what, double value, double bound)
{
	if (value > bound)
		fprintf(stderr, "%s: %.10g %s, and the bound is %.10g\n", name, value, what, bound);
	else if (value < bound * (1 - SLACK))
		fprintf(stderr,
			"%s: %.10g %s is better than the bound, %.10g; lower it by --update\n",
			name, value, what, bound);
	else
		return true;
	return false;
}

bool bounds_hold(const struct times_case *what, const struct times_result *result)
{
	const struct bound *bound = find_bound(what->name), got = bound_of(result);
	bool is_kept = result->is_complete;

	if (!is_kept)
		fprintf(stderr, "%s: found %zu of %zu\n", what->name, result->found, result->real);
	if (!bound) {
		fprintf(stderr, "%s: it has no bound; make one by --update\n", what->name);
		return false;
	}
	is_kept &= holds(what->name, "ms", (double)got.ns / 1e6, (double)bound->ns / 1e6);
	is_kept &= holds(what->name, "MADs", (double)got.sent, (double)bound->sent);
	is_kept &= holds(what->name, "MADs dropped", (double)got.dropped, (double)bound->dropped);
	return is_kept;
}

void bounds_write_title(void)
{
	printf("# The exact results of madring-times, which are the bounds of its test. After a\n"
	       "# change that makes them better: madring-times --update >tests/model/times/bounds\n"
	       "#\n"
	       "# %-20s %14s %9s %9s\n",
	       "case", "ms", "sent", "dropped");
}

void bounds_write(const struct times_case *what, const struct times_result *result)
{
	struct bound bound = bound_of(result);

	printf("%-22s %7" PRIu64 ".%06" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n", what->name,
	       bound.ns / NS_IN_MS, bound.ns % NS_IN_MS, bound.sent, bound.dropped);
	fflush(stdout);
}
