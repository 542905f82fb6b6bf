/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests and replies for tests that drive an engine by hand. */
#ifndef TEST_FIXTURE_H
#define TEST_FIXTURE_H

#include "engine/engine.h"

#define MS 1000000ull

struct buffer {
	struct ib_user_mad umad;
	uint8_t mad[MADRING_MAD_BYTES];
};

/* Opens an engine with one open lane, number 0. */
struct engine *fixture_open(uint32_t transactions, uint64_t tick_ns, uint64_t now);
/* Returns the configuration of an agent on lane 0 that retries by the round trip. */
struct engine_agent_config fixture_agent(void);
/* Makes a PerfMgt Get to @lid. */
void fixture_request(struct buffer *buffer, uint16_t lid, uint16_t attr_id);
/* Sends it; the request's buffer is also its .user. Returns the transaction's id. */
uint64_t fixture_send(struct engine *engine, unsigned int agent, struct buffer *request);
/* Takes the next write, which must exist, and reports it as done. */
struct engine_write fixture_write(struct engine *engine, uint64_t now);
/* Makes the reply to a request as it was written. */
void fixture_reply(struct buffer *reply, const struct ib_user_mad *request);
enum engine_receive fixture_receive(struct engine *engine, struct buffer *reply, uint64_t now);
/* Sends a request to @lid and takes its reply, @rtt_ns after *@now, which becomes that time. */
void fixture_exchange(struct engine *engine, unsigned int agent, uint16_t lid, uint64_t rtt_ns,
		      uint64_t *now);
uint32_t fixture_tid(const struct ib_user_mad *umad);

#endif
