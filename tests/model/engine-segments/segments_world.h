/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The world of one seed: an engine whose agents leave RMPP to it, its caller, the kernel below it,
 * and nodes far away that ask and answer, at length or in one MAD.
 */
#ifndef SEGMENTS_WORLD_H
#define SEGMENTS_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "rmpp/rmpp.h"
#include "model/common/agenda.h"
#include "model/common/prng.h"
#include "model/common/seeds.h"

#define SA_CLASS     0x03
#define PLAIN_CLASS  0x04 /* which has no RMPP */
#define HEADER_BYTES 56u  /* of SA_CLASS */
#define GET_TABLE    0x12
#define SEND_TABLE   0x13 /* without a response */
#define RESPONSE     0x80

#define LANES	 3
#define AGENTS	 3 /* two clients, and one that receives requests: the last */
#define NODES	 8
#define SERVER	 (AGENTS - 1)
#define OWN_LID	 100
#define AGENT_ID 4 /* the kernel's, of the first agent */

struct scenario {
	struct engine_config engine;
	uint32_t requests; /* of the engine's caller */
	uint32_t calls;	   /* of the nodes */
	size_t longest;	   /* bytes of a message */
	uint64_t pause_ns, delay_ns, jitter_ns, answer_ns;
	uint64_t sending_ns; /* the longest that the kernel has a MAD that it has taken */
	/* Chances are in parts per million. */
	uint32_t loss, twice, no_room, write_error, memory_refused, cancel, lane_lost, agent_closed;
	uint32_t long_request, long_reply, no_reply, plain_class;
	bool hasty;	/* the clients ask again before they can have an answer */
	bool slow;	/* messages take longer than a reply is waited for */
	bool shut_down; /* before all has ended */
};

/* A message that one end sends; the number is in its attribute modifier. */
struct exchange {
	struct ib_user_mad *request, *response;
	size_t request_length, response_length;
	unsigned int agent, node;
	bool is_call; /* of a node's, to the engine */
	bool long_request, long_reply, no_reply;
	bool open; /* accepted by the engine and not completed; or sent by the node */
	uint64_t id;
	uint32_t arrivals; /* of the request */
	uint32_t completions;
};

/* A message that a node sends. */
struct sending {
	struct sending *next;
	uint64_t id;
	struct ib_user_mad umad; /* and the message */
};

/* A write that waits for a reply in the kernel. */
struct waiting {
	struct waiting *next;
	struct ib_user_mad umad;
	uint8_t header[24];
	unsigned int lane;
};

/* A MAD that the kernel has taken and not sent yet. */
struct being_sent {
	uint8_t tid[8];
	bool is_response;
	unsigned int lane, node;
	uint64_t until;
};

#define BEING_SENT 64 /* that are remembered */

struct world {
	uint64_t seed;
	struct prng prng;
	struct scenario scenario;
	struct engine *engine;
	struct rmpp *far; /* the nodes': a lane of it is a node */
	uint64_t now;
	uint64_t advanced_at; /* the engine's time */
	struct agenda events;
	struct exchange *exchange;
	uint32_t exchanges;
	uint64_t next_start;
	unsigned int agent[AGENTS]; /* the engine's numbers */
	bool agent_closed[AGENTS];
	bool lane_lost[LANES];
	bool shut;
	struct waiting *waiting;
	struct being_sent being_sent[BEING_SENT]; /* a ring */
	uint32_t taken;
	struct sending *sending;
	uint64_t buffers; /* held: those of received messages, and of packets */
	uint64_t digest;  /* of all that was written */
	uint64_t steps, completed, answered, dropped_by_kernel, duplicates;
};

/* Ends the seed, which does not hold, with a message that names the world's time. */
#define fail(world, ...) seeds_fail((world)->now, __VA_ARGS__)

/* Plays @seed to its end. Returns a digest of all that was written. */
uint64_t world_play(uint64_t seed, bool verbose);

/* Each takes or frees a buffer for a received message, and counts it in @world, a struct world. */
struct ib_user_mad *buffer_new(void *world, size_t mad_bytes);
void buffer_free(void *world, struct ib_user_mad *umad);

/*
 * Returns what the engine's RMPP and the nodes' have in common; .sends, .receives, .frames and
 * .window are 0.
 */
struct rmpp_config world_rmpp_config(struct world *world);

/* segments_scenario.c */
void scenario_draw(struct scenario *scenario, struct prng *prng);
bool scenario_is_quiet(const struct scenario *scenario);

/* segments_messages.c */
struct ib_user_mad *message_make(uint8_t mgmt_class, uint8_t method, uint32_t number, size_t length,
				 bool in_segments);
void message_check(const struct world *world, const struct ib_user_mad *umad, size_t length,
		   const struct ib_user_mad *expected, size_t expected_length);
uint32_t message_number(const uint8_t *mad);

/* segments_caller.c */
void caller_open(struct world *world);
void caller_start(struct world *world);
void caller_disturb(struct world *world);
/* Takes the engine's completions and requests. */
void caller_take(struct world *world);
void caller_check_end(struct world *world);

/* segments_kernel.c */
void kernel_write(struct world *world);
/* Receives a MAD of a node's, as it is on the wire. */
void kernel_receive(struct world *world, unsigned int node, const uint8_t *mad);
void kernel_report(struct world *world, uint64_t tag);
void kernel_time_out(struct world *world, struct waiting *waiting);
void kernel_close(struct world *world);

/* segments_nodes.c */
void nodes_open(struct world *world);
/* Delivers a MAD to a node. */
void nodes_receive(struct world *world, unsigned int node, const uint8_t *mad);
void nodes_respond(struct world *world, struct exchange *exchange, uint64_t tid);
void nodes_call(struct world *world, struct exchange *exchange);
/* Takes the outcomes of the nodes' RMPP, and writes its frames. */
void nodes_work(struct world *world);

/* segments_network.c */
enum event {
	EVENT_TO_ENGINE,
	EVENT_TO_NODE,
	EVENT_REPORT,
	EVENT_TIME_OUT,
	EVENT_RESPOND,
};
/* Sends a MAD, which is lost, or arrives once or twice. */
void network_send(struct world *world, enum event where, unsigned int node, const uint8_t *mad);
void network_schedule(struct world *world, enum event event, uint64_t at, void *what, uint64_t tag);
void network_deliver(struct world *world);
void network_close(struct world *world);

#endif
