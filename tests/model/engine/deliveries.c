/* SPDX-License-Identifier: BSD-2-Clause */
/* Delivers what the kernel hands back, and checks what the engine makes of it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "model/common/must_alloc.h"
#include "engine_packet.h"
#include "engine_world.h"

/*
 * Returns a report's error, or 0 if it would be repeated and the attempt may have timed out: the
 * report must leave no doubt whether a refused write is made again.
 */
static int error_now(const struct world *world, const struct packet *report)
{
	if (report->about->progress == IN_DOUBT &&
	    ledger_pause(report->about, report->error, world->scenario.engine.tick_ns))
		return 0;
	return report->error;
}

/* Tells whether the write was reported before, because it was canceled. */
static bool is_stale(const struct packet *report)
{
	const struct record *record = report->about;

	return record->progress == HANDED_OUT || !record->unreported ||
	       record->attempts != report->attempt + 1;
}

static void deliver_report(struct world *world, struct packet *packet)
{
	struct record *record = packet->about;
	const struct engine_write_id id = { ENGINE_WRITE_WHOLE, record->slot };
	int error = error_now(world, packet);

	if (!is_stale(packet)) {
		engine_write_done(world->engine, id, error, world->now);
		if (error)
			holding_refused(world, record);
		world->tally.written_well += !error;
		ledger_written(&world->ledger, record, error, world->now,
			       world->scenario.engine.tick_ns);
	}
	packet_free(packet);
}

static struct attempt *attempt_of(const struct record *record, const struct packet *packet)
{
	for (unsigned int i = record->attempts; i--;) {
		struct attempt *attempt = &record->attempt[i];

		if (attempt->tid == packet->tid)
			return attempt;
	}
	return NULL;
}

/* Tells whether a later attempt was written; one that was refused does not count. */
static bool was_retried(const struct record *record, const struct attempt *attempt)
{
	while (++attempt < record->attempt + record->attempts) {
		if (!attempt->refused)
			return true;
	}
	return false;
}

static void match(struct world *world, struct packet *packet, struct record *record)
{
	const struct attempt *attempt = attempt_of(record, packet);

	if (!attempt)
		fail(world, "a reply that no attempt asked for was given to %#" PRIx64, record->id);
	if (packet->kind == PACKET_REPLY && packet->about != record)
		fail(world, "a reply to transaction %#" PRIx64 " was given to %#" PRIx64,
		     packet->about->id, record->id);
	record->reply = packet;
	record->reply_rtt_ns = record->by_kernel ? 0 : world->now - attempt->written;
	record->replied_at = world->now;
	record->reply_to_last = attempt == record_last(record);
	record->reply_to_known = record->reply_to_last && attempt->written && !attempt->busy;
	if (deferral_holds(packet, record, attempt, was_retried(record, attempt)))
		fail(world, "transaction %#" PRIx64 " ended with a reply that is none yet",
		     record->id);
	world->tally.late += was_retried(record, attempt);
	if (record->progress == IN_DOUBT)
		record->may = 0;
	ledger_end(&world->ledger, record, MAY_REPLY);
}

/*
 * `may_match` tells whether the engine may take the packet as the reply to @record; `must_match`,
 * whether it has to.
 */
static bool may_match(const struct packet *packet, const struct record *record)
{
	return record && !record->no_reply && record->progress != ENDED &&
	       packet_answers(packet, record);
}

static bool must_match(const struct packet *packet, const struct record *record)
{
	if (packet->kind != PACKET_REPLY || attempt_of(record, packet)->refused)
		return false;
	return record->progress != IN_DOUBT || !record->may;
}

/* Checks that the reply puts off the answer to a transaction that has not ended. */
static void defer(struct world *world, struct packet *packet, struct record *record)
{
	struct attempt *attempt = attempt_of(record, packet);
	bool retried = attempt && was_retried(record, attempt);

	if (!attempt || !deferral_holds(packet, record, attempt, retried))
		fail(world, "a reply to transaction %#" PRIx64 " was taken for none yet",
		     record->id);
	deferral_take(world, packet, record, attempt, retried);
	packet_free(packet);
}

static void deliver_response(struct world *world, struct packet *packet, enum engine_receive result)
{
	struct record *record = lookup_find(&world->ledger.tids, packet->tid);

	if (!may_match(packet, record)) {
		if (result == ENGINE_REPLY || result == ENGINE_DEFERRED)
			fail(world, "a packet (kind %d, TID %#x) that answers nothing was matched",
			     packet->kind, packet->tid);
		if (result != ENGINE_UNMATCHED &&
		    (packet->kind == PACKET_REPLY || packet->kind == PACKET_FORGED))
			fail(world, "a reply that answers nothing was taken for %d", result);
	} else if (result == ENGINE_DEFERRED) {
		defer(world, packet, record);
		return;
	} else if (result == ENGINE_REPLY) {
		match(world, packet, record);
		return;
	} else if (must_match(packet, record)) {
		fail(world, "a reply to transaction %#" PRIx64 " was not matched but taken for %d",
		     record->id, result);
	} else if (packet->kind == PACKET_REPLY && record->progress == IN_DOUBT) {
		ledger_end(&world->ledger, record, 0);
	}
	packet_free(packet);
}

static void deliver_notice(struct world *world, struct packet *packet, enum engine_receive result)
{
	struct record *record = lookup_find(&world->ledger.tids, packet->tid);

	if (result != ENGINE_NOTICE)
		fail(world, "a timeout notice was taken for %d", result);
	if (record && !record->no_reply && record_last(record)->tid == packet->tid)
		ledger_expired(&world->ledger, record);
	packet_free(packet);
}

static void tally_result(struct tally *tally, enum engine_receive result)
{
	tally->received++;
	tally->notices += result == ENGINE_NOTICE;
	tally->unmatched += result == ENGINE_UNMATCHED;
	tally->unsolicited += result == ENGINE_UNSOLICITED;
	tally->malformed += result == ENGINE_MALFORMED;
}

static void deliver_mad(struct world *world, struct packet *packet)
{
	enum engine_receive result;

	packet->copy = must_alloc(packet->bytes);
	memcpy(packet->copy, packet->umad, packet->bytes);
	if (packet->bytes >= sizeof(*packet->umad) + sizeof(struct madring_mad_hdr))
		engine_prefetch(world->engine, packet->umad);
	result = engine_receive(world->engine, packet->lane, packet->umad, packet->bytes,
				world->now);
	tally_result(&world->tally, result);
	holding_read(world, packet);
	if (packet->bytes < sizeof(*packet->umad) + sizeof(struct madring_mad_hdr)) {
		if (result != ENGINE_MALFORMED)
			fail(world, "a read of %zu bytes was taken for %d", packet->bytes, result);
		packet_free(packet);
	} else if (packet->kind == PACKET_UNSOLICITED) {
		if (result != ENGINE_UNSOLICITED)
			fail(world, "a request was taken for %d", result);
		packet_free(packet);
	} else if (packet->kind == PACKET_NOTICE) {
		deliver_notice(world, packet, result);
	} else {
		deliver_response(world, packet, result);
	}
}

bool kernel_deliver(struct world *world)
{
	struct agenda_item item;
	bool any = false;

	while (agenda_take(&world->events, world->now, &item)) {
		struct packet *packet = item.what;

		if (packet->kind == PACKET_WRITE_REPORT)
			deliver_report(world, packet);
		else if (world->lane_lost[packet->lane])
			packet_free(packet);
		else
			deliver_mad(world, packet);
		any = true;
	}
	return any;
}

void kernel_close(struct world *world)
{
	struct agenda_item item;

	while (agenda_take(&world->events, UINT64_MAX, &item))
		packet_free(item.what);
	agenda_free(&world->events);
}
