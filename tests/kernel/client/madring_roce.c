/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Round trips by madring through a RoCE port, to a responder at each of the GIDs; each GID is a
 * flow of its own. Or, when nothing answers there, the device is removed with all requests in
 * flight.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <madring.h>

#include "common/option_table.h"
#include "../common/kernel_fail.h"
#include "kernel_target.h"

#define MOST_GIDS   8u
#define FLOW_WINDOW 4u
#define HOP_LIMIT   64
#define ANY_LID	    1 /* such a port has none */

struct place {
	uint8_t gid[16];
};

#define OPTION_STRUCT struct roce

struct roce {
	const char *ca_name;
	struct target target;
	struct place place[MOST_GIDS];
	uint32_t places, count;
	bool gone; /* the device is going to be removed */
	struct madring *ring;
	struct madring_agent *agent;
	uint32_t ended;
	bool *seen;
};
static struct roce roce = {
	.target = { .mgmt_class = 0x04, .responder = ANY_LID },
	.count = 1000,
};

static void refuse(uint32_t mark, const char *why)
{
	errx(EXIT_FAILURE, "request %u: %s", mark, why);
}

static const struct option_entry entries[] = {
	{ 'd', "device", "NAME", "such as rxe0", OPTION_TEXT(ca_name) },
	{ 'c', "class", "CLASS", "of the MADs; default 0x04",
	  OPTION_NUMBER(target.mgmt_class, 2, 0x7f) },
	{ 'n', "count", "COUNT", "requests; default 1000", OPTION_NUMBER(count, 1, 1000000) },
	{ 0, "gone", NULL, "all have to end because the device is gone", OPTION_FLAG(gone) },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Requests and their replies through a RoCE port, by madring, to each GID.\n",
	.notes = "",
	.entries = entries,
};

static void read_places(int argc, char **argv, int first)
{
	for (int i = first; i < argc; i++)
		if (roce.places == MOST_GIDS ||
		    inet_pton(AF_INET6, argv[i], roce.place[roce.places++].gid) != 1)
			option_refuse(argv[i], "up to 8 GIDs are wanted");
	if (!roce.places)
		option_refuse("GID", "none is named");
}

static void open_all(void)
{
	const struct madring_config config = { .transactions = roce.count };
	const struct madring_agent_config agent = {
		.mgmt_class = roce.target.mgmt_class,
		.class_version = 1,
		.oui = target_oui(&roce.target),
		.window = roce.count,
		.pin_window = true,
		.flow_window = roce.gone ? roce.count : FLOW_WINDOW,
		.pin_flow_window = true,
		.timeout_ms = roce.gone ? MADRING_FOREVER : 60000,
	};
	struct madring_port *port;
	int error = madring_open(&roce.ring, &config);

	if (error)
		fail("madring_open", error);
	error = madring_port_open(roce.ring, roce.ca_name, 1, NULL, &port);
	if (error)
		fail("madring_port_open", error);
	error = madring_agent_open(port, &agent, &roce.agent);
	if (error)
		fail("madring_agent_open", error);
}

static const struct place *place_of(uint32_t mark)
{
	return &roce.place[mark % roce.places];
}

static void check_reply(uint32_t mark, const struct madring_mad *reply)
{
	struct madring_grh grh;

	if (!target_answers(&roce.target, reply, mark))
		refuse(mark, "not its own reply");
	if (!madring_mad_grh(reply, &grh))
		refuse(mark, "a reply without a GRH");
	if (memcmp(grh.gid, place_of(mark)->gid, sizeof(grh.gid)) != 0)
		refuse(mark, "the reply is from another GID");
}

static void on_outcome(const struct madring_completion *completion)
{
	uint32_t mark = (uint32_t)(uintptr_t)completion->user;

	if (roce.seen[mark])
		refuse(mark, "completed twice");
	if (completion->status != (roce.gone ? -ENODEV : 0))
		fail("a request", completion->status);
	if (!roce.gone)
		check_reply(mark, completion->mad);
	roce.seen[mark] = true;
	roce.ended++;
}

static void send_one(uint32_t mark)
{
	const struct madring_send_options send = {
		.callback = on_outcome,
		.user = (void *)(uintptr_t)mark,
	};
	struct madring_grh grh = { .hop_limit = HOP_LIMIT };
	struct madring_mad *mad = madring_mad_alloc(roce.agent);
	int error;

	if (!mad)
		fail("no buffer", -ENOMEM);
	target_ask(&roce.target, mad, mark);
	memcpy(grh.gid, place_of(mark)->gid, sizeof(grh.gid));
	madring_mad_set_grh(mad, &grh);
	error = madring_send(roce.agent, mad, &send);
	if (error)
		fail("madring_send", error);
}

/* Submits until all requests are in flight, and says so: the device may go then. */
static void fly(void)
{
	struct madring_agent_state state;

	do {
		int written = madring_submit(roce.ring);

		if (written < 0)
			fail("madring_submit", written);
		madring_agent_get_state(roce.agent, &state);
	} while (state.queued);
	printf("%u in flight\n", state.in_flight);
	fflush(stdout);
}

/*
 * Requires that each flow had its window full: all requests were queued before the first was sent.
 */
static void check_flows(void)
{
	struct madring_stats stats;

	madring_get_stats(roce.ring, &stats);
	if (stats.in_flight_peak == FLOW_WINDOW * (uint64_t)roce.places)
		return;
	errx(EXIT_FAILURE, "%lu in flight to %u GIDs, not %u to each",
	     (unsigned long)stats.in_flight_peak, roce.places, FLOW_WINDOW);
}

int main(int argc, char **argv)
{

	read_places(argc, argv, option_table_read(&table, &roce, "", argc, argv));
	roce.seen = calloc(roce.count, sizeof(*roce.seen));
	if (!roce.seen)
		fail("memory", -ENOMEM);
	open_all();
	for (uint32_t mark = 0; mark < roce.count; mark++)
		send_one(mark);
	if (roce.gone)
		fly();
	while (roce.ended < roce.count) {
		int done = madring_run(roce.ring, -1);

		if (done < 0)
			fail("madring_run", done);
	}
	if (!roce.gone)
		check_flows();
	printf("class 0x%02x: %u %s\n", roce.target.mgmt_class, roce.ended,
	       roce.gone ? "ended with the device" : "round trips");
	madring_close(roce.ring);
	free(roce.seen);
	return EXIT_SUCCESS;
}
