/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends orders (kernel_order.h) by madring: many small ones at once; for each number of segments
 * one that has as many each way; long replies with plain ones before and behind them in the
 * kernel's queue; and one whose reply there is no room for. Each has to complete once, with its own
 * reply.
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
#include "kernel_order.h"
#include "strategy.h"

#define PATIENCE_MS 60000
#define MOST_ORDERS 4096
#define NOTED	    1000u /* segments, from which on the time is a figure */
#define RECORD	    112u  /* bytes: a node record, padded to a multiple of 8 */

struct sent {
	struct order order;
	bool ended;
	int status; /* that is expected */
};

#define OPTION_STRUCT struct client

static struct client {
	uint16_t lid;
	enum madring_receive receive;
	bool is_user_rmpp;
	const char *expected;
	uint32_t records;
	struct madring *ring;
	struct madring_agent *agent;
	struct sent sent[MOST_ORDERS];
	uint32_t count, ended;
} client = { .lid = 2 };

static const struct option_entry entries[] = {
	{ 'l', "lid", "LID", "of the responder; default 2", OPTION_NUMBER(lid, 1, 0xbfff) },
	{ 'r', "receive", "STRATEGY", "multishot or posted; else by the probe",
	  OPTION_BY(receive_strategy, receive) },
	{ 0, "expect", "STRATEGY", "multishot or posted", OPTION_TEXT(expected) },
	{ 0, "records", "NUMBER", "a table of so many records is asked for, too",
	  OPTION_NUMBER(records, 1, ORDER_MOST_BYTES / RECORD) },
	{ 'u', "user", NULL, "madring makes the segments, not the kernel",
	  OPTION_FLAG(is_user_rmpp) },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Sends orders by madring, also of so many SEGMENTS each way.\n",
	.notes = "",
	.entries = entries,
};

static void open_ring(uint64_t message_bytes)
{
	/* Few lanes, so that long and plain replies come by the same. */
	const struct madring_config config = {
		.receive = client.receive,
		.lanes = 2,
		.message_bytes = message_bytes,
	};
	const struct madring_agent_config agent = {
		.mgmt_class = ORDER_CLASS,
		.class_version = ORDER_CLASS_VERSION,
		.rmpp = client.is_user_rmpp ? MADRING_RMPP_USER : MADRING_RMPP_KERNEL,
		.timeout_ms = PATIENCE_MS,
		.retries = client.is_user_rmpp ? 2 : MADRING_NO_RETRIES,
		.window = MOST_ORDERS,
		.pin_window = true,
		.flow_window = MOST_ORDERS,
		.pin_flow_window = true,
	};
	struct madring_port *port;
	int error = madring_open(&client.ring, &config);

	if (!error)
		error = madring_port_open(client.ring, NULL, 1, NULL, &port);
	if (!error)
		error = madring_agent_open(port, &agent, &client.agent);
	if (error)
		fail("opening", error);
}

static void on_outcome(const struct madring_completion *completion)
{
	struct sent *sent = completion->user;

	if (sent->ended || completion->status != sent->status)
		fail("an order", sent->ended ? -EALREADY : completion->status);
	if (!completion->status &&
	    !order_is_answered(madring_mad_data(completion->mad), completion->length, &sent->order))
		fail("a reply", -EPROTO);
	sent->ended = true;
	client.ended++;
}

/* Sends a request, which has to end with @status. */
static void send_bytes(uint32_t request_bytes, uint32_t reply_bytes, uint32_t delay_ms, int status)
{
	struct sent *sent = &client.sent[client.count % MOST_ORDERS];
	const struct madring_send_options how = {
		.callback = on_outcome,
		.user = sent,
		.length = order_length(request_bytes),
	};
	struct madring_mad *mad = request_bytes
					  ? madring_mad_alloc_message(client.agent, how.length)
					  : madring_mad_alloc(client.agent);
	int error;

	*sent = (struct sent){
		.order = { .number = client.count++,
			   .request_bytes = request_bytes,
			   .reply_bytes = reply_bytes,
			   .delay_ms = delay_ms },
		.status = status,
	};
	if (!mad)
		fail("no buffer", -ENOMEM);
	madring_gmp_prepare(mad, client.lid, MADRING_GET, 0, 0);
	order_ask(madring_mad_data(mad), &sent->order);
	if (request_bytes)
		madring_rmpp_prepare(mad);
	error = madring_send(client.agent, mad, &how);
	if (error)
		fail("madring_send", error);
}

static void order_send(uint32_t request_segments, uint32_t reply_segments, uint32_t delay_ms,
		       int status)
{
	send_bytes(request_segments * ORDER_SEGMENT, reply_segments * ORDER_SEGMENT, delay_ms,
		   status);
}

static void finish(void)
{
	while (madring_outstanding(client.ring)) {
		int done = madring_run(client.ring, -1);

		if (done < 0)
			fail("madring_run", done);
	}
	if (client.ended != client.count)
		fail("not all have ended", -EPROTO);
}

static void many_at_once(void)
{
	for (uint32_t i = 0; i < 200; i++)
		order_send(i % 10 == 3 ? i % 7 : 0, i % 10 == 5 ? i % 7 : 0, 0, 0);
	finish();
}

/* The replies are left in the kernel until all of them have come. */
static void before_and_behind(uint32_t segments)
{
	enum { DELAY_MS = 200 };

	for (uint32_t i = 0; i < 10; i++)
		order_send(0, 0, 0, 0);
	order_send(0, segments, 0, 0);
	order_send(0, segments, 0, 0);
	for (uint32_t i = 0; i < 10; i++)
		order_send(0, 0, DELAY_MS, 0);
	if (madring_submit(client.ring) < 0)
		fail("madring_submit", -EIO);
	usleep(3 * DELAY_MS * 1000);
	finish();
}

static const char *who(void)
{
	return client.is_user_rmpp ? " by madring" : "";
}

static void exchange(uint32_t segments, const char *strategy)
{
	double start = clock_s();

	order_send(segments, segments, 0, 0);
	finish();
	if (segments >= NOTED)
		printf("figure: RMPP%s, %u segments each way, %s: %.1f s\n", who(), segments,
		       strategy, clock_s() - start);
}

/* Asks for a long table, as a subnet administrator's clients do, and prints how long it takes. */
static void exchange_table(uint32_t records, const char *strategy)
{
	double start = clock_s();

	send_bytes(0, records * RECORD, 0, 0);
	finish();
	printf("figure: RMPP%s, %u records of %u bytes, %s: %.1f s\n", who(), records, RECORD,
	       strategy, clock_s() - start);
}

static const char *check_strategy(void)
{
	struct madring_stats stats;
	const char *strategy;

	madring_get_stats(client.ring, &stats);
	strategy = stats.multishot ? "multishot" : "posted";
	if (client.expected && strcmp(client.expected, strategy) != 0)
		errx(EXIT_FAILURE, "%s, not %s", strategy, client.expected);
	return strategy;
}

static void check(const char *what, uint64_t count)
{
	if (!count)
		return;
	errx(EXIT_FAILURE, "%s: %lu", what, count);
}

static void check_books(void)
{
	struct madring_stats stats;

	madring_get_stats(client.ring, &stats);
	check("timed out", stats.timed_out);
	check("malformed", stats.malformed);
	check("bytes of messages in use", stats.pool_message_in_use);
	/*
	 * On a busy machine segments are sent again that were only late: their ACKs come twice, and
	 * may be let through in place of a reply.
	 */
	if (stats.rmpp_segments_resent)
		return;
	check("retried", stats.retried);
	check("unmatched", stats.unmatched);
}

/* Asks for a reply that never fits, and for others behind it, which come all the same. */
static void too_long(void)
{
	struct madring_stats stats;

	open_ring(64 << 10);
	order_send(0, 1000, 0, -EMSGSIZE);
	order_send(0, 7, 0, 0);
	order_send(0, 0, 0, 0);
	finish();
	madring_get_stats(client.ring, &stats);
	if (stats.too_long != 1)
		fail("what was too long is not counted", -EPROTO);
	madring_close(client.ring);
}

int main(int argc, char **argv)
{
	const char *strategy;
	int first;

	first = option_table_read(&table, &client, "", argc, argv);
	open_ring(0);
	strategy = check_strategy();
	many_at_once();
	before_and_behind(2);
	before_and_behind(1000);
	for (int i = first; i < argc; i++)
		exchange((uint32_t)option_number("SEGMENTS", argv[i], 1,
						 ORDER_MOST_BYTES / ORDER_SEGMENT),
			 strategy);
	if (client.records)
		exchange_table(client.records, strategy);
	check_books();
	madring_close(client.ring);
	too_long();
	printf("madring-rmpp, %s: %u orders\n", strategy, client.count);
	return EXIT_SUCCESS;
}
