/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "scenario_client.h"
#include "engine/engine.h"
#include "topologies.h"

#define US UINT64_C(1000)
#define MS (1000 * US)

#define LIMIT	  (10000 * MS)
#define MAX_HOPS  16
#define MAX_NODES 256
#define PATH_BYTE 129
#define LINK_UP	  5
#define AGENT_ID  5

struct buffer {
	struct ib_user_mad umad;
	_Alignas(8) uint8_t mad[FABRIC_MAD_BYTES];
};

struct request {
	struct buffer buffer; /* the first, so that it is what the engine gives back */
	uint8_t hops;
	uint8_t path[MAX_HOPS];
};

struct client {
	struct fabric *fabric;
	int endpoint;
	struct engine *engine;
	unsigned int agent;
	uint64_t now;
	uint64_t guid[MAX_NODES];
	struct client_result *result;
};

static struct request *new_request(unsigned int class, uint16_t attribute, uint32_t modifier)
{
	struct request *request = calloc(1, sizeof(*request));
	uint8_t *mad;

	assert_non_null(request);
	mad = request->buffer.mad;
	mad_set_field(mad, 0, IB_MAD_BASEVER_F, 1);
	mad_set_field(mad, 0, IB_MAD_MGMTCLASS_F, class);
	mad_set_field(mad, 0, IB_MAD_CLASSVER_F, 1);
	mad_set_field(mad, 0, IB_MAD_METHOD_F, IB_MAD_METHOD_GET);
	mad_set_field(mad, 0, IB_MAD_ATTRID_F, attribute);
	mad_set_field(mad, 0, IB_MAD_ATTRMOD_F, modifier);
	return request;
}

static void send_request(struct client *client, struct request *request, uint16_t lid, uint32_t qp)
{
	const struct engine_request how = {
		.umad = &request->buffer.umad,
		.length = FABRIC_MAD_BYTES,
	};
	uint64_t id;

	request->buffer.umad.addr.lid = htobe16(lid);
	request->buffer.umad.addr.qpn = htobe32(qp);
	assert_int_equal(engine_send(client->engine, client->agent, &how, &id), 0);
}

static void ask_directed(struct client *client, const uint8_t *path, uint8_t hops,
			 uint16_t attribute, uint32_t modifier)
{
	struct request *request = new_request(IB_SMI_DIRECT_CLASS, attribute, modifier);
	uint8_t *mad = request->buffer.mad;

	request->hops = hops;
	memcpy(request->path, path, hops);
	mad_set_field(mad, 0, IB_DRSMP_HOPCNT_F, hops);
	mad_set_field(mad, 0, IB_DRSMP_DRSLID_F, 0xffff);
	mad_set_field(mad, 0, IB_DRSMP_DRDLID_F, 0xffff);
	memcpy(mad + PATH_BYTE, path, hops);
	send_request(client, request, 0xffff, 0);
}

static void ask_lid(struct client *client, uint16_t lid)
{
	struct request *smp = new_request(IB_SMI_CLASS, IB_ATTR_NODE_INFO, 0);
	struct request *gmp = new_request(IB_PERFORMANCE_CLASS, IB_GSI_PORT_COUNTERS, 0);

	mad_set_field(gmp->buffer.mad + IB_PC_DATA_OFFS, 0, IB_PC_PORT_SELECT_F, 1);
	send_request(client, smp, lid, 0);
	send_request(client, gmp, lid, 1);
}

static bool is_new(struct client *client, uint64_t guid)
{
	for (size_t i = 0; i < client->result->nodes; i++) {
		if (client->guid[i] == guid)
			return false;
	}
	assert_true(client->result->nodes < MAX_NODES);
	client->guid[client->result->nodes++] = guid;
	return true;
}

/* `node_info` believes nothing of the data, which may have a flipped bit. */
static void node_info(struct client *client, const struct request *request, uint8_t *data)
{
	unsigned int ports = mad_get_field(data, 0, IB_NODE_NPORTS_F), i;

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
	path[request->hops] = (uint8_t)mad_get_field(request->buffer.mad, 0, IB_MAD_ATTRMOD_F);
	ask_directed(client, path, request->hops + 1, IB_ATTR_NODE_INFO, 0);
}

static void take_answer(struct client *client, struct request *request, uint8_t *mad)
{
	if (mad_get_field(request->buffer.mad, 0, IB_MAD_MGMTCLASS_F) != IB_SMI_DIRECT_CLASS)
		return;
	switch (mad_get_field(request->buffer.mad, 0, IB_MAD_ATTRID_F)) {
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

static void complete_all(struct client *client)
{
	struct engine_completion completion;

	while (engine_next_completion(client->engine, &completion)) {
		if (completion.reply) {
			client->result->answered++;
			take_answer(client, (struct request *)completion.request,
				    ((struct buffer *)completion.reply)->mad);
		} else {
			client->result->timed_out++;
		}
		free(completion.request);
		free(completion.reply);
	}
}

static void write_all(struct client *client)
{
	struct engine_write write;

	while (engine_next_write(client->engine, client->now, &write)) {
		const struct buffer *buffer = (const struct buffer *)write.umad;
		struct fabric_packet packet = {
			.dlid = be16toh(buffer->umad.addr.lid),
			.sqp = be32toh(buffer->umad.addr.qpn),
			.dqp = be32toh(buffer->umad.addr.qpn),
		};

		memcpy(packet.mad, buffer->mad, sizeof(packet.mad));
		fabric_send(client->fabric, client->endpoint, &packet, client->now);
		engine_write_done(client->engine, write.id, 0, client->now);
	}
}

/* Adds a packet to the history, an FNV-1a hash. */
static void remember(struct client *client, const struct fabric_packet *packet)
{
	uint64_t *history = &client->result->history;

	*history = (*history ^ client->now) * 0x100000001b3;
	for (size_t i = 0; i < sizeof(packet->mad); i++)
		*history = (*history ^ packet->mad[i]) * 0x100000001b3;
}

/* Receives a packet in the form that the device gives it. */
static void receive(struct client *client, const struct fabric_packet *packet)
{
	struct buffer *buffer = calloc(1, sizeof(*buffer));

	assert_non_null(buffer);
	buffer->umad.agent_id = AGENT_ID;
	buffer->umad.length = sizeof(*buffer);
	buffer->umad.addr.lid = htobe16(packet->slid);
	buffer->umad.addr.qpn = htobe32(packet->sqp);
	memcpy(buffer->mad, packet->mad, sizeof(buffer->mad));
	if (engine_receive(client->engine, 0, &buffer->umad, sizeof(*buffer), client->now) !=
	    ENGINE_REPLY)
		free(buffer);
}

static void run_until_done(struct client *client)
{
	struct fabric_packet packet;
	uint64_t next, deadline;
	int endpoint;

	for (write_all(client); engine_outstanding(client->engine); write_all(client)) {
		next = fabric_next_event(client->fabric);
		deadline = engine_next_deadline(client->engine);
		if (deadline < next)
			next = deadline;
		if (next > client->now)
			client->now = next;
		assert_true(client->now < LIMIT);
		while (fabric_receive(client->fabric, client->now, &endpoint, &packet)) {
			assert_int_equal(endpoint, client->endpoint);
			remember(client, &packet);
			receive(client, &packet);
		}
		engine_advance(client->engine, client->now);
		complete_all(client);
	}
}

static void open_engine(struct client *client, uint64_t seed)
{
	const struct engine_config config = {
		.transactions = 4096,
		.agents = 1,
		.lanes = 1,
		.flows = 4096,
		.tick_ns = 50 * US,
		.seed = seed,
		.now = client->now,
	};
	const struct engine_agent_config agent = {
		.window = 64,
		.flow_window = 4,
		.first_timeout_ns = 2 * MS,
		.min_timeout_ns = 200 * US,
		.max_timeout_ns = 8 * MS,
		.attempts = 4,
		.lane_count = 1,
		.lane[0] = { .lane = 0, .agent_id = AGENT_ID },
	};
	int number;

	assert_int_equal(engine_open(&client->engine, &config), 0);
	engine_lane_open(client->engine, 0);
	number = engine_agent_open(client->engine, &agent);
	assert_true(number >= 0);
	client->agent = (unsigned int)number;
}

void client_run(struct fabric *fabric, int endpoint, uint16_t last_lid, uint64_t seed,
		struct client_result *result)
{
	static const uint8_t first_hop[] = { 1 };
	struct client client = {
		.fabric = fabric,
		.endpoint = endpoint,
		.now = fabric_now(fabric),
		.result = result,
	};
	uint16_t lid;

	*result = (struct client_result){ .history = 0xcbf29ce484222325 };
	open_engine(&client, seed);
	ask_directed(&client, first_hop, 0, IB_ATTR_NODE_INFO, 0);
	ask_directed(&client, first_hop, 1, IB_ATTR_NODE_INFO, 0);
	run_until_done(&client);
	for (lid = 1; lid <= last_lid; lid++)
		ask_lid(&client, lid);
	run_until_done(&client);
	engine_close(client.engine);
}
