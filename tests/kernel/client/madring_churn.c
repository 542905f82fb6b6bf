/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests to a responder that leaves some unanswered, while others are canceled at random: the
 * kernel still waits for many whose transactions have ended and whose places have been used again.
 * None may be refused as a duplicate; each completes once, by its own reply, in a timeout, or
 * canceled where that was asked for.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <madring.h>

#include "common/option_table.h"
#include "../common/kernel_fail.h"
#include "strategy.h"
#include "kernel_target.h"

#define FLOWS 61 /* that share the way to the responder */

/* A request, from its sending to its end. */
struct request {
	uint64_t id;
	bool ended, canceled;
};

#define OPTION_STRUCT struct churn

struct churn {
	struct target target;
	uint32_t count, window;
	unsigned int cancel; /* percent */
	int retries;
	uint32_t first_ms;
	uint64_t random;
	enum madring_receive receive;
	struct madring *ring;
	struct madring_agent *agent;
	struct request *request;
	uint32_t sent, ended;
	uint64_t replied, timed_out, canceled;
};
static struct churn churn = {
	.target = { .mgmt_class = 0x03, .responder = 2 },
	.count = 100000,
	.window = 2048,
	.cancel = 10,
	.retries = 3,
	.first_ms = 500,
	.random = 1,
};

static const struct option_entry entries[] = {
	{ 'c', "class", "CLASS", "of the MADs; default 0x03",
	  OPTION_NUMBER(target.mgmt_class, 2, 0x7f) },
	{ 'n', "count", "COUNT", "requests; default 100000", OPTION_NUMBER(count, 1, 10000000) },
	{ 'w', "window", "COUNT", "in flight; default 2048", OPTION_NUMBER(window, 1, 65536) },
	{ 'l', "lid", "LID", "of the responder; default 2",
	  OPTION_NUMBER(target.responder, 1, 0xbfff) },
	{ 0, "cancel", "PERCENT", "of the requests; default 10", OPTION_NUMBER(cancel, 0, 100) },
	{ 0, "first", "MS", "timeout by the round trip: the first; default 500",
	  OPTION_NUMBER(first_ms, 1, 600000) },
	{ 0, "retries", "COUNT", "at most; default 3", OPTION_NUMBER(retries, 1, 254) },
	{ 0, "seed", "NUMBER", "of what is random; default 1",
	  OPTION_NUMBER(random, 1, UINT32_MAX) },
	{ 'r', "receive", "STRATEGY", "multishot or posted; else by the probe",
	  OPTION_BY(receive_strategy, receive) },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Requests of which some are canceled and some retried.\n",
	.notes = "",
	.entries = entries,
};

static uint64_t next_random(void)
{
	churn.random ^= churn.random << 13;
	churn.random ^= churn.random >> 7;
	churn.random ^= churn.random << 17;
	return churn.random;
}

static void wrong(uint32_t mark, const char *what)
{
	errx(EXIT_FAILURE, "request %u: %s", mark, what);
}

static void on_outcome(const struct madring_completion *completion)
{
	uint32_t mark = (uint32_t)(uintptr_t)completion->user;
	struct request *request = &churn.request[mark];

	if (request->ended)
		wrong(mark, "completed twice");
	request->ended = true;
	churn.ended++;
	if (request->canceled != (completion->status == -ECANCELED))
		wrong(mark, "canceled and not, or not and yet");
	switch (completion->status) {
	case 0:
		if (!target_answers(&churn.target, completion->mad, mark))
			wrong(mark, "not its own reply");
		churn.replied++;
		break;
	case -ETIMEDOUT:
		churn.timed_out++;
		break;
	case -ECANCELED:
		churn.canceled++;
		break;
	default:
		fail("a request", completion->status);
	}
}

/* Cancels one of the requests sent last: waiting, in flight, collected already, or ended. */
static void cancel_one(void)
{
	uint32_t back = (uint32_t)(next_random() % churn.window) + 1;
	struct request *request;
	int error;

	if (back > churn.sent)
		return;
	request = &churn.request[churn.sent - back];
	error = madring_cancel(churn.ring, request->id);
	if (error && error != -ENOENT)
		fail("madring_cancel", error);
	if (!error && (request->ended || request->canceled))
		wrong(churn.sent - back, "canceled, and has ended before");
	if (!error)
		request->canceled = true;
}

static void ask(uint32_t mark)
{
	const struct madring_send_options send = {
		.callback = on_outcome,
		.user = (void *)(uintptr_t)mark,
		.id = &churn.request[mark].id,
		.flow = 1 + next_random() % FLOWS,
	};
	struct madring_mad *mad = madring_mad_alloc(churn.agent);
	int error;

	if (!mad)
		fail("no buffer", -ENOMEM);
	target_ask(&churn.target, mad, mark);
	error = madring_send(churn.agent, mad, &send);
	if (error)
		fail("madring_send", error);
	churn.sent++;
}

static void open_agent(void)
{
	/* No more places than are in use: each is used again at once. */
	const struct madring_config config = {
		.receive = churn.receive,
		.transactions = churn.window,
		.seed = churn.random,
	};
	const struct madring_agent_config how = {
		.mgmt_class = churn.target.mgmt_class,
		.class_version = 1,
		.oui = target_oui(&churn.target),
		.window = churn.window,
		.pin_window = true,
		.flow_window = churn.window,
		.first_timeout_ms = churn.first_ms,
		.min_timeout_ms = churn.first_ms / 2,
		.max_timeout_ms = churn.first_ms * 4,
		.retries = churn.retries,
	};
	struct madring_port *port;
	int error = madring_open(&churn.ring, &config);

	if (!error)
		error = madring_port_open(churn.ring, NULL, 0, NULL, &port);
	if (!error)
		error = madring_agent_open(port, &how, &churn.agent);
	if (error)
		fail("opening", error);
}

static void go_on(void)
{
	while (churn.ended < churn.count) {
		int done;

		while (churn.sent < churn.count && madring_outstanding(churn.ring) < churn.window) {
			ask(churn.sent);
			if (next_random() % 100 < churn.cancel)
				cancel_one();
		}
		done = madring_run(churn.ring, -1);
		if (done < 0)
			fail("madring_run", done);
	}
}

static void check(const char *what, uint64_t value, uint64_t expected)
{
	if (value == expected)
		return;
	errx(EXIT_FAILURE, "%s: %lu, not %lu", what, value, expected);
}

static void check_stats(const struct madring_stats *stats)
{
	check("replies, timeouts and cancellations",
	      churn.replied + churn.timed_out + churn.canceled, churn.count);
	check("accepted", stats->accepted, churn.count);
	check("completed", stats->completed, churn.count);
	check("replies", stats->replies, churn.replied);
	check("timed out", stats->timed_out, churn.timed_out);
	check("canceled", stats->canceled, churn.canceled);
	check("refused by the kernel", stats->send_failed, 0);
	check("in flight at the end", stats->in_flight, 0);
	if (!stats->retried || !churn.replied || (churn.cancel && !churn.canceled))
		errx(EXIT_FAILURE, "there was nothing to show");
}

int main(int argc, char **argv)
{
	struct madring_stats stats;

	option_table_read(&table, &churn, "", argc, argv);
	churn.request = calloc(churn.count, sizeof(*churn.request));
	if (!churn.request)
		fail("memory", -ENOMEM);
	open_agent();
	go_on();
	madring_get_stats(churn.ring, &stats);
	printf("%lu MADs sent: %lu replies, %lu late; %lu timed out, %lu canceled; %lu retried, "
	       "%lu notices, %lu unmatched\n",
	       stats.sent, churn.replied, stats.late_replies, churn.timed_out, churn.canceled,
	       stats.retried, stats.notices, stats.unmatched);
	check_stats(&stats);
	madring_close(churn.ring);
	free(churn.request);
	return EXIT_SUCCESS;
}
