/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers orders (kernel_order.h) by madring, in segments and not, as an agent that is registered
 * for their methods. It goes on until SIGTERM, and then says what it has done.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <madring.h>

#include "common/option_table.h"
#include "../common/kernel_fail.h"
#include "kernel_order.h"
#include "strategy.h"

#define OPTION_STRUCT struct responder

static struct responder {
	int port;
	enum madring_receive receive;
	bool is_user_rmpp;
	struct madring *ring;
	volatile bool ended;
	unsigned long plain, segmented;
} responder = { .port = 2 };

static const struct option_entry entries[] = {
	{ 'p', "port", "NUMBER", "of the device; default 2", OPTION_NUMBER(port, 1, 254) },
	{ 'r', "receive", "STRATEGY", "multishot or posted; else by the probe",
	  OPTION_BY(receive_strategy, receive) },
	{ 'u', "user", NULL, "madring makes the segments, not the kernel",
	  OPTION_FLAG(is_user_rmpp) },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Answers orders by madring, until SIGTERM.\n",
	.notes = "",
	.entries = entries,
};

static void on_answered(const struct madring_completion *completion)
{
	/* An answer that is longer than its client takes is refused there. */
	if (completion->status && completion->status != -ECANCELED &&
	    completion->status != -ECONNABORTED)
		fail("sending", completion->status);
}

static void answer(const struct madring_received *received, const struct order *order)
{
	const struct madring_send_options how = {
		.callback = on_answered,
		.length = order_length(order->reply_bytes),
		.no_reply = true,
	};
	struct madring_mad *mad = order->reply_bytes
					  ? madring_mad_alloc_message(received->agent, how.length)
					  : madring_mad_alloc(received->agent);
	int error;

	if (!mad)
		fail("no buffer", -ENOMEM);
	madring_response_prepare(mad, received->mad);
	order_answer(madring_mad_data(mad), madring_mad_data(received->mad), order);
	if (order->reply_bytes)
		madring_rmpp_prepare(mad);
	error = madring_send(received->agent, mad, &how);
	if (error)
		fail("madring_send", error);
}

static void on_request(const struct madring_received *received)
{
	struct order order;

	if (received->status)
		fail("receiving", received->status);
	if (!order_read(madring_mad_data(received->mad), received->length, &order))
		fail("receiving", -EPROTO);
	if (order.request_bytes)
		responder.segmented++;
	else
		responder.plain++;
	answer(received, &order);
}

static void open_ring(void)
{
	const struct madring_config config = { .receive = responder.receive };
	const struct madring_agent_config agent_config = {
		.mgmt_class = ORDER_CLASS,
		.class_version = ORDER_CLASS_VERSION,
		.rmpp = responder.is_user_rmpp ? MADRING_RMPP_USER : MADRING_RMPP_KERNEL,
		.method_mask = { ORDER_METHODS },
		.receive = on_request,
	};
	struct madring_agent *agent;
	struct madring_port *port;
	int error = madring_open(&responder.ring, &config);

	if (!error)
		error = madring_port_open(responder.ring, NULL, responder.port, NULL, &port);
	if (!error)
		error = madring_agent_open(port, &agent_config, &agent);
	if (error)
		fail("opening", error);
}

static void on_term(int number)
{
	(void)number;
	responder.ended = true;
	madring_wake(responder.ring);
}

static void answer_until_the_end(void)
{
	const struct sigaction action = { .sa_handler = on_term };

	if (sigaction(SIGTERM, &action, NULL))
		fail("sigaction", -errno);
	printf("ready\n");
	fflush(stdout);
	while (!responder.ended) {
		int done = madring_run(responder.ring, -1);

		if (done < 0 && done != -EINTR)
			fail("madring_run", done);
	}
}

int main(int argc, char **argv)
{
	struct madring_stats stats;

	option_table_read(&table, &responder, "", argc, argv);
	open_ring();
	answer_until_the_end();
	madring_get_stats(responder.ring, &stats);
	if (stats.requests != responder.plain + responder.segmented || stats.unsolicited)
		fail("the books", -EPROTO);
	printf("responder, madring, %s: %lu requests, and %lu in segments\n",
	       stats.multishot ? "multishot" : "posted", responder.plain, responder.segmented);
	madring_close(responder.ring);
	return EXIT_SUCCESS;
}
