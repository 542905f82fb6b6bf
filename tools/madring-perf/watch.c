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
#include "known_nodes.h"
#include "movement.h"
#include "prometheus/hangup.h"
#include "session.h"
#include "tell.h"
#include "watch.h"

/*
 * Moves to the upper left corner, clears the screen, and has the terminal cut long lines, which
 * would push others off the screen; and the end of that.
 */
#define SCREEN_BEGIN "\033[H\033[J\033[?7l"
#define SCREEN_END   "\033[?7h"

/* The number of lines besides the table's: those above it, and the one below it with the cursor. */
#define OTHER_LINES 3u

/* The most nodes that are named in the line of those that were not read. */
#define MISSED_NAMES 10u

struct watch {
	const struct options *options;
	const struct names *names;
	struct session session;
	struct known_nodes known; /* with their last readings */
	bool has_readings;	  /* of an earlier round */
	/* The round: a discovery and a collection. */
	struct madring_fabric *fabric;
	struct collection *collection;
};

static void end_round(struct watch *watch)
{
	collection_free(watch->collection);
	madring_fabric_free(watch->fabric);
	watch->collection = NULL;
	watch->fabric = NULL;
}

/* Collects once. Returns 0, or -1 with a message written when going on would be no use. */
static int collect_now(struct watch *watch)
{
	struct progress progress;
	struct choice choice;
	struct plan plan;
	int error;

	progress_start(&progress, !watch->has_readings);
	session_begin(&watch->session, &watch->options->session);
	/* What has come or returned is only found by looking. */
	error = session_discover(&watch->session, &watch->options->session, &watch->fabric,
				 &progress);
	watch->collection = collection_new(watch->fabric);
	watch->collection->deadline_reached = session_reached_deadline(watch->fabric);
	if (!error && !interrupted()) {
		error = choice_plan(&plan, &choice, watch->options, watch->fabric);
		if (error) {
			progress_end(&progress);
			return -1;
		}
		plan.deadline_ns = watch->session.deadline_ns;
		collect(watch->collection, &plan, &watch->session.local, watch->session.pma,
			&progress);
		error = watch->collection->error;
	}
	progress_end(&progress);
	if (error)
		complain("the collection ended early: %s", madring_error_text(error));
	return error ? -1 : 0;
}

/* Returns the size of the terminal; zeroed: there is none. */
static struct winsize terminal_size(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		return (struct winsize){ 0 };
	return size;
}

static void print_head(const struct watch *watch, const struct movements *movements)
{
	const struct collection *now = watch->collection;
	size_t missed = now->unreachable_count + watch->known.gone_count;
	time_t seconds = now->start_time_ms / 1000;
	struct tm local;
	char text[32];

	strftime(text, sizeof(text), "%F %T", localtime_r(&seconds, &local));
	printf("%s  %zu port%s of %zu node%s in %.1f ms, %zu of them moved; %zu node%s not read\n",
	       text, now->port_count, plural(now->port_count), now->node_count,
	       plural(now->node_count), now->elapsed_ns / 1e6, movements->count, missed,
	       plural(missed));
}

/* Prints one more name of a node that was not read, if there is room for it. */
static void print_missed_name(const char *name, size_t number)
{
	if (number == MISSED_NAMES)
		fputs(", ...", stdout);
	if (number >= MISSED_NAMES)
		return;
	fputs(number ? ", " : "not read: ", stdout);
	name_print(stdout, name, '"');
}

/*
 * Names the nodes that were not read: those that were found and did not answer, and those that
 * earlier rounds have found and this one has not. Returns how many lines it has written.
 */
static size_t print_missed(const struct watch *watch)
{
	const struct collection *now = watch->collection;
	const struct known_node *known;
	size_t count = 0;

	for (size_t i = 0; i < now->node_count; i++)
		if (now->nodes[i].unreachable)
			print_missed_name(node_name(watch->names, now->nodes[i].node), count++);
	TAILQ_FOREACH (known, &watch->known.gone, entry)
		print_missed_name(known->name, count++);
	if (count)
		putchar('\n');
	return count ? 1 : 0;
}

static void show_movements(const struct watch *watch)
{
	struct winsize size = terminal_size();
	struct movements movements;
	size_t lines = 0, others;

	movements_find(&movements, &watch->known, watch->collection, &watch->options->thresholds);
	if (size.ws_row)
		fputs(SCREEN_BEGIN, stdout);
	print_head(watch, &movements);
	others = OTHER_LINES + print_missed(watch);
	if (size.ws_row)
		lines = size.ws_row > others + 1 ? size.ws_row - others : 1;
	movements_print(stdout, &movements, watch->names, &watch->options->thresholds, lines,
			size.ws_col);
	fputs(size.ws_row ? SCREEN_END : "\n", stdout);
	movements_free(&movements);
}

static void show_round(const struct watch *watch)
{
	uint32_t attributes = choice_attributes(watch->options);

	if (watch->options->format == FORMAT_CSV) {
		if (!watch->has_readings)
			csv_print_head(stdout, attributes);
		csv_print(stdout, watch->collection, attributes, watch->names);
	} else if (watch->has_readings) {
		show_movements(watch);
	}
	fflush(stdout);
}

/* Shows the round, and remembers what the next one is compared with. */
static void take_round(struct watch *watch)
{
	known_nodes_update(&watch->known, watch->collection, watch->names,
			   session_looked_everywhere(watch->fabric), clock_ns());
	show_round(watch);
	known_nodes_keep_readings(&watch->known, watch->collection);
	watch->has_readings = true;
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
		take_round(watch);
		end_round(watch);
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
	known_nodes_init(&watch.known);
	/* Without keys there is no file to read again, and the signal ends the program. */
	if (options->session.mkeys)
		hangup_watch();
	interrupt_watch(watch.session.local.ring);
	status = run_rounds(&watch);
	interrupt_unwatch();
	end_round(&watch);
	known_nodes_free(&watch.known);
	if (session_close(&watch.session, &options->session))
		status = EXIT_UNABLE;
	return output_close_standard() ? EXIT_UNABLE : status;
}
