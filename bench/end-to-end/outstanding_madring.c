/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that nobody answers, by madring. */
#include "lanes.h"
#include "bench_outstanding.h"

#include <madring.h>

struct client {
	struct outstanding outstanding;
	struct madring *ring;
	struct madring_port *port;
	struct madring_agent *agent;
	uint32_t queued, submitted;
};

static void check_result(const struct client *client, const char *what, int result)
{
	if (result < 0)
		measure_fail(&client->outstanding.measure, what, result);
}

static void open_ring(struct client *client)
{
	const struct measure *measure = &client->outstanding.measure;
	struct madring_config config = {
		.transactions = measure->in_flight,
		.lanes = measure->lanes,
		.receive = measure->receive,
		.pin = MADRING_PIN_BEST_EFFORT,
	};

	check_result(client, "madring_open", madring_open(&client->ring, &config));
}

static void open_port(struct client *client)
{
	const struct measure *measure = &client->outstanding.measure;
	struct madring_agent_config agent = {
		.mgmt_class = LANES_MGMT_CLASS,
		.class_version = 1,
		.window = measure->in_flight,
		.pin_window = true,
		.flow_window = measure->in_flight,
		.pin_flow_window = true,
		.timeout_ms = measure->timeout_ms,
	};

	check_result(client, "madring_port_open",
		     madring_port_open(client->ring, NULL, 0, NULL, &client->port));
	check_result(client, "madring_agent_open",
		     madring_agent_open(client->port, &agent, &client->agent));
}

static void send_one(struct client *client)
{
	uint32_t destination = client->queued++ % LANES_DESTINATIONS;
	struct madring_mad *mad = madring_mad_alloc(client->agent);

	if (!mad)
		measure_fail(&client->outstanding.measure, "buffer", ENOBUFS);
	madring_gmp_prepare(mad, (uint16_t)(client->outstanding.measure.first_lid + destination),
			    MADRING_GET, LANES_ATTRIBUTE, 0);
	check_result(client, "madring_send", madring_send(client->agent, mad, NULL));
}

static void write_until(struct client *client, uint32_t end)
{
	while (client->queued < end)
		send_one(client);
	while (client->submitted < end) {
		int count = madring_submit(client->ring);

		check_result(client, "madring_submit", count);
		client->submitted += (uint32_t)count;
	}
}

int main(int argc, char **argv)
{
	static struct client client;
	struct outstanding *outstanding = &client.outstanding;

	measure_options(&outstanding->measure, "madring", argc, argv);
	open_ring(&client);
	spent_start(&outstanding->open);
	open_port(&client);
	spent_stop(&outstanding->open);
	for (uint32_t quarter = 0; quarter < QUARTERS; quarter++) {
		spent_start(&outstanding->quarter[quarter]);
		write_until(&client, outstanding_end(outstanding, quarter));
		spent_stop(&outstanding->quarter[quarter]);
	}
	spent_start(&outstanding->close);
	madring_close(client.ring);
	spent_stop(&outstanding->close);
	return outstanding_report(outstanding);
}
