/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers the GMPs of a class that come to a port, as nodes do and as they should not: late, twice,
 * not at all, or wrongly. It knows a request's attempts by the mark that they all carry. A good
 * answer is the request as it came, with the proof that somebody was here. It answers until it is
 * killed by SIGTERM, and then says what it has done.
 */
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/umad.h>
#include <infiniband/umad_types.h>

#include "../common/clock.h"
#include "../common/fail.h"
#include "../common/number.h"
#include "counterpart.h"
#include "mark.h"
#include "serve.h"

#define QKEY	    0x80010000u
#define MARKS	    (1u << 20) /* that are told from each other */
#define BATCH	    64
#define TRIES	    1000 /* at an answer that may be refused as a duplicate */
#define TRY_US	    1000
#define NOT_THERE   0x000c /* a status: no such method with such an attribute */
#define OTHER_CLASS 0x0b
#define METHODS	    (1u << 1 | 1u << 2 | 1u << 3 | 1u << 6) /* Get, Set, Send, Report */

enum { KEY_FROM = 256, KEY_PREVIOUS, KEY_LATE, KEY_TWICE, KEY_MUTE, KEY_WRONG, KEY_LOG };

struct message {
	struct ib_user_mad header;
	union {
		uint8_t mad[256];
		struct umad_hdr head;
	};
};

/* Makes an answer a wrong one. */
typedef void (*spoil_function)(struct message *answer);

struct responder {
	const char *device;
	int port;
	uint8_t mgmt_class;
	unsigned int from; /* the first attempt that is answered */
	bool previous, twice, swap;
	uint64_t late_us;
	unsigned int mute; /* percent */
	spoil_function spoil;
	FILE *log;

	int agent;
	uint8_t attempts[MARKS];
	uint64_t last_tid[MARKS];
	struct message partner; /* whose TID is to be swapped */
	bool has_partner;
	struct service service;
	unsigned long requests, answers;
};
static struct responder responder = { .mgmt_class = UMAD_CLASS_SUBN_ADM, .port = 2, .from = 1 };

static const struct argp_option options[] = {
	{ "device", 'd', "NAME", 0, "Such as vhca0", 0 },
	{ "port", 'p', "NUMBER", 0, "Of the device (2)", 0 },
	{ "class", 'c', "CLASS", 0, "Of the MADs (0x03)", 0 },
	{ "from", KEY_FROM, "N", 0, "Only the Nth attempt and those after it are answered", 0 },
	{ "previous", KEY_PREVIOUS, NULL, 0, "At each attempt, the one before is answered", 0 },
	{ "late", KEY_LATE, "MS", 0, "So long after the request", 0 },
	{ "twice", KEY_TWICE, NULL, 0, "Each answer", 0 },
	{ "mute", KEY_MUTE, "PERCENT", 0, "Of the attempts, by their TID, are not answered", 0 },
	{ "wrong", KEY_WRONG, "WHAT", 0,
	  "Of the answer to each first attempt: tid, swap (each two get each other's TID), status, "
	  "class, method, attribute or modifier",
	  0 },
	{ "log", KEY_LOG, "FILE", 0, "A line for each attempt: its mark, number and time in us",
	  0 },
	{ 0 },
};

static void spoil_tid(struct message *answer)
{
	answer->head.tid ^= htobe64(0x80000000);
}

static void spoil_status(struct message *answer)
{
	answer->head.status = htobe16(NOT_THERE);
}

static void spoil_class(struct message *answer)
{
	answer->head.mgmt_class = OTHER_CLASS;
}

static void spoil_method(struct message *answer)
{
	answer->head.method = UMAD_METHOD_REPORT;
}

static void spoil_attribute(struct message *answer)
{
	answer->head.attr_id ^= htobe16(1);
}

static void spoil_modifier(struct message *answer)
{
	answer->head.attr_mod ^= htobe32(1);
}

static void take_wrong(const char *what, struct argp_state *state)
{
	static const struct {
		const char *name;
		spoil_function spoil;
	} wrongs[] = {
		{ "tid", spoil_tid },
		{ "status", spoil_status },
		{ "class", spoil_class },
		{ "method", spoil_method },
		{ "attribute", spoil_attribute },
		{ "modifier", spoil_modifier },
	};

	responder.swap = !strcmp(what, "swap");
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++)
		if (!strcmp(what, wrongs[i].name))
			responder.spoil = wrongs[i].spoil;
	if (!responder.swap && !responder.spoil)
		argp_error(state, "--wrong %s: no such thing", what);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	switch (key) {
	case 'd':
		responder.device = text;
		return 0;
	case 'p':
		responder.port = (int)number(text, 1, 254, state);
		return 0;
	case 'c':
		responder.mgmt_class = (uint8_t)number(text, 2, 0x7f, state);
		return 0;
	case KEY_FROM:
		responder.from = (unsigned int)number(text, 1, UINT8_MAX, state);
		return 0;
	case KEY_PREVIOUS:
		responder.previous = true;
		return 0;
	case KEY_LATE:
		responder.late_us = number(text, 1, 600000, state) * 1000;
		return 0;
	case KEY_TWICE:
		responder.twice = true;
		return 0;
	case KEY_MUTE:
		responder.mute = (unsigned int)number(text, 1, 100, state);
		return 0;
	case KEY_WRONG:
		take_wrong(text, state);
		return 0;
	case KEY_LOG:
		responder.log = fopen(text, "w");
		if (!responder.log)
			argp_error(state, "%s: %s", text, strerror(errno));
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/*
 * Tells whether @error may be the refusal of a duplicate. The kernel refuses a response while it
 * sends another one with its TID; libibumad calls that EIO as it does all errors.
 */
static bool may_be_duplicate(int error)
{
	return responder.twice && (error == -EINVAL || error == -EIO);
}

static void send_now(struct ib_user_mad *answer, size_t length)
{
	int error;

	for (unsigned int tries = 0; tries < TRIES; tries++) {
		error = counterpart_send(responder.service.fd, responder.agent, answer, length, 0,
					 0);
		if (!may_be_duplicate(error))
			break;
		usleep(TRY_US);
	}
	if (error)
		fail("sending", error);
	responder.answers++;
}

static void give(struct message *answer)
{
	uint64_t due = clock_us() + responder.late_us;

	for (unsigned int i = 0; i <= responder.twice; i++) {
		if (!responder.late_us)
			send_now(&answer->header, sizeof(answer->mad));
		else if (!held_add(&responder.service.held, &answer->header, sizeof(answer->mad),
				   due))
			fail("holding an answer", -ENOMEM);
	}
}

static void make_answer(struct message *message)
{
	message->head.method = message->head.method == UMAD_METHOD_SET
				       ? UMAD_METHOD_GET_RESP
				       : message->head.method | UMAD_METHOD_RESP_MASK;
	message->header.addr.qkey = htobe32(QKEY);
	proof_write(message->mad);
}

/*
 * Tells whether a request stays unanswered. The kernel's part of the TID is not random, and the
 * client's may not be.
 */
static bool is_mute(uint64_t tid)
{
	uint64_t mixed = tid * 0x9e3779b97f4a7c15u;

	return (mixed ^ mixed >> 32) % 100 < responder.mute;
}

/* Swaps the TIDs of each two answers; the first one waits for its partner. */
static void give_swapped(struct message *answer)
{
	uint64_t tid = answer->head.tid;

	responder.has_partner = !responder.has_partner;
	if (responder.has_partner) {
		responder.partner = *answer;
		return;
	}
	answer->head.tid = responder.partner.head.tid;
	responder.partner.head.tid = tid;
	give(answer);
	give(&responder.partner);
}

static void give_first(struct message *answer)
{
	if (responder.swap) {
		give_swapped(answer);
		return;
	}
	if (responder.spoil)
		responder.spoil(answer);
	give(answer);
}

static void on_request(struct message *message)
{
	uint32_t mark = mark_read(message->mad) % MARKS;
	unsigned int attempt = ++responder.attempts[mark];
	uint64_t tid = message->head.tid, last_tid = responder.last_tid[mark];

	responder.requests++;
	responder.last_tid[mark] = tid;
	if (responder.log)
		fprintf(responder.log, "%u %u %lu\n", mark, attempt, clock_us());
	if (has_oui(responder.mgmt_class) && !oui_is_good(message->mad))
		fail("a request with another OUI", -EPROTO);
	if (attempt < responder.from || is_mute(tid))
		return;
	make_answer(message);
	if (responder.previous) {
		message->head.tid = last_tid;
		if (attempt > 1)
			give(message);
	} else if (attempt == 1) {
		give_first(message);
	} else {
		give(message);
	}
}

static void receive_some(void)
{
	for (unsigned int i = 0; i < BATCH; i++) {
		struct message message;
		ssize_t length =
			counterpart_receive(responder.service.fd, &message, sizeof(message.mad));

		if (length == -EAGAIN)
			return;
		if (length < 0)
			fail("receiving", (int)length);
		if (length != sizeof(message.mad) || message.header.status)
			fail("receiving what is no request", -EPROTO);
		on_request(&message);
	}
}

static void open_port(void)
{
	const struct counterpart_agent agent = {
		.mgmt_class = responder.mgmt_class,
		.class_version = 1,
		.oui = has_oui(responder.mgmt_class) ? OUI : 0,
		.methods = METHODS,
	};

	responder.service.fd =
		counterpart_begin(responder.device, responder.port, &agent, &responder.agent);
}

int main(int argc, char **argv)
{
	const struct argp argp = { .options = options, .parser = parse };

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	open_port();
	responder.service.receive = receive_some;
	responder.service.send = send_now;
	serve(&responder.service);
	printf("responder, %s, class 0x%02x: %lu requests, %lu answers\n", counterpart_name,
	       responder.mgmt_class, responder.requests, responder.answers);
	if (responder.log)
		fclose(responder.log);
	counterpart_close(responder.service.fd);
	return EXIT_SUCCESS;
}
