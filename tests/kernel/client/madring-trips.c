/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Round trips by madring to the hosts of vhca-fabric, or to a responder. Each request has to
 * complete once, by its own reply or, where that is expected, in a timeout; and the receive
 * strategy has to be the one that is expected.
 */
#include <argp.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <madring.h>

#include "../common/clock.h"
#include "../common/fail.h"
#include "../common/number.h"
#include "strategy.h"
#include "target.h"

#define STEP_US 1000

enum {
	KEY_EXPECT = 256,
	KEY_FIRST,
	KEY_LONGEST,
	KEY_RETRIES,
	KEY_SILENCE,
	KEY_LINGER,
	KEY_NOTICES,
	KEY_STATS,
	KEY_FAR,
	KEY_SQPOLL
};

struct trips {
	struct target target;
	uint32_t count, window, lanes;
	struct madring_agent_config how; /* timeouts and retries */
	enum madring_receive receive;
	uint32_t sqpoll_idle_ms;
	const char *expected;
	bool silence;	    /* timeouts are expected */
	uint32_t linger_ms; /* for what still comes when all have completed */
	uint64_t notices;   /* that have to come */
	const char *stats;  /* a file for them */
	const char *far;    /* what answers */
	struct madring *ring;
	struct madring_port *port;
	struct madring_agent *agent;
	uint32_t ended, refused; /* refused: with a status in their replies */
	unsigned int least_attempts, most_attempts;
	bool *seen;
};
static struct trips trips = {
	.target = { .mgmt_class = 0x81 },
	.count = 1000,
	.window = 64,
	.how = { .timeout_ms = 60000 },
	.far = "hosts",
	.least_attempts = -1,
};

static const struct argp_option options[] = {
	{ "class", 'c', "CLASS", 0, "Of the MADs (0x81)", 0 },
	{ "count", 'n', "COUNT", 0, "Requests (1000)", 0 },
	{ "window", 'w', "COUNT", 0, "In flight (64)", 0 },
	{ "lanes", 'f', "COUNT", 0, "umad files (the default)", 0 },
	{ "lid", 'l', "LID", 0, "Of a responder, to be asked in place of the hosts", 0 },
	{ "timeout", 't', "MS", 0, "Of every attempt (60,000)", 0 },
	{ "first", KEY_FIRST, "MS", 0, "Timeout by the round trip: the first", 0 },
	{ "longest", KEY_LONGEST, "MS", 0, "Timeout by the round trip: at most", 0 },
	{ "retries", KEY_RETRIES, "COUNT", 0, "The default is madring's", 0 },
	{ "silence", KEY_SILENCE, NULL, 0, "Requests may end in timeouts", 0 },
	{ "linger", KEY_LINGER, "MS", 0, "Go on reading when all have completed", 0 },
	{ "notices", KEY_NOTICES, "COUNT", 0, "Go on until the kernel gave so many", 0 },
	{ "far", KEY_FAR, "NAME", 0, "What answers, for the figure (hosts)", 0 },
	{ "receive", 'r', "STRATEGY", 0, "multishot or posted; else by the probe", 0 },
	{ "sqpoll", KEY_SQPOLL, "MS", 0, "A thread of the kernel's submits; idle, it sleeps", 0 },
	{ "expect", KEY_EXPECT, "STRATEGY", 0, "multishot, posted or refused", 0 },
	{ "stats", KEY_STATS, "FILE", 0, "What was counted: a line each, of name and value", 0 },
	{ 0 },
};

/* Parses the options that say how long to wait, and how often to try. */
static error_t parse_patience(int key, const char *text, struct argp_state *state)
{
	switch (key) {
	case 't':
		trips.how.timeout_ms = (int)number(text, 1, 600000, state);
		return 0;
	case KEY_FIRST:
		trips.how.timeout_ms = 0;
		trips.how.first_timeout_ms = (uint32_t)number(text, 1, 600000, state);
		return 0;
	case KEY_LONGEST:
		trips.how.max_timeout_ms = (uint32_t)number(text, 1, 600000, state);
		return 0;
	case KEY_RETRIES:
		trips.how.retries = (int)number(text, 0, 254, state);
		if (!trips.how.retries)
			trips.how.retries = MADRING_NO_RETRIES;
		return 0;
	case KEY_SILENCE:
		trips.silence = true;
		return 0;
	case KEY_LINGER:
		trips.linger_ms = (uint32_t)number(text, 1, 600000, state);
		return 0;
	case KEY_NOTICES:
		trips.notices = number(text, 1, 10000000, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	switch (key) {
	case 'c':
		trips.target.mgmt_class = (uint8_t)number(text, 1, 0xff, state);
		return 0;
	case 'n':
		trips.count = (uint32_t)number(text, 1, 10000000, state);
		return 0;
	case 'w':
		trips.window = (uint32_t)number(text, 1, 65536, state);
		return 0;
	case 'f':
		trips.lanes = (uint32_t)number(text, 1, MADRING_MAX_LANES, state);
		return 0;
	case 'l':
		trips.target.responder = (uint16_t)number(text, 1, 0xbfff, state);
		return 0;
	case 'r':
		trips.receive = receive_strategy(text, state);
		return 0;
	case KEY_EXPECT:
		trips.expected = text;
		return 0;
	case KEY_SQPOLL:
		trips.sqpoll_idle_ms = (uint32_t)number(text, 1, MADRING_MAX_SQPOLL_MS, state);
		return 0;
	case KEY_FAR:
		trips.far = text;
		return 0;
	case KEY_STATS:
		trips.stats = text;
		return 0;
	default:
		return parse_patience(key, text, state);
	}
}

static void check_reply(const struct madring_mad *reply, uint32_t mark)
{
	if (!target_answers(&trips.target, reply, mark))
		errx(EXIT_FAILURE, "request %u: not its own reply", mark);
	if (madring_mad_status(reply))
		trips.refused++;
}

static void on_outcome(const struct madring_completion *completion)
{
	uint32_t mark = (uint32_t)(uintptr_t)completion->user;

	if (trips.seen[mark])
		errx(EXIT_FAILURE, "request %u: completed twice", mark);
	if (!completion->status)
		check_reply(completion->mad, mark);
	else if (completion->status != -ETIMEDOUT || !trips.silence)
		fail("a request", completion->status);
	if (completion->attempts < trips.least_attempts)
		trips.least_attempts = completion->attempts;
	if (completion->attempts > trips.most_attempts)
		trips.most_attempts = completion->attempts;
	trips.seen[mark] = true;
	trips.ended++;
}

/* Returns false if the strategy that was asked for does not work here. */
static bool open_port(void)
{
	const struct madring_config config = {
		.receive = trips.receive,
		.lanes = trips.lanes,
		.transactions = trips.window,
		.sqpoll_idle_ms = trips.sqpoll_idle_ms,
	};
	struct madring_agent_config agent = trips.how;
	int error = madring_open(&trips.ring, &config);

	if (error)
		fail("madring_open", error);
	error = madring_port_open(trips.ring, NULL, 0, NULL, &trips.port);
	if (error == -ENOSYS)
		return false;
	if (error)
		fail("madring_port_open", error);
	agent.mgmt_class = trips.target.mgmt_class;
	agent.class_version = 1;
	agent.oui = target_oui(&trips.target);
	agent.window = trips.window;
	agent.pin_window = true;
	agent.flow_window = trips.window;
	agent.pin_flow_window = true;
	error = madring_agent_open(trips.port, &agent, &trips.agent);
	if (error)
		fail("madring_agent_open", error);
	return true;
}

static void ask(uint32_t mark)
{
	const struct madring_send_options send = {
		.callback = on_outcome,
		.user = (void *)(uintptr_t)mark,
	};
	struct madring_mad *mad = madring_mad_alloc(trips.agent);
	int error;

	if (!mad)
		fail("no buffer", -ENOMEM);
	target_ask(&trips.target, mad, mark);
	error = madring_send(trips.agent, mad, &send);
	if (error)
		fail("madring_send", error);
}

static void travel(void)
{
	uint32_t sent = 0;

	while (trips.ended < trips.count) {
		int done;

		while (sent < trips.count && madring_outstanding(trips.ring) < trips.window)
			ask(sent++);
		done = madring_run(trips.ring, -1);
		if (done < 0)
			fail("madring_run", done);
	}
}

static uint64_t notices(void)
{
	struct madring_stats stats;

	madring_get_stats(trips.ring, &stats);
	return stats.notices;
}

/* Runs the ring for a while: a late reply belongs to no request, and must not be called back. */
static void linger(void)
{
	uint64_t us = 0;

	while (us < (uint64_t)trips.linger_ms * 1000 || notices() < trips.notices) {
		if (madring_step(trips.ring))
			errx(EXIT_FAILURE, "one more completion");
		usleep(STEP_US);
		us += STEP_US;
	}
}

static void check_strategy(const char *found)
{
	if (!trips.expected || !strcmp(trips.expected, found))
		return;
	errx(EXIT_FAILURE, "receive strategy: %s, not %s", found, trips.expected);
}

static void write_stats(const struct madring_stats *stats)
{
	const struct {
		const char *name;
		uint64_t value;
	} lines[] = {
		{ "accepted", stats->accepted },
		{ "completed", stats->completed },
		{ "sent", stats->sent },
		{ "received", stats->received },
		{ "replies", stats->replies },
		{ "retried", stats->retried },
		{ "timed_out", stats->timed_out },
		{ "send_failed", stats->send_failed },
		{ "unmatched", stats->unmatched },
		{ "unsolicited", stats->unsolicited },
		{ "malformed", stats->malformed },
		{ "notices", stats->notices },
		{ "late_replies", stats->late_replies },
		{ "in_flight", stats->in_flight },
		{ "refused", trips.refused },
		{ "least_attempts", trips.least_attempts },
		{ "most_attempts", trips.most_attempts },
	};
	FILE *file = fopen(trips.stats, "w");

	if (!file)
		fail(trips.stats, -errno);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		fprintf(file, "%s %lu\n", lines[i].name, lines[i].value);
	if (fclose(file))
		fail(trips.stats, -errno);
}

static void report(double duration)
{
	struct madring_stats stats;
	const char *found;

	madring_get_stats(trips.ring, &stats);
	found = stats.multishot ? "multishot" : "posted";
	printf("figure: madring%s%s%s to %s, class 0x%02x, %u in flight: %.0f a second, "
	       "%.3f entries each\n",
	       trips.receive ? ", by " : "", trips.receive ? found : "",
	       trips.sqpoll_idle_ms ? ", SQPOLL" : "", trips.far, trips.target.mgmt_class,
	       trips.window, (double)trips.count / duration, (double)stats.entries / trips.count);
	if (stats.retried)
		printf("%lu were retried\n", (unsigned long)stats.retried);
	check_strategy(found);
	if (trips.stats)
		write_stats(&stats);
}

int main(int argc, char **argv)
{
	const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Requests and their replies, by madring.",
	};

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	trips.seen = calloc(trips.count, sizeof(*trips.seen));
	if (!trips.seen)
		fail("memory", -ENOMEM);
	if (open_port()) {
		double start = clock_s(), end;

		travel();
		end = clock_s();
		linger();
		report(end - start);
	} else {
		check_strategy("refused");
		printf("the strategy does not work on this kernel\n");
	}
	madring_close(trips.ring);
	free(trips.seen);
	return EXIT_SUCCESS;
}
