/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Round trips by madring to the hosts of vhca-fabric, or to a responder. Each request has to
 * complete once, by its own reply or, where that is expected, in a timeout; and the receive
 * strategy has to be the one that is expected.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <madring.h>

#include "common/option_table.h"
#include "../common/kernel_clock.h"
#include "../common/kernel_fail.h"
#include "strategy.h"
#include "kernel_target.h"

#define STEP_US 1000

#define OPTION_STRUCT struct trips

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

static void take_first_timeout(void *field, const char *option, const char *text)
{
	struct trips *options = field;

	options->how.timeout_ms = 0;
	options->how.first_timeout_ms = (uint32_t)option_number(option, text, 1, 600000);
}

static const struct option_entry entries[] = {
	{ 'c', "class", "CLASS", "of the MADs; default 0x81",
	  OPTION_NUMBER(target.mgmt_class, 1, 0xff) },
	{ 'n', "count", "COUNT", "requests; default 1000", OPTION_NUMBER(count, 1, 10000000) },
	{ 'w', "window", "COUNT", "in flight; default 64", OPTION_NUMBER(window, 1, 65536) },
	{ 'f', "lanes", "COUNT", "umad files", OPTION_NUMBER(lanes, 1, MADRING_MAX_LANES) },
	{ 'l', "lid", "LID", "of a responder, to be asked in place of the hosts",
	  OPTION_NUMBER(target.responder, 1, 0xbfff) },
	{ 't', "timeout", "MS", "of every attempt; default 60000",
	  OPTION_NUMBER(how.timeout_ms, 1, 600000) },
	{ 0, "first", "MS", "timeout by the round trip: the first",
	  OPTION_CALL(take_first_timeout) },
	{ 0, "longest", "MS", "timeout by the round trip: at most",
	  OPTION_NUMBER(how.max_timeout_ms, 1, 600000) },
	{ 0, "retries", "COUNT", "the default is madring's", OPTION_RETRIES(how.retries) },
	{ 0, "silence", NULL, "requests may end in timeouts", OPTION_FLAG(silence) },
	{ 0, "linger", "MS", "go on reading when all have completed",
	  OPTION_NUMBER(linger_ms, 1, 600000) },
	{ 0, "notices", "COUNT", "go on until the kernel gave so many",
	  OPTION_NUMBER(notices, 1, 10000000) },
	{ 0, "far", "NAME", "what answers, for the figure", OPTION_TEXT(far) },
	{ 'r', "receive", "STRATEGY", "multishot or posted; else by the probe",
	  OPTION_BY(receive_strategy, receive) },
	{ 0, "sqpoll", "MS", "a thread of the kernel's submits; idle, it sleeps",
	  OPTION_NUMBER(sqpoll_idle_ms, 1, MADRING_MAX_SQPOLL_MS) },
	{ 0, "expect", "STRATEGY", "multishot, posted or refused", OPTION_TEXT(expected) },
	{ 0, "stats", "FILE", "what was counted: a line each, of name and value",
	  OPTION_TEXT(stats) },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Requests and their replies, by madring.\n",
	.notes = "",
	.entries = entries,
};

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

	option_table_read(&table, &trips, "", argc, argv);
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
