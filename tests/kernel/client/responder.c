/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers the GMPs of a class that come to a port, as nodes do and as they should not: late, twice,
 * not at all, or wrongly. It knows a request's attempts by the mark that they all carry. A good
 * answer is the request as it came, with the proof that somebody was here. It answers until it is
 * killed by SIGTERM, and then says what it has done.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/umad.h>
#include <infiniband/umad_types.h>

#include "common/option_table.h"
#include "../common/kernel_clock.h"
#include "../common/kernel_fail.h"
#include "counterpart.h"
#include "mark.h"
#include "kernel_serve.h"

#define QKEY	    0x80010000u
#define MARKS	    (1u << 20) /* that are told from each other */
#define BATCH	    64
#define TRIES	    1000 /* at an answer that may be refused as a duplicate */
#define TRY_US	    1000
#define NOT_THERE   0x000c /* a status: no such method with such an attribute */
#define OTHER_CLASS 0x0b
#define METHODS	    (1u << 1 | 1u << 2 | 1u << 3 | 1u << 6) /* Get, Set, Send, Report */

struct message {
	struct ib_user_mad header;
	union {
		uint8_t mad[256];
		struct umad_hdr head;
	};
};

/* Makes an answer a wrong one. */
typedef void (*spoil_function)(struct message *answer);

#define OPTION_STRUCT struct responder

struct responder {
	const char *device;
	int port;
	uint8_t mgmt_class;
	unsigned int from; /* the first attempt that is answered */
	bool previous, twice, swap;
	uint64_t late_ms;
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

static void take_wrong(void *field, const char *option, const char *what)
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

	(void)field;
	(void)option;
	responder.swap = !strcmp(what, "swap");
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++)
		if (!strcmp(what, wrongs[i].name))
			responder.spoil = wrongs[i].spoil;
	if (!responder.swap && !responder.spoil)
		option_refuse(what, "--wrong has no such thing");
}

static void take_log(void *log, const char *option, const char *path)
{
	(void)option;
	*(FILE **)log = fopen(path, "w");
	if (!*(FILE **)log)
		option_refuse(path, strerror(errno));
}

static const struct option_entry entries[] = {
	{ 'd', "device", "NAME", "such as vhca0", OPTION_TEXT(device) },
	{ 'p', "port", "NUMBER", "of the device; default 2", OPTION_NUMBER(port, 1, 254) },
	{ 'c', "class", "CLASS", "of the MADs; default 0x03", OPTION_NUMBER(mgmt_class, 2, 0x7f) },
	{ 0, "from", "N", "only the Nth attempt and those after it are answered",
	  OPTION_NUMBER(from, 1, UINT8_MAX) },
	{ 0, "previous", NULL, "at each attempt, the one before is answered",
	  OPTION_FLAG(previous) },
	{ 0, "late", "MS", "so long after the request", OPTION_NUMBER(late_ms, 1, 600000) },
	{ 0, "twice", NULL, "each answer", OPTION_FLAG(twice) },
	{ 0, "mute", "PERCENT", "of the attempts, by their TID, are not answered",
	  OPTION_NUMBER(mute, 1, 100) },
	{ 0, "wrong", "WHAT",
	  "of the answer to each first attempt: tid, swap (each two get each other's TID), status, "
	  "class, method, attribute or modifier",
	  OPTION_CALL(take_wrong) },
	{ 0, "log", "FILE", "a line for each attempt: its mark, number and time in us",
	  OPTION_BY(take_log, log) },
	OPTION_END,
};

static const struct option_table table = {
	.usage =
		"Answers the GMPs of a class, as nodes do and as they should not, until SIGTERM.\n",
	.notes = "",
	.entries = entries,
};

/*
 * Tells whether @error may be the refusal of a duplicate: the kernel refuses a response while it
 * sends another one with its TID.
 */
static bool may_be_duplicate(int error)
{
	return responder.twice && error == -EINVAL;
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
	uint64_t due = clock_us() + responder.late_ms * 1000;

	for (unsigned int i = 0; i <= responder.twice; i++) {
		if (!responder.late_ms)
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

	option_table_read(&table, &responder, "", argc, argv);
	open_port();
	responder.service.receive = receive_some;
	responder.service.send = send_now;
	serve(&responder.service);
	printf("responder, class 0x%02x: %lu requests, %lu answers\n", responder.mgmt_class,
	       responder.requests, responder.answers);
	if (responder.log)
		fclose(responder.log);
	counterpart_close(responder.service.fd);
	return EXIT_SUCCESS;
}
