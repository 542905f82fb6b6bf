/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "common/clock.h"
#include "common/complain.h"
#include "common/file_limit.h"
#include "common/interrupt.h"
#include "hangup.h"
#include "listen.h"
#include "serve.h"
#include "textfile.h"

enum { ON_INTERRUPT, ON_HANGUP, ON_SCRAPE, REASONS };

struct serving {
	const struct serve_options *options;
	const struct serve_source *source;
	struct scrapes *scrapes;
	struct http *http; /* NULL: none */
	struct pollfd reasons[REASONS];
	uint64_t next_ns; /* when the next collection is due */
};

/*
 * Ignores signals that would end the program without a message. The calls that cause them report
 * errors.
 */
static void ignore_signals(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

static bool watch_file(struct serving *serving, int reason, int fd)
{
	serving->reasons[reason] = (struct pollfd){ .fd = fd, .events = POLLIN };
	if (fd >= 0)
		return true;
	complain("cannot make an eventfd: %s", strerror(-fd));
	return false;
}

static bool is_on_demand(const struct serving *serving)
{
	return serving->http && !serving->options->interval_ns;
}

/* Returns whether --listen has a port alone: the address is that of this host for itself then. */
static bool is_without_address(const char *text)
{
	return *text == ':' || !strchr(text, ':');
}

/* Starts the server, and reports its port, which the kernel may have chosen. */
static bool start_http(struct serving *serving)
{
	char where[320];
	int fd = listen_on(serving->options->listen);

	if (fd < 0)
		return false;
	listen_text(fd, where, sizeof(where));
	serving->http = http_start(fd, serving->scrapes, &serving->options->limits);
	if (serving->http)
		complain("listening on %s%s", where,
			 is_without_address(serving->options->listen)
				 ? ", which only this host reaches: give an address, such as "
				   "0.0.0.0, for others"
				 : "");
	return serving->http;
}

static bool start_serving(struct serving *serving)
{
	const struct serve_options *options = serving->options;
	int error = scrapes_open(&serving->scrapes, !options->interval_ns);

	if (error) {
		watch_file(serving, ON_SCRAPE, error);
		return false;
	}
	file_limit_raise(); /* a connection is a file */
	ignore_signals();
	if (!watch_file(serving, ON_INTERRUPT, interrupt_fd()) ||
	    !watch_file(serving, ON_HANGUP, hangup_watch()) ||
	    !watch_file(serving, ON_SCRAPE, scrapes_fd(serving->scrapes)))
		return false;
	interrupt_watch(NULL);
	return !options->listen || start_http(serving);
}

/* Returns how long to wait for the next collection, in ms; or -1: until a client asks. */
static int wait_ms(const struct serving *serving)
{
	return is_on_demand(serving) ? -1 : clock_ms_until(serving->next_ns);
}

/* Waits until a collection is due. Returns false when the program ends. */
static bool wait_for_work(struct serving *serving)
{
	struct pollfd *reasons = serving->reasons;
	/* With an interval, clients that ask first wait for the first page. */
	nfds_t count = is_on_demand(serving) ? REASONS : ON_SCRAPE;
	int ready;

	while (!interrupted()) {
		ready = poll(reasons, count, wait_ms(serving));
		if (ready < 0)
			continue;
		if (hangup_taken())
			serving->source->reload(serving->source->context);
		if (interrupted())
			break;
		if (is_on_demand(serving) ? ready && reasons[ON_SCRAPE].revents
					  : clock_ns() >= serving->next_ns)
			return true;
	}
	return false;
}

/* Sets the time of the next collection. Times that have passed are left out. */
static void set_next_time(struct serving *serving)
{
	uint64_t interval = serving->options->interval_ns, now = clock_ns();

	serving->next_ns += interval;
	if (interval && serving->next_ns < now)
		serving->next_ns = now + interval - (now - serving->next_ns) % interval;
}

static int collect_and_publish(struct serving *serving)
{
	const char *textfile = serving->options->textfile;
	struct exposition *page;
	bool made = false;
	int result = 0;

	page = serving->source->collect(serving->source->context, &made);
	/* A part of a collection is not published. */
	if (interrupted()) {
		exposition_release(page);
		return -1;
	}
	if (textfile)
		result = textfile_write(textfile, page);
	scrapes_publish(serving->scrapes, page, made);
	return made ? result : -1;
}

static int serve_until_end(struct serving *serving)
{
	bool once = !serving->options->listen && !serving->options->interval_ns;

	if (once)
		return collect_and_publish(serving);
	serving->next_ns = clock_ns();
	while (wait_for_work(serving)) {
		/* An error is reported; the next collection may succeed. */
		collect_and_publish(serving);
		set_next_time(serving);
	}
	return 0;
}

int serve(const struct serve_options *options, const struct serve_source *source)
{
	struct serving serving = { .options = options, .source = source };
	int result = start_serving(&serving) ? serve_until_end(&serving) : -1;

	if (serving.http)
		http_stop(serving.http);
	interrupt_unwatch();
	if (serving.scrapes)
		scrapes_close(serving.scrapes);
	return result;
}
