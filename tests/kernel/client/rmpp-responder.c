/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers orders (order.h), in segments and not, at a port, by the kernel's RMPP. Its reads have
 * room for a MAD at first. It goes on until SIGTERM, and then says what it has done.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/clock.h"
#include "../common/fail.h"
#include "../common/number.h"
#include "counterpart.h"
#include "message.h"
#include "order.h"
#include "serve.h"

#define QKEY	0x80010000u
#define RETRIES 3 /* of segments without an ACK */

struct responder {
	int port;
	int agent;
	struct message request, reply;
	struct service service;
	unsigned long plain, segmented;
};
static struct responder responder = { .port = 2 };

static const struct argp_option options[] = {
	{ "port", 'p', "NUMBER", 0, "Of the device (2)", 0 },
	{ 0 },
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	switch (key) {
	case 'p':
		responder.port = (int)number(text, 1, 254, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void send_now(struct ib_user_mad *umad, size_t length)
{
	int error =
		counterpart_send(responder.service.fd, responder.agent, umad, length, 0, RETRIES);

	if (error)
		fail("sending", error);
}

static void answer(const struct order *order)
{
	size_t length = order_length(order->reply_bytes);
	struct ib_user_mad *umad;

	if (message_reserve(&responder.reply, length))
		fail("memory", -ENOMEM);
	umad = responder.reply.umad;
	memset(umad, 0, sizeof(*umad));
	umad->addr = responder.request.umad->addr;
	umad->addr.qkey = htobe32(QKEY);
	order_answer(message_mad(&responder.reply), message_mad(&responder.request), order);
	if (!order->delay_ms)
		send_now(umad, length);
	else if (!held_add(&responder.service.held, umad, length,
			   clock_us() + order->delay_ms * 1000u))
		fail("memory", -ENOMEM);
}

static void receive_all(void)
{
	ssize_t length;

	while ((length = message_receive(&responder.request, responder.service.fd)) >= 0) {
		struct order order;

		if (responder.request.umad->status ||
		    !order_read(message_mad(&responder.request), (size_t)length, &order))
			fail("receiving", -EPROTO);
		if (order.request_bytes)
			responder.segmented++;
		else
			responder.plain++;
		answer(&order);
	}
	if (length != -EAGAIN)
		fail("receiving", (int)length);
}

static void open_port(void)
{
	const struct counterpart_agent agent = {
		.mgmt_class = ORDER_CLASS,
		.class_version = ORDER_CLASS_VERSION,
		.rmpp_version = 1,
		.methods = ORDER_METHODS,
	};

	responder.service.fd = counterpart_begin(NULL, responder.port, &agent, &responder.agent);
}

int main(int argc, char **argv)
{
	const struct argp argp = { .options = options, .parser = parse };

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	open_port();
	responder.service.receive = receive_all;
	responder.service.send = send_now;
	serve(&responder.service);
	printf("responder, %s: %lu requests, and %lu in segments; %lu reads without room\n",
	       counterpart_name, responder.plain, responder.segmented,
	       responder.request.short_reads);
	message_free(&responder.request);
	message_free(&responder.reply);
	counterpart_close(responder.service.fd);
	return EXIT_SUCCESS;
}
