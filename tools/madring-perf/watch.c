/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "choice.h"
#include "common/clock.h"
#include "common/complain.h"
#include "common/interrupt.h"
#include "common/mkeys.h"
#include "common/output.h"
#include "common/plural.h"
#include "common/progress.h"
#include "csv.h"
#include "movement.h"
#include "prometheus/hangup.h"
#include "session.h"
#include "tell.h"
#include "watch.h"

/* Moves to the upper left corner, and clears the screen. */
#define CLEAR "\033[H\033[J"

/* The number of lines besides the table's: those above it, and the one below it with the cursor. */
#define OTHER_LINES 3u

/* A round: a discovery and a collection. Two rounds that follow each other may share a
   discovery. */
struct round {
	struct madring_fabric *fabric;
	struct collection *collection;
};

struct watch {
	const struct options *options;
	const struct names *names;
	struct session session;
	struct round before, now; /* .collection is NULL: none */
};

/* Makes the current round the previous one. */
static void next_round(struct watch *watch)
{
	collection_free(watch->before.collection);
	if (watch->before.fabric != watch->now.fabric)
		madring_fabric_free(watch->before.fabric);
	watch->before = watch->now;
	watch->now = (struct round){ 0 };
}

/* Takes the discovery of the previous round, or discovers again if something did not answer. */
static int discover_again(struct watch *watch, struct progress *progress)
{
	const struct round *before = &watch->before;

	if (session_is_whole(before->fabric) && collection_complete(before->collection)) {
		watch->now.fabric = before->fabric;
		return 0;
	}
	return session_discover(&watch->session, &watch->options->session, &watch->now.fabric,
				progress);
}

/* Collects once. Returns 0, or -1 with a message written when going on would be no use. */
static int collect_now(struct watch *watch)
{
	struct progress progress;
	struct choice choice;
	struct plan plan;
	int error;

	progress_start(&progress, !watch->before.fabric);
	session_begin(&watch->session, &watch->options->session);
	error = discover_again(watch, &progress);
	watch->now.collection = collection_new(watch->now.fabric);
	watch->now.collection->deadline_reached = session_reached_deadline(watch->now.fabric);
	if (!error && !interrupted()) {
		error = choice_plan(&plan, &choice, watch->options, watch->now.fabric);
		if (error) {
			progress_end(&progress);
			return -1;
		}
		plan.deadline_ns = watch->session.deadline_ns;
		collect(watch->now.collection, &plan, &watch->session.local, watch->session.pma,
			&progress);
		error = watch->now.collection->error;
	}
	progress_end(&progress);
	if (error)
		complain("the collection ended early: %s", madring_strerror(error));
	return error ? -1 : 0;
}

static size_t terminal_lines(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return 0;
	return size.ws_row > OTHER_LINES + 1 ? size.ws_row - OTHER_LINES : 1;
}

static void print_head(const struct watch *watch, const struct movements *movements)
{
	const struct collection *now = watch->now.collection;
	time_t seconds = now->start_time_ms / 1000;
	struct tm local;
	char text[32];

	strftime(text, sizeof(text), "%F %T", localtime_r(&seconds, &local));
	printf("%s  %zu port%s of %zu node%s in %.1f ms, %zu of them moved; %zu node%s not read\n",
	       text, now->port_count, plural(now->port_count), now->node_count,
	       plural(now->node_count), now->elapsed_ns / 1e6, movements->count,
	       now->unreachable_count, plural(now->unreachable_count));
}

static void show_movements(const struct watch *watch)
{
	size_t lines = terminal_lines();
	struct movements movements;

	movements_find(&movements, watch->before.collection, watch->now.collection,
		       &watch->options->thresholds);
	if (lines)
		fputs(CLEAR, stdout);
	print_head(watch, &movements);
	movements_print(stdout, &movements, watch->names, &watch->options->thresholds, lines);
	if (!lines)
		putchar('\n');
	movements_free(&movements);
}

static void show_round(const struct watch *watch)
{
	uint32_t attributes = choice_attributes(watch->options);
	bool first = !watch->before.collection;

	if (watch->options->format == FORMAT_CSV) {
		if (first)
			csv_print_head(stdout, attributes);
		csv_print(stdout, watch->now.collection, attributes, watch->names);
	} else if (!first) {
		show_movements(watch);
	}
	fflush(stdout);
}

static int run_rounds(struct watch *watch)
{
	uint64_t due = clock_ns();

	for (;;) {
		if (hangup_taken())
			mkeys_read_again(watch->options->session.mkeys);
		if (collect_now(watch))
			return EXIT_UNABLE;
		if (interrupted() || ferror(stdout))
			return EXIT_COMPLETE;
		show_round(watch);
		next_round(watch);
		due += watch->options->watch_ns;
		if (due < clock_ns())
			due = clock_ns();
		if (!interrupt_sleep(due))
			return EXIT_COMPLETE;
	}
}

int watch(const struct options *options, const struct names *names)
{
	struct watch watch = { .options = options, .names = names };
	int status;

	if (session_open(&watch.session, &options->session))
		return EXIT_UNABLE;
	/* Without keys there is no file to read again, and the signal ends the program. */
	if (options->session.mkeys)
		hangup_watch();
	interrupt_watch(watch.session.local.ring);
	status = run_rounds(&watch);
	interrupt_unwatch();
	next_round(&watch);
	next_round(&watch);
	if (session_close(&watch.session, &options->session))
		status = EXIT_UNABLE;
	return output_close_standard() ? EXIT_UNABLE : status;
}
