/* SPDX-License-Identifier: BSD-2-Clause */
/* The world of one seed: the engine under test, its caller, the kernel and the network. */
#ifndef SIMULATION_WORLD_H
#define SIMULATION_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/common/agenda.h"
#include "engine/engine.h"
#include "holding.h"
#include "engine_ledger.h"
#include "model/common/prng.h"
#include "model/common/seeds.h"
#include "engine_scenario.h"

#define DR_CLASS 0x81 /* SMPs by directed route */
#define SA_CLASS 0x03

#define MAX_LANES  8
#define MAX_AGENTS 64 /* ever opened in one seed */
#define ENDED_IDS  32

struct destination {
	uint16_t lid;
	bool grh; /* behind a router: replies come from another LID */
	uint8_t hops;
	uint8_t path[64];
};

/* The counts that engine_stats() must return. */
struct tally {
	uint64_t accepted, writes, written_well, received, unmatched, unsolicited, malformed,
		notices;
	uint64_t replies, timed_out, canceled, failed, device_gone, written, late, retried, busy,
		redirected;
};

struct world {
	uint64_t seed;
	struct prng prng;
	struct scenario scenario;
	struct engine *engine;
	uint64_t now;
	uint64_t advanced_at; /* the engine's time */
	bool shut_down;
	bool ending; /* the caller sends no more */

	struct agenda events; /* struct packet */
	struct ledger ledger;
	struct holding holding;
	struct tally tally;
	struct destination *destination;
	struct agent_account *agent[MAX_AGENTS];
	unsigned int agents;
	bool lane_lost[MAX_LANES];
	uint64_t payloads;
	uint64_t ended_id[ENDED_IDS]; /* some of those handed out */
	unsigned int ended_ids;
	uint64_t steps;
	uint32_t refused_in_a_row;
};

/* Plays @seed to its end. Ends the process with a message when something does not hold. */
void world_play(uint64_t seed, bool verbose);

/* Ends the seed, which does not hold, with a message that names the world's time. */
#define fail(world, ...) seeds_fail((world)->now, __VA_ARGS__)

/* The caller: sends, cancels, opens and closes agents, loses lanes. */
void caller_open(struct world *world);
/* Returns any of the caller's agents, closed ones among them. */
struct agent_account *caller_agent(struct world *world);
void agent_open(struct world *world);
void agent_close(struct world *world, struct agent_account *agent);
void caller_act(struct world *world);
/* Each of the functions below may run in a callback, too. */
bool caller_send(struct world *world);
void caller_disturb(struct world *world);
void caller_lose_lane(struct world *world, unsigned int lane);
void caller_cancel_all(struct world *world);
void caller_shut_down(struct world *world);
void caller_close(struct world *world);

/* Takes @most completions, or all (0), checks each, and may call back. */
void outcomes_take(struct world *world, unsigned int most);

/* The kernel and the network: take writes, report them, and deliver what comes back. */
void kernel_take_writes(struct world *world);
/* Does all that is due now. Returns whether there was something. */
bool kernel_deliver(struct world *world);
/* Takes the writes that are to be canceled. */
void kernel_abort_writes(struct world *world);
void kernel_close(struct world *world);

/* `checks_counts` checks what must hold between any two calls. */
void checks_counts(struct world *world);
/* `checks_deadline` is called after engine_advance(). */
void checks_deadline(struct world *world);
/* `checks_no_write_withheld` is called after engine_next_write() had no more. */
void checks_no_write_withheld(struct world *world);
/* `checks_writes_aborted` is called after engine_next_abort() had no more. */
void checks_writes_aborted(const struct world *world);
/* `checks_end` is called at the end, when nothing is outstanding. */
void checks_end(struct world *world);

#endif
