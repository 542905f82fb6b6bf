/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the engine between any two calls. */
#include <errno.h>
#include <inttypes.h>

#include "engine_world.h"

static void check_between(const struct world *world, const char *what, uint32_t value,
			  uint32_t least, uint32_t most)
{
	if (value < least || value > most)
		fail(world, "%s: %u, should be %u to %u", what, value, least, most);
}

static void check_agent(const struct world *world, const struct agent_account *agent)
{
	const struct counts *counts = &agent->counts;
	const struct engine_agent_config *config = &agent->config;
	struct engine_agent_state state;
	uint32_t least, most;

	engine_agent_state(world->engine, (unsigned int)agent->number, &state);
	check_between(world, "in flight of an agent", state.in_flight, counts->flying,
		      counts_in_flight_most(counts));
	check_between(world, "queued of an agent", state.queued, counts->ready,
		      counts->ready + counts->blocked + counts->in_doubt);
	check_between(world, "window of an agent", state.window,
		      config->pin_window ? config->window : 1, config->window);
	holding_count(world, agent, &least, &most);
	check_between(world, "held by the kernel", state.kernel_held, least, most);
}

void checks_counts(struct world *world)
{
	const struct counts *counts = &world->ledger.counts;
	const struct engine *engine = world->engine;

	check_between(world, "outstanding", engine_outstanding(engine), world->ledger.opens,
		      world->ledger.opens);
	check_between(world, "in flight", engine_in_flight(engine), counts->flying,
		      counts_in_flight_most(counts));
	check_between(world, "completed", engine_completed(engine), counts->ended,
		      counts->ended + counts->ended_unreported + counts->in_doubt);
	for (unsigned int i = 0; i < world->agents; i++) {
		if (!world->agent[i]->closed)
			check_agent(world, world->agent[i]);
	}
}

void checks_deadline(struct world *world)
{
	uint64_t deadline = engine_next_deadline(world->engine);

	if (deadline <= world->now)
		fail(world,
		     "the next deadline is %" PRIu64 " after all until %" PRIu64 " were served",
		     deadline, world->now);
	if (world->ledger.opens > 64 && !prng_chance(&world->prng, 50000))
		return;
	if (deadline > ledger_deadline(&world->ledger))
		fail(world, "the next deadline is %" PRIu64 ", a timer is due at %" PRIu64,
		     deadline, ledger_deadline(&world->ledger));
}

/* Returns how many registrations an agent has on lanes that are not lost. */
static uint32_t open_registrations(const struct world *world, const struct agent_account *agent)
{
	uint32_t count = 0;

	for (unsigned int i = 0; i < agent->config.lane_count; i++)
		count += !world->lane_lost[agent->config.lane[i].lane];
	return count;
}

static void check_not_withheld(const struct world *world, const struct agent_account *agent)
{
	const struct engine_agent_config *config = &agent->config;
	const struct scenario *s = &world->scenario;
	uint32_t flow_window = config->pin_flow_window ? config->flow_window : 1;
	struct engine_agent_state state;

	if (!agent->counts.ready)
		return;
	engine_agent_state(world->engine, (unsigned int)agent->number, &state);
	if (counts_in_flight_most(&agent->counts) >= state.window)
		return;
	if (config->kernel_limit &&
	    state.kernel_held >= open_registrations(world, agent) * config->kernel_limit)
		return;
	for (uint32_t i = 0; i < s->own_flows + s->destinations; i++) {
		const struct counts *counts = &agent->flow[i].counts;

		if (counts->ready && counts_in_flight_most(counts) < flow_window)
			fail(world, "agent %d: %u requests wait, and the windows have room",
			     agent->number, counts->ready);
	}
}

void checks_no_write_withheld(struct world *world)
{
	for (unsigned int i = 0; i < world->agents; i++)
		check_not_withheld(world, world->agent[i]);
}

void checks_writes_aborted(const struct world *world)
{
	for (uint32_t i = 0; i < world->ledger.opens; i++) {
		const struct record *record = world->ledger.open[i];
		bool waits = record->progress == WAITING || record->progress == ENDED;

		if (waits && record->unreported && !record->abort_asked)
			fail(world,
			     "transaction %#" PRIx64 " waits for a write that nobody cancels",
			     record->id);
	}
}

static void check_stat(const struct world *world, const char *name, uint64_t value,
		       uint64_t expected)
{
	if (value != expected)
		fail(world, "statistics: %s is %" PRIu64 ", should be %" PRIu64, name, value,
		     expected);
}

static void check_stats(const struct world *world)
{
	const struct engine_stats *stats = engine_stats(world->engine);
	const struct tally *tally = &world->tally;

	check_stat(world, "accepted", stats->accepted, tally->accepted);
	check_stat(world, "completed", stats->completed, tally->accepted);
	check_stat(world, "sent", stats->sent, tally->written_well);
	check_stat(world, "received", stats->received, tally->received);
	check_stat(world, "replies", stats->replies, tally->replies);
	check_stat(world, "retried", stats->retried, tally->retried);
	check_stat(world, "timed_out", stats->timed_out, tally->timed_out);
	check_stat(world, "canceled", stats->canceled, tally->canceled);
	check_stat(world, "send_failed", stats->send_failed, tally->failed);
	check_stat(world, "device_gone", stats->device_gone, tally->device_gone);
	check_stat(world, "unmatched", stats->unmatched, tally->unmatched);
	check_stat(world, "unsolicited", stats->unsolicited, tally->unsolicited);
	check_stat(world, "malformed", stats->malformed, tally->malformed);
	check_stat(world, "notices", stats->notices, tally->notices);
	check_stat(world, "busy", stats->busy, tally->busy);
	check_stat(world, "redirected", stats->redirected, tally->redirected);
	if (stats->late_replies < tally->late || stats->late_replies > tally->replies)
		fail(world, "statistics: late_replies is %" PRIu64 ", should be at least %" PRIu64,
		     stats->late_replies, tally->late);
}

void checks_end(struct world *world)
{
	struct engine_completion completion;
	struct engine_write write;

	checks_counts(world);
	check_between(world, "in flight at the end", engine_in_flight(world->engine), 0, 0);
	check_between(world, "completed at the end", engine_completed(world->engine), 0, 0);
	if (engine_next_completion(world->engine, &completion))
		fail(world, "a completion after the last");
	if (engine_next_write(world->engine, world->now, &write))
		fail(world, "a write after the last completion");
	check_stats(world);
}
