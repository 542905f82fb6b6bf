/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <string.h>

#include "engine_fixture.h"

#define PERF_CLASS 0x04

struct engine *fixture_open(uint32_t transactions, uint64_t tick_ns, uint64_t now)
{
	struct engine_config config = {
		.transactions = transactions,
		.agents = 4,
		.lanes = 2,
		.flows = transactions,
		.tick_ns = tick_ns,
		.seed = 1,
		.now = now,
	};
	struct engine *engine;

	assert_int_equal(engine_open(&engine, &config), 0);
	engine_lane_open(engine, 0);
	return engine;
}

struct engine_agent_config fixture_agent(void)
{
	return (struct engine_agent_config){
		.window = 4096,
		.flow_window = 16,
		.flow_first = 4,
		.queue_ns = 200000,
		.first_timeout_ns = 250 * MS,
		.min_timeout_ns = 25 * MS,
		.max_timeout_ns = 1000 * MS,
		.attempts = 8,
		.lane_count = 1,
		.lane[0] = { .lane = 0, .agent_id = 5 },
	};
}

void fixture_request(struct buffer *buffer, uint16_t lid, uint16_t attr_id)
{
	struct madring_mad_hdr *header = (struct madring_mad_hdr *)buffer->mad;

	memset(buffer, 0, sizeof(*buffer));
	buffer->umad.addr.lid = htobe16(lid);
	buffer->umad.addr.qpn = htobe32(1);
	header->base_version = 1;
	header->mgmt_class = PERF_CLASS;
	header->class_version = 1;
	header->method = MADRING_GET;
	header->attr_id = htobe16(attr_id);
}

uint64_t fixture_send(struct engine *engine, unsigned int agent, struct buffer *request)
{
	struct engine_request options = {
		.umad = &request->umad,
		.length = sizeof(request->mad),
		.user = request,
	};
	uint64_t id;

	assert_int_equal(engine_send(engine, agent, &options, &id), 0);
	return id;
}

struct engine_write fixture_write(struct engine *engine, uint64_t now)
{
	struct engine_write write;

	assert_true(engine_next_write(engine, now, &write));
	engine_write_done(engine, write.id, 0, now);
	return write;
}

void fixture_reply(struct buffer *reply, const struct ib_user_mad *request)
{
	memcpy(reply, request, sizeof(*reply));
	reply->umad.timeout_ms = 0;
	reply->umad.length = sizeof(*reply);
	((struct madring_mad_hdr *)reply->mad)->method = MADRING_GET_RESP;
}

enum engine_receive fixture_receive(struct engine *engine, struct buffer *reply, uint64_t now)
{
	return engine_receive(engine, 0, &reply->umad, sizeof(*reply), now);
}

void fixture_exchange(struct engine *engine, unsigned int agent, uint16_t lid, uint64_t rtt_ns,
		      uint64_t *now)
{
	struct engine_completion completion;
	struct buffer request, reply;

	fixture_request(&request, lid, 0x12);
	fixture_send(engine, agent, &request);
	fixture_reply(&reply, fixture_write(engine, *now).umad);
	*now += rtt_ns;
	assert_int_equal(fixture_receive(engine, &reply, *now), ENGINE_REPLY);
	assert_true(engine_next_completion(engine, &completion));
	assert_int_equal(completion.status, 0);
}

uint32_t fixture_tid(const struct ib_user_mad *umad)
{
	return (uint32_t)be64toh(((const struct madring_mad_hdr *)umad->data)->tid);
}
