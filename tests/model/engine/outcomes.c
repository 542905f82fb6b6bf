/* SPDX-License-Identifier: BSD-2-Clause */
/* Completions: each must be one that its transaction may have, and bring its buffers back. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine_packet.h"
#include "engine_world.h"

static unsigned int outcome_of(struct tally *tally, const struct engine_completion *completion)
{
	switch (completion->status) {
	case 0:
		if (!completion->reply) {
			tally->written++;
			return MAY_WRITTEN;
		}
		tally->replies++;
		return MAY_REPLY;
	case -ETIMEDOUT:
		tally->timed_out++;
		return MAY_TIME_OUT;
	case -ECANCELED:
		tally->canceled++;
		return MAY_BE_CANCELED;
	case -ENODEV:
		tally->device_gone++;
		return MAY_LOSE_DEVICE;
	default:
		tally->failed++;
		return MAY_FAIL;
	}
}

static void check_identity(const struct world *world, const struct record *record,
			   const struct engine_completion *completion)
{
	if (completion->id != record->id || completion->user != record->umad ||
	    completion->callback != record->umad->data ||
	    completion->agent != (unsigned int)record->agent->number)
		fail(world, "transaction %#" PRIx64 " completed as %#" PRIx64 " of agent %u",
		     record->id, completion->id, completion->agent);
}

static void check_status(const struct world *world, const struct record *record,
			 unsigned int outcome, int status)
{
	if (record->unreported)
		fail(world, "transaction %#" PRIx64 " completed before its write was reported",
		     record->id);
	if (record->progress != ENDED && record->progress != IN_DOUBT)
		fail(world, "transaction %#" PRIx64 " completed with %d while it was %s",
		     record->id, status, record->progress == FLYING ? "in flight" : "waiting");
	if (!(record->may & outcome) || (outcome == MAY_FAIL && status != record->error))
		fail(world,
		     "transaction %#" PRIx64 " completed with %d, its outcome may be %#x (%d)",
		     record->id, status, record->may, record->error);
}

static void check_attempts(const struct world *world, const struct record *record,
			   unsigned int attempts)
{
	if (attempts != record_tries(record))
		fail(world, "transaction %#" PRIx64 " completed after %u attempts, it says %u",
		     record->id, record_tries(record), attempts);
}

static void check_rtt(const struct world *world, const struct record *record, uint64_t rtt_ns)
{
	if (rtt_ns != record->reply_rtt_ns && (record->reply_to_known || rtt_ns))
		fail(world,
		     "transaction %#" PRIx64 " completed with a round trip of %" PRIu64
		     " ns, not %" PRIu64,
		     record->id, rtt_ns, record->reply_rtt_ns);
}

static void check_time_of_reply(const struct world *world, const struct record *record,
				uint64_t received_at)
{
	uint64_t expected = record->reply ? record->replied_at : 0;

	if (received_at != expected)
		fail(world,
		     "transaction %#" PRIx64 " completed with a reply of %" PRIu64
		     " ns, not of %" PRIu64,
		     record->id, received_at, expected);
}

static void check_reply(const struct world *world, const struct record *record,
			const struct engine_completion *completion)
{
	const struct packet *packet = record->reply;

	if (!packet) {
		if (completion->reply)
			fail(world,
			     "transaction %#" PRIx64 " completed with a reply that it never had",
			     record->id);
		return;
	}
	if (!completion->reply || completion->reply != packet->umad)
		fail(world, "transaction %#" PRIx64 " completed with another's reply", record->id);
	if (completion->length != packet->bytes - sizeof(*packet->umad))
		fail(world, "transaction %#" PRIx64 " completed with a reply of %zu bytes, not %zu",
		     record->id, completion->length, packet->bytes - sizeof(*packet->umad));
	if (memcmp(packet->umad, packet->copy, packet->bytes))
		fail(world, "the reply to transaction %#" PRIx64 " was changed", record->id);
	if (packet->kind == PACKET_REPLY && !packet->deferral.redirect &&
	    packet->bytes >= sizeof(*packet->umad) + 72 &&
	    memcmp(packet->umad->data + 64, &record->payload, sizeof(record->payload)))
		fail(world, "transaction %#" PRIx64 " completed with a reply to another",
		     record->id);
}

static void call_back(struct world *world)
{
	if (!world->ending && world->tally.accepted < world->scenario.requests &&
	    prng_chance(&world->prng, world->scenario.send_again))
		caller_send(world);
	if (prng_chance(&world->prng, 100000))
		caller_disturb(world);
}

static void take(struct world *world, const struct engine_completion *completion)
{
	struct record *record = lookup_find(&world->ledger.buffers, (uintptr_t)completion->request);

	if (!record)
		fail(world,
		     "a completion (id %#" PRIx64 ", status %d) of nothing that is outstanding",
		     completion->id, completion->status);
	check_identity(world, record, completion);
	check_status(world, record, outcome_of(&world->tally, completion), completion->status);
	check_attempts(world, record, completion->attempts);
	check_reply(world, record, completion);
	check_rtt(world, record, completion->rtt_ns);
	check_time_of_reply(world, record, completion->received_at);
	world->tally.retried += record_tries(record) ? record_tries(record) - 1 : 0;
	world->ended_id[world->ended_ids++ % ENDED_IDS] = record->id;
	if (record->reply)
		packet_free(record->reply);
	record->reply = NULL;
	ledger_hand_out(&world->ledger, record);
}

void outcomes_take(struct world *world, unsigned int most)
{
	struct engine_completion completion;

	for (unsigned int taken = 0; !most || taken < most; taken++) {
		if (!engine_next_completion(world->engine, &completion)) {
			if (world->ledger.counts.ended)
				fail(world, "%u transactions have ended and do not complete",
				     world->ledger.counts.ended);
			return;
		}
		take(world, &completion);
		call_back(world);
	}
}
