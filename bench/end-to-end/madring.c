/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many MADs in flight by madring. As many as the other clients have, or, with --own-windows, as any
 * program would have them: no settings but the limits.
 */
#include "lanes.h"

#include <errno.h>
#include <stdlib.h>

#include <madring.h>

struct client;

/* The context of a request that is sent again and again. */
struct request {
	struct client *client;
	uint32_t slot;
};

struct client {
	struct measure measure; /* first: ask_syscalls() is handed it */
	struct madring *ring;
	struct madring_port *port;
	struct madring_agent *agent;
	uint64_t replies; /* since last asked */
	bool done;	  /* what is in flight is canceled now */
	uint32_t next_destination;
	struct request *requests;
};

static void send_one(struct client *client, struct request *request);

static void on_reply(const struct madring_completion *completion)
{
	struct request *request = completion->user;
	struct client *client = request->client;

	if (client->done)
		return;
	if (completion->status)
		measure_fail(&client->measure, "transaction", completion->status);
	client->replies++;
	latency_turn(&client->measure.latency, request->slot);
	send_one(client, request);
}

static void send_one(struct client *client, struct request *request)
{
	struct madring_mad *mad = madring_mad_alloc(client->agent);
	struct madring_send_options send = { .callback = on_reply, .user = request };
	int ret;

	if (!mad)
		measure_fail(&client->measure, "buffer", ENOBUFS);
	madring_gmp_prepare(mad, (uint16_t)(client->measure.first_lid + client->next_destination),
			    MADRING_GET, LANES_ATTRIBUTE, 0);
	client->next_destination = (client->next_destination + 1) % LANES_DESTINATIONS;
	ret = madring_send(client->agent, mad, &send);
	if (ret)
		measure_fail(&client->measure, "madring_send", ret);
}

static void open_all(struct client *client)
{
	struct madring_config config = {
		.transactions = 2 * client->measure.in_flight,
		.lanes = client->measure.lanes,
		.driver = client->measure.plain ? MADRING_DRIVER_PLAIN : MADRING_DRIVER_URING,
		.receive = client->measure.receive,
		.pin = MADRING_PIN_BEST_EFFORT,
		.sqpoll_idle_ms = client->measure.sqpoll ? MEASURE_IDLE_MS : 0,
	};
	struct madring_agent_config agent = {
		.mgmt_class = LANES_MGMT_CLASS,
		.class_version = 1,
		.window = client->measure.in_flight,
		.timeout_ms = client->measure.timeout_ms,
		.flow_window = 2 * client->measure.in_flight / LANES_DESTINATIONS + 2,
		.pin_window = !client->measure.own_windows,
		.pin_flow_window = !client->measure.own_windows,
	};
	int ret = madring_open(&client->ring, &config);

	if (ret)
		measure_fail(&client->measure, "madring_open", ret);
	ret = madring_port_open(client->ring, NULL, 0, NULL, &client->port);
	if (ret)
		measure_fail(&client->measure, "madring_port_open", ret);
	ret = madring_agent_open(client->port, &agent, &client->agent);
	if (ret)
		measure_fail(&client->measure, "madring_agent_open", ret);
}

static void send_all(struct client *client)
{
	client->requests = calloc(client->measure.in_flight, sizeof(*client->requests));
	if (!client->requests)
		measure_fail(&client->measure, "requests", ENOMEM);
	for (uint32_t i = 0; i < client->measure.in_flight; i++) {
		client->requests[i] = (struct request){ .client = client, .slot = i };
		send_one(client, &client->requests[i]);
	}
}

static uint64_t ask_syscalls(const struct measure *measure)
{
	struct madring_stats stats;

	madring_get_stats(((const struct client *)measure)->ring, &stats);
	return stats.entries;
}

/* Runs the ring. Returns how many replies that brought. */
static uint64_t take_turn(struct client *client)
{
	uint64_t replies;
	int ret = madring_run(client->ring, -1);

	if (ret < 0)
		measure_fail(&client->measure, "madring_run", ret);
	replies = client->replies;
	client->replies = 0;
	return replies;
}

int main(int argc, char **argv)
{
	static struct client client;

	measure_options(&client.measure, "madring", argc, argv);
	client.measure.ask_syscalls = ask_syscalls;
	open_all(&client);
	send_all(&client);
	while (measure_replies(&client.measure, take_turn(&client)))
		;
	client.done = true;
	madring_close(client.ring);
	free(client.requests);
	return measure_report(&client.measure);
}
