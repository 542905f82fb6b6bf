/* SPDX-License-Identifier: BSD-2-Clause */
/* The writes that the engine asks for, and those that it wants canceled. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/tid.h"
#include "engine_packet.h"
#include "engine_world.h"

/* Checks the umad header and the MAD, but for what the engine is to write there. */
static void check_unchanged(const struct world *world, const struct record *record)
{
	const struct ib_user_mad *now = record->umad, *then = record->original;
	size_t tid = offsetof(struct madring_mad_hdr, tid);
	size_t behind = record->has_own_tid ? tid + sizeof(uint64_t) : tid;

	if (memcmp(&now->addr, &then->addr, sizeof(now->addr)) ||
	    memcmp(now->data, then->data, tid) ||
	    memcmp(now->data + behind, then->data + behind, record->length - behind))
		fail(world,
		     "transaction %#" PRIx64
		     ": attempt %u does not carry the request as it was sent",
		     record->id, record->attempts + 1);
}

static void check_header(const struct world *world, const struct record *record,
			 const struct engine_write *write)
{
	const struct ib_user_mad *umad = write->umad;

	if (!agent_has_registration(record->agent, write->lane, umad->agent_id))
		fail(world,
		     "transaction %#" PRIx64
		     " written for kernel agent %u on lane %u, which is not its agent's",
		     record->id, umad->agent_id, write->lane);
	if (world->lane_lost[write->lane])
		fail(world, "transaction %#" PRIx64 " written on lane %u, which is lost",
		     record->id, write->lane);
	if (!umad->timeout_ms != record->no_reply)
		fail(world, "transaction %#" PRIx64 " written with a kernel timeout of %u ms",
		     record->id, umad->timeout_ms);
	if (record->by_kernel && umad->timeout_ms != record->original->timeout_ms)
		fail(world, "transaction %#" PRIx64 " written with a kernel timeout of %u ms",
		     record->id, umad->timeout_ms);
	if (umad->retries != record->original->retries)
		fail(world, "transaction %#" PRIx64 " written with %u retries by the kernel",
		     record->id, umad->retries);
	if (write->bytes != sizeof(*umad) + record->length)
		fail(world, "transaction %#" PRIx64 " of %zu bytes written as %zu", record->id,
		     record->length, write->bytes);
}

static void check_may_write(const struct world *world, const struct record *record)
{
	if (record->unreported)
		fail(world,
		     "transaction %#" PRIx64 " written again before its last write was reported",
		     record->id);
	if (record->progress == FLYING)
		fail(world, "transaction %#" PRIx64 " retried before its attempt timed out",
		     record->id);
	if (record->progress == ENDED)
		fail(world, "transaction %#" PRIx64 " written after it had ended", record->id);
	if (record_exhausted(record))
		fail(world, "transaction %#" PRIx64 " written more than %u times", record->id,
		     record->attempts_allowed);
}

static void check_windows(const struct world *world, const struct record *record)
{
	const struct agent_account *agent = record->agent;

	if (agent->counts.flying > agent->config.window)
		fail(world, "agent %d has %u in flight, more than its window of %u", agent->number,
		     agent->counts.flying, agent->config.window);
	if (record->flow->counts.flying > agent->config.flow_window)
		fail(world, "a flow of agent %d has %u in flight, more than its window of %u",
		     agent->number, record->flow->counts.flying, agent->config.flow_window);
}

static void take_write(struct world *world, const struct engine_write *write)
{
	struct record *record = lookup_find(&world->ledger.buffers, (uintptr_t)write->umad);
	struct attempt attempt = { .lane = write->lane, .written = world->now };

	if (!record)
		fail(world, "a write of a buffer that the engine does not have");
	check_may_write(world, record);
	check_header(world, record, write);
	check_unchanged(world, record);
	attempt.tid = (uint32_t)be64toh(((const struct madring_mad_hdr *)write->umad->data)->tid);
	if (record->has_own_tid && !tid_is_own(attempt.tid))
		fail(world, "transaction %#" PRIx64 ": TID %#x is not the engine's", record->id,
		     attempt.tid);
	record->slot = write->id.number;
	record->abort_asked = false;
	if (!ledger_write(&world->ledger, record, &attempt, world->scenario.engine.tick_ns))
		fail(world, "transaction %#" PRIx64 ": TID %#x on lane %u or slot %u is in use",
		     record->id, attempt.tid, write->lane, write->id.number);
	check_windows(world, record);
	holding_written(world, record, write);
	world->tally.writes++;
	network_take(world, record);
}

void kernel_take_writes(struct world *world)
{
	struct engine_write write;

	for (;;) {
		bool wanted = engine_wants_write(world->engine);

		if (prng_chance(&world->prng, world->scenario.skip_write / 4))
			return;
		if (!engine_next_write(world->engine, world->now, &write))
			break;
		if (!wanted)
			fail(world, "the engine did not want to write, and then did");
		take_write(world, &write);
	}
	checks_no_write_withheld(world);
}

static void abort_write(struct world *world, uint32_t slot, unsigned int lane)
{
	struct record *record = lookup_find(&world->ledger.writes, slot);

	if (!record || record_last(record)->lane != lane)
		fail(world, "a write of slot %u on lane %u is to be aborted, and none is under way",
		     slot, lane);
	if (record->progress == FLYING)
		fail(world,
		     "the write of transaction %#" PRIx64 " is to be aborted before its time is up",
		     record->id);
	if (record->abort_asked)
		fail(world, "the write of transaction %#" PRIx64 " is to be aborted twice",
		     record->id);
	record->abort_asked = true;
	ledger_expired(&world->ledger, record);
	/* It may be too late to abort the write, unless the write hangs. */
	if (record->hangs || prng_chance(&world->prng, 500000))
		network_schedule(world, packet_report(record, -ECANCELED), network_delay(world));
}

void kernel_abort_writes(struct world *world)
{
	struct engine_write_id id;
	unsigned int lane;

	while (engine_next_abort(world->engine, &id, &lane))
		abort_write(world, id.number, lane);
	if (world->ledger.opens <= 64 || prng_chance(&world->prng, 50000))
		checks_writes_aborted(world);
}
