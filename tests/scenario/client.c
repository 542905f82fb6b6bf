/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "client.h"
#include "topologies.h"

#define WINDOW	     16
#define TRIES	     4
#define TIMEOUT	     2000000 /* ns */
#define LIMIT	     10000000000
#define MAX_HOPS     16
#define MAX_NODES    256
#define MAX_REQUESTS 16384
#define PATH_BYTE    129
#define RESPONSE     0x80
#define LINK_UP	     5

struct request {
	struct fabric_packet packet;
	uint64_t deadline;
	unsigned int tries;
	uint8_t hops;
	uint8_t path[MAX_HOPS];
};

struct client {
	struct fabric *fabric;
	int endpoint;
	uint64_t now;
	/* In order; those before first_waiting are done or in flight. */
	struct request *requests[MAX_REQUESTS];
	size_t count, first_waiting;
	size_t in_flight[WINDOW];
	size_t in_flight_count;
	uint64_t guid[MAX_NODES];
	struct client_result *result;
};

static struct request *new_request(struct client *client, unsigned int class, uint16_t attribute,
				   uint32_t modifier)
{
	struct request *request = calloc(1, sizeof(*request));
	uint8_t *mad;

	assert_non_null(request);
	assert_true(client->count < MAX_REQUESTS);
	mad = request->packet.mad;
	mad_set_field(mad, 0, IB_MAD_BASEVER_F, 1);
	mad_set_field(mad, 0, IB_MAD_MGMTCLASS_F, class);
	mad_set_field(mad, 0, IB_MAD_CLASSVER_F, 1);
	mad_set_field(mad, 0, IB_MAD_METHOD_F, IB_MAD_METHOD_GET);
	mad_set_field64(mad, 0, IB_MAD_TRID_F, client->count);
	mad_set_field(mad, 0, IB_MAD_ATTRID_F, attribute);
	mad_set_field(mad, 0, IB_MAD_ATTRMOD_F, modifier);
	client->requests[client->count++] = request;
	return request;
}

static void ask_directed(struct client *client, const uint8_t *path, uint8_t hops,
			 uint16_t attribute, uint32_t modifier)
{
	struct request *request = new_request(client, IB_SMI_DIRECT_CLASS, attribute, modifier);
	uint8_t *mad = request->packet.mad;

	request->hops = hops;
	memcpy(request->path, path, hops);
	request->packet.slid = 0xffff;
	request->packet.dlid = 0xffff;
	mad_set_field(mad, 0, IB_DRSMP_HOPCNT_F, hops);
	mad_set_field(mad, 0, IB_DRSMP_DRSLID_F, 0xffff);
	mad_set_field(mad, 0, IB_DRSMP_DRDLID_F, 0xffff);
	memcpy(mad + PATH_BYTE, path, hops);
}

static void ask_lid(struct client *client, uint16_t lid)
{
	struct request *smp = new_request(client, IB_SMI_CLASS, IB_ATTR_NODE_INFO, 0);
	struct request *gmp = new_request(client, IB_PERFORMANCE_CLASS, IB_GSI_PORT_COUNTERS, 0);

	smp->packet.dlid = lid;
	gmp->packet.dlid = lid;
	gmp->packet.sqp = 1;
	gmp->packet.dqp = 1;
	mad_set_field(gmp->packet.mad + IB_PC_DATA_OFFS, 0, IB_PC_PORT_SELECT_F, 1);
}

static void send_again(struct client *client, struct request *request)
{
	request->tries++;
	request->deadline = client->now + TIMEOUT;
	fabric_send(client->fabric, client->endpoint, &request->packet, client->now);
}

static void fill_window(struct client *client)
{
	while (client->in_flight_count < WINDOW && client->first_waiting < client->count) {
		client->in_flight[client->in_flight_count++] = client->first_waiting;
		send_again(client, client->requests[client->first_waiting++]);
	}
}

static bool is_new(struct client *client, uint64_t guid)
{
	size_t i;

	for (i = 0; i < client->result->nodes; i++) {
		if (client->guid[i] == guid)
			return false;
	}
	assert_true(client->result->nodes < MAX_NODES);
	client->guid[client->result->nodes++] = guid;
	return true;
}

static void node_info(struct client *client, const struct request *request, uint8_t *data)
{
	unsigned int ports = mad_get_field(data, 0, IB_NODE_NPORTS_F), i;

	/* What came with a bit turned may say anything. */
	if (!is_new(client, mad_get_field64(data, 0, IB_NODE_GUID_F)))
		return;
	ask_directed(client, request->path, request->hops, IB_ATTR_NODE_DESC, 0);
	if (mad_get_field(data, 0, IB_NODE_TYPE_F) != IB_NODE_SWITCH)
		return;
	for (i = 1; i <= ports && i < 64; i++)
		ask_directed(client, request->path, request->hops, IB_ATTR_PORT_INFO, i);
}

static void port_info(struct client *client, struct request *request, uint8_t *data)
{
	uint8_t path[MAX_HOPS];

	if (request->hops == MAX_HOPS || mad_get_field(data, 0, IB_PORT_PHYS_STATE_F) != LINK_UP)
		return;
	memcpy(path, request->path, request->hops);
	path[request->hops] = (uint8_t)mad_get_field(request->packet.mad, 0, IB_MAD_ATTRMOD_F);
	ask_directed(client, path, request->hops + 1, IB_ATTR_NODE_INFO, 0);
}

static void take_answer(struct client *client, struct request *request, uint8_t *mad)
{
	client->result->answered++;
	if (mad_get_field(request->packet.mad, 0, IB_MAD_MGMTCLASS_F) != IB_SMI_DIRECT_CLASS)
		return;
	switch (mad_get_field(request->packet.mad, 0, IB_MAD_ATTRID_F)) {
	case IB_ATTR_NODE_INFO:
		node_info(client, request, mad + IB_SMP_DATA_OFFS);
		break;
	case IB_ATTR_PORT_INFO:
		port_info(client, request, mad + IB_SMP_DATA_OFFS);
		break;
	default:
		break;
	}
}

static void end_flight(struct client *client, size_t i)
{
	client->in_flight[i] = client->in_flight[--client->in_flight_count];
}

static void received(struct client *client, struct fabric_packet *packet)
{
	uint64_t tid = mad_get_field64(packet->mad, 0, IB_MAD_TRID_F);
	size_t i;

	if (!(packet->mad[3] & RESPONSE))
		return;
	for (i = 0; i < client->in_flight_count; i++) {
		if (client->in_flight[i] != tid)
			continue;
		end_flight(client, i);
		take_answer(client, client->requests[tid], packet->mad);
		return;
	}
}

/* FNV-1a */
static void remember(struct client *client, const struct fabric_packet *packet)
{
	uint64_t *history = &client->result->history;
	size_t i;

	*history = (*history ^ client->now) * 0x100000001b3;
	for (i = 0; i < sizeof(packet->mad); i++)
		*history = (*history ^ packet->mad[i]) * 0x100000001b3;
}

static uint64_t next_deadline(const struct client *client)
{
	uint64_t next = FABRIC_NEVER;
	size_t i;

	for (i = 0; i < client->in_flight_count; i++) {
		const struct request *request = client->requests[client->in_flight[i]];

		if (request->deadline < next)
			next = request->deadline;
	}
	return next;
}

static void expire(struct client *client)
{
	size_t i = 0;

	while (i < client->in_flight_count) {
		struct request *request = client->requests[client->in_flight[i]];

		if (request->deadline > client->now) {
			i++;
		} else if (request->tries < TRIES) {
			send_again(client, request);
			i++;
		} else {
			client->result->timed_out++;
			end_flight(client, i);
		}
	}
}

static void run_until_done(struct client *client)
{
	struct fabric_packet packet;
	uint64_t next, deadline;
	int endpoint;

	for (fill_window(client); client->in_flight_count; fill_window(client)) {
		next = fabric_next_event(client->fabric);
		deadline = next_deadline(client);
		client->now = next < deadline ? next : deadline;
		assert_true(client->now < LIMIT);
		while (fabric_receive(client->fabric, client->now, &endpoint, &packet)) {
			assert_int_equal(endpoint, client->endpoint);
			remember(client, &packet);
			received(client, &packet);
		}
		expire(client);
	}
}

void client_run(struct fabric *fabric, int endpoint, uint16_t last_lid,
		struct client_result *result)
{
	static const uint8_t first_hop[] = { 1 };
	struct client *client = calloc(1, sizeof(*client));
	uint16_t lid;
	size_t i;

	assert_non_null(client);
	*result = (struct client_result){ .history = 0xcbf29ce484222325 };
	client->fabric = fabric;
	client->endpoint = endpoint;
	client->result = result;
	client->now = fabric_now(fabric);
	ask_directed(client, first_hop, 0, IB_ATTR_NODE_INFO, 0);
	ask_directed(client, first_hop, 1, IB_ATTR_NODE_INFO, 0);
	run_until_done(client);
	for (lid = 1; lid <= last_lid; lid++)
		ask_lid(client, lid);
	run_until_done(client);
	assert_int_equal(result->answered + result->timed_out, client->count);
	for (i = 0; i < client->count; i++)
		free(client->requests[i]);
	free(client);
}
