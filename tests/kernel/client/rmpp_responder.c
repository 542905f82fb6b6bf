/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers orders (kernel_order.h), in segments and not, at a port, by the kernel's RMPP. It goes on
 * until SIGTERM, and then says what it has done.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/option_table.h"
#include "../common/kernel_clock.h"
#include "../common/kernel_fail.h"
#include "counterpart.h"
#include "kernel_order.h"
#include "kernel_serve.h"

#define QKEY	0x80010000u
#define RETRIES 3 /* of segments without an ACK */

#define MAD_BYTES     256
#define ORDER_LONGEST order_length(ORDER_MOST_BYTES)

#define OPTION_STRUCT struct responder

struct responder {
	int port;
	int agent;
	struct ib_user_mad *request, *reply;
	struct service service;
	unsigned long plain, segmented;
};
static struct responder responder = { .port = 2 };

static const struct option_entry entries[] = {
	{ 'p', "port", "NUMBER", "of the device; default 2", OPTION_NUMBER(port, 1, 254) },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Answers orders by plain system calls, until SIGTERM.\n",
	.notes = "",
	.entries = entries,
};

static uint8_t *mad_of(const struct ib_user_mad *umad)
{
	return (uint8_t *)umad->data;
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
	struct ib_user_mad *umad = responder.reply;

	memset(umad, 0, sizeof(*umad));
	umad->addr = responder.request->addr;
	umad->addr.qkey = htobe32(QKEY);
	order_answer(mad_of(umad), mad_of(responder.request), order);
	if (!order->delay_ms)
		send_now(umad, length);
	else if (!held_add(&responder.service.held, umad, length,
			   clock_us() + order->delay_ms * 1000u))
		fail("memory", -ENOMEM);
}

/* Receives the next message, with room for a MAD at first. Returns its bytes of MAD, or -errno. */
static ssize_t receive_one(void)
{
	ssize_t length = counterpart_receive(responder.service.fd, responder.request, MAD_BYTES);

	if (length != -ENOSPC)
		return length;
	return counterpart_receive(responder.service.fd, responder.request, ORDER_LONGEST);
}

static void receive_all(void)
{
	ssize_t length;

	while ((length = receive_one()) >= 0) {
		struct order order;

		if (responder.request->status ||
		    !order_read(mad_of(responder.request), (size_t)length, &order))
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

	option_table_read(&table, &responder, "", argc, argv);
	responder.request = malloc(sizeof(*responder.request) + ORDER_LONGEST);
	responder.reply = malloc(sizeof(*responder.reply) + ORDER_LONGEST);
	if (!responder.request || !responder.reply)
		fail("memory", -ENOMEM);
	open_port();
	responder.service.receive = receive_all;
	responder.service.send = send_now;
	serve(&responder.service);
	printf("responder: %lu requests, and %lu in segments\n", responder.plain,
	       responder.segmented);
	free(responder.request);
	free(responder.reply);
	counterpart_close(responder.service.fd);
	return EXIT_SUCCESS;
}
