/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends orders (order.h), by the kernel's RMPP: plain ones, many at a time; and for each number of
 * segments one that has as many each way. Its reads have room for a MAD at first.
 */
#include <argp.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/fail.h"
#include "../common/number.h"
#include "counterpart.h"
#include "message.h"
#include "order.h"

#define QKEY	    0x80010000u
#define PATIENCE_MS 60000
#define RETRIES	    3
#define WINDOW	    64
#define MOST_SIZES  16

struct client {
	uint16_t lid;
	uint32_t plain;
	uint32_t segments[MOST_SIZES];
	unsigned int sizes;
	int fd, agent;
	uint32_t next; /* order */
	struct message request, reply;
};
static struct client client = { .lid = 2, .plain = 1000 };

static const struct argp_option options[] = {
	{ "lid", 'l', "LID", 0, "Of the responder (2)", 0 },
	{ "plain", 'n', "COUNT", 0, "Orders that are plain MADs both ways (1000)", 0 },
	{ 0 },
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	switch (key) {
	case 'l':
		client.lid = (uint16_t)number(text, 1, 0xbfff, state);
		return 0;
	case 'n':
		client.plain = (uint32_t)number(text, 0, 1000000, state);
		return 0;
	case ARGP_KEY_ARG:
		if (client.sizes == MOST_SIZES)
			argp_error(state, "%u sizes at most", MOST_SIZES);
		client.segments[client.sizes++] =
			(uint32_t)number(text, 1, ORDER_MOST_BYTES / ORDER_SEGMENT, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void open_port(void)
{
	const struct counterpart_agent agent = {
		.mgmt_class = ORDER_CLASS,
		.class_version = ORDER_CLASS_VERSION,
		.rmpp_version = 1,
	};

	client.fd = counterpart_begin(NULL, 1, &agent, &client.agent);
}

static void ask(const struct order *order)
{
	size_t length = order_length(order->request_bytes);
	struct ib_user_mad *umad;
	int error;

	if (message_reserve(&client.request, length))
		fail("memory", -ENOMEM);
	umad = client.request.umad;
	memset(umad, 0, sizeof(*umad));
	umad->addr.lid = htobe16(client.lid);
	umad->addr.qpn = htobe32(1);
	umad->addr.qkey = htobe32(QKEY);
	order_ask(message_mad(&client.request), order);
	error = counterpart_send(client.fd, client.agent, umad, length, PATIENCE_MS, RETRIES);
	if (error)
		fail("sending", error);
}

/* Waits for the next reply, whichever it is. Returns its length. */
static size_t wait_for_reply(void)
{
	struct pollfd readable = { .fd = client.fd, .events = POLLIN };
	ssize_t length;

	while ((length = message_receive(&client.reply, client.fd)) == -EAGAIN)
		if (poll(&readable, 1, PATIENCE_MS) <= 0)
			fail("waiting", -ETIMEDOUT);
	if (length < 0)
		fail("receiving", (int)length);
	if (client.reply.umad->status)
		fail("a request", -(int)client.reply.umad->status);
	return (size_t)length;
}

/* Takes the reply to one more plain order; all of them look alike but for their numbers. */
static void take_plain(bool *answered)
{
	size_t length = wait_for_reply();
	struct order order = { 0 };
	uint32_t number;

	memcpy(&number, message_mad(&client.reply) + 20, sizeof(number)); /* the modifier */
	order.number = be32toh(number);
	if (order.number >= client.plain || answered[order.number] ||
	    !order_is_answered(message_mad(&client.reply), length, &order))
		fail("a reply", -EPROTO);
	answered[order.number] = true;
}

static void exchange_plain(void)
{
	bool *answered = calloc(client.plain + 1, sizeof(*answered));
	uint32_t taken = 0;

	if (!answered)
		fail("memory", -ENOMEM);
	while (taken < client.plain) {
		while (client.next < client.plain && client.next - taken < WINDOW)
			ask(&(struct order){ .number = client.next++ });
		take_plain(answered);
		taken++;
	}
	free(answered);
}

static void exchange(uint32_t segments)
{
	const struct order order = {
		.number = client.next++,
		.request_bytes = segments * ORDER_SEGMENT,
		.reply_bytes = segments * ORDER_SEGMENT,
	};
	size_t length;

	ask(&order);
	length = wait_for_reply();
	if (!order_is_answered(message_mad(&client.reply), length, &order))
		fail("a reply", -EPROTO);
}

int main(int argc, char **argv)
{
	const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[SEGMENTS...]",
	};

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	open_port();
	exchange_plain();
	for (unsigned int i = 0; i < client.sizes; i++)
		exchange(client.segments[i]);
	printf("client, %s: %u plain, %u in segments; %lu reads without room\n", counterpart_name,
	       client.plain, client.sizes, client.reply.short_reads);
	message_free(&client.request);
	message_free(&client.reply);
	counterpart_close(client.fd);
	return EXIT_SUCCESS;
}
