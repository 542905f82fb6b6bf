/* SPDX-License-Identifier: BSD-2-Clause */
/* Path queries to one SA, all asked at once by madring: some of them may never be answered. */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/umad_sa.h>
#include <madring.h>

#include "bench_measure.h"

#define PATH_RECORD 0x0035
#define PATH_DLID   40 /* bytes from the start of a PathRecord (IBA 15.2.5.16) */

struct client {
	struct measure measure;
	struct madring *ring;
	struct madring_port *port;
	struct madring_agent *agent;
	uint64_t answered, timed_out;
	uint64_t start_ns, last_answer_ns;
};

static void on_outcome(const struct madring_completion *completion)
{
	struct client *client = completion->user;

	if (completion->status == -ETIMEDOUT) {
		client->timed_out++;
	} else if (completion->status) {
		measure_fail(&client->measure, "query", completion->status);
	} else {
		client->answered++;
		client->last_answer_ns = latency_now();
	}
}

static void open_all(struct client *client)
{
	const struct measure *measure = &client->measure;
	struct madring_config config = {
		.lanes = measure->lanes,
		.transactions = (uint32_t)measure->mads,
		.pin = MADRING_PIN_BEST_EFFORT,
	};
	struct madring_agent_config agent = {
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.class_version = UMAD_SA_CLASS_VERSION,
		.timeout_ms = measure->timeout_ms,
	};
	int ret = madring_open(&client->ring, &config);

	if (!measure->own_windows) {
		agent.pin_window = agent.pin_flow_window = true;
		agent.window = agent.flow_window = measure->in_flight;
	}
	if (ret)
		measure_fail(measure, "madring_open", ret);
	ret = madring_port_open(client->ring, NULL, 0, NULL, &client->port);
	if (ret)
		measure_fail(measure, "madring_port_open", ret);
	ret = madring_agent_open(client->port, &agent, &client->agent);
	if (ret)
		measure_fail(measure, "madring_agent_open", ret);
}

/* Each query asks for the path to another LID, so that no two of them are alike. */
static void send_query(struct client *client, uint16_t dlid)
{
	struct madring_send_options send = { .callback = on_outcome, .user = client };
	struct madring_mad *mad = madring_mad_alloc(client->agent);
	struct umad_sa_packet *packet;
	uint16_t lid = htobe16(dlid);
	int ret;

	if (!mad)
		measure_fail(&client->measure, "buffer", ENOBUFS);
	madring_gmp_prepare(mad, client->measure.first_lid, MADRING_GET, PATH_RECORD, 0);
	packet = madring_mad_data(mad);
	memcpy(packet->data + PATH_DLID, &lid, sizeof(lid));
	ret = madring_send(client->agent, mad, &send);
	if (ret)
		measure_fail(&client->measure, "madring_send", ret);
}

static int report(const struct client *client)
{
	struct madring_stats stats;

	madring_get_stats(client->ring, &stats);
	printf("{\"queries\": %" PRIu64 ", \"wall_ns\": %" PRIu64 ", \"last_answer_ns\": %" PRIu64
	       ", \"answered\": %" PRIu64 ", \"timed_out\": %" PRIu64 ", \"sent\": %" PRIu64
	       ", \"retries\": %" PRIu64 "}\n",
	       client->measure.mads, latency_now() - client->start_ns,
	       client->last_answer_ns - client->start_ns, client->answered, client->timed_out,
	       stats.sent, stats.retried);
	return measure_written(&client->measure);
}

int main(int argc, char **argv)
{
	static struct client client;
	int ret;

	measure_options(&client.measure, "queries", argc, argv);
	if (client.measure.mads > UINT16_MAX)
		measure_fail(&client.measure, "--mads", ERANGE);
	open_all(&client);
	client.start_ns = client.last_answer_ns = latency_now();
	for (uint64_t i = 0; i < client.measure.mads; i++)
		send_query(&client, (uint16_t)(i + 1));
	while (client.answered + client.timed_out < client.measure.mads) {
		ret = madring_run(client.ring, -1);
		if (ret < 0)
			measure_fail(&client.measure, "madring_run", ret);
	}
	ret = report(&client);
	madring_close(client.ring);
	return ret;
}
