/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel and the network: what becomes of a write, and when. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "packet.h"
#include "world.h"

#define MS 1000000ull

static void schedule(struct world *world, struct packet *packet, uint64_t delay)
{
	agenda_put(&world->events, world->now + delay, packet, 0);
}

static uint64_t draw_delay(struct world *world)
{
	uint64_t delay = world->scenario.delay_ns;

	switch (world->scenario.delay_shape) {
	case DELAY_CONSTANT:
		return delay;
	case DELAY_JITTERED:
		return prng_range(&world->prng, delay / 2, 2 * delay);
	default:
		return prng_log_range(&world->prng, delay / 4 + 1, 64 * delay);
	}
}

/* Long enough to come after several timeouts. */
static uint64_t draw_lateness(struct world *world)
{
	return prng_log_range(&world->prng, world->scenario.patience_ns,
			      100 * world->scenario.patience_ns);
}

static uint64_t draw_notice_delay(struct world *world, const struct record *record)
{
	uint64_t timeout = record->umad->timeout_ms * MS;

	if (timeout > 1000 * world->scenario.patience_ns || prng_chance(&world->prng, 300000))
		return prng_range(&world->prng, 0, 2 * world->scenario.patience_ns);
	return prng_range(&world->prng, timeout, timeout + timeout / 8);
}

static void schedule_trouble(struct world *world, struct record *record)
{
	const struct scenario *s = &world->scenario;
	struct prng *prng = &world->prng;

	if (prng_chance(prng, s->forge))
		schedule(world, packet_forged(world, record), draw_delay(world));
	if (prng_chance(prng, s->malformed))
		schedule(world, packet_truncated(world, record), draw_delay(world));
	if (prng_chance(prng, s->garbage))
		schedule(world, packet_garbage(world, record_last(record)->lane),
			 draw_delay(world));
	if (prng_chance(prng, s->unsolicited))
		schedule(world, packet_unsolicited(world, record), draw_delay(world));
	if (record->no_reply || !prng_chance(prng, s->notice))
		return;
	do {
		schedule(world, packet_notice(record), draw_notice_delay(world, record));
	} while (prng_chance(prng, s->duplicate));
}

static void schedule_replies(struct world *world, struct record *record)
{
	const struct scenario *s = &world->scenario;
	struct prng *prng = &world->prng;

	/* The kernel would drop a reply to these; the engine has to as well. */
	if (record->no_reply && prng_chance(prng, 700000))
		return;
	if (prng_chance(prng, s->ghost))
		schedule(world, packet_reply(world, record), draw_lateness(world));
	if (prng_chance(prng, s->loss))
		return;
	do {
		schedule(world, packet_reply(world, record), draw_delay(world));
	} while (prng_chance(prng, s->duplicate));
}

static int draw_error(struct world *world)
{
	static const int errors[] = { -EINVAL, -EIO, -ENOMEM, -EPERM };

	if (world->refused_in_a_row < 20 && prng_chance(&world->prng, world->scenario.write_again))
		return -EAGAIN;
	if (prng_chance(&world->prng, world->scenario.write_error))
		return errors[prng_below(&world->prng, sizeof(errors) / sizeof(*errors))];
	return 0;
}

static void schedule_outcome(struct world *world, struct record *record)
{
	int error = draw_error(world);
	uint64_t delay = 0;

	if (prng_chance(&world->prng, world->scenario.write_slow))
		delay = prng_log_range(&world->prng, 1, 4 * world->scenario.patience_ns);
	record->hangs = prng_chance(&world->prng, world->scenario.write_hang);
	if (!record->hangs)
		schedule(world, packet_report(record, error), delay);
	world->refused_in_a_row = error == -EAGAIN ? world->refused_in_a_row + 1 : 0;
	if (!error && !record->hangs) {
		schedule_replies(world, record);
		schedule_trouble(world, record);
	}
}

/* The umad header and the MAD, but for what the engine is to write there. */
static void check_unchanged(const struct world *world, const struct record *record)
{
	const struct ib_user_mad *now = record->umad, *then = record->original;
	size_t tid = offsetof(struct madring_mad_header, tid);
	size_t behind = record->no_reply ? tid : tid + sizeof(uint64_t);

	if (memcmp(&now->addr, &then->addr, sizeof(now->addr)) ||
	    memcmp(now->data, then->data, tid) ||
	    memcmp(now->data + behind, then->data + behind, record->length - behind))
		fail(world,
		     "transaction %#lx: attempt %u does not carry the request as it was sent",
		     record->id, record->attempts + 1);
}

static void check_header(const struct world *world, const struct record *record,
			 const struct engine_write *write)
{
	const struct engine_agent_lane *lane = agent_on_lane(record->agent, write->lane);
	const struct ib_user_mad *umad = write->umad;

	if (!lane)
		fail(world, "transaction %#lx written on lane %u, which is not its agent's",
		     record->id, write->lane);
	if (world->lane_lost[write->lane])
		fail(world, "transaction %#lx written on lane %u, which is lost", record->id,
		     write->lane);
	if (umad->agent_id != lane->agent_id)
		fail(world, "transaction %#lx written for kernel agent %u in place of %u",
		     record->id, umad->agent_id, lane->agent_id);
	if (!umad->timeout_ms != record->no_reply)
		fail(world, "transaction %#lx written with a kernel timeout of %u ms", record->id,
		     umad->timeout_ms);
	if (umad->retries)
		fail(world, "transaction %#lx written with %u retries by the kernel", record->id,
		     umad->retries);
	if (write->bytes != sizeof(*umad) + record->length)
		fail(world, "transaction %#lx of %zu bytes written as %zu", record->id,
		     record->length, write->bytes);
}

static void check_may_write(const struct world *world, const struct record *record)
{
	if (record->unreported)
		fail(world, "transaction %#lx written again before its last write was reported",
		     record->id);
	if (record->progress == FLYING)
		fail(world, "transaction %#lx retried before its attempt timed out", record->id);
	if (record->progress == ENDED)
		fail(world, "transaction %#lx written after it had ended", record->id);
	if (record_exhausted(record))
		fail(world, "transaction %#lx written more than %u times", record->id,
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
	attempt.tid =
		(uint32_t)be64toh(((const struct madring_mad_header *)write->umad->data)->tid);
	record->slot = write->slot;
	record->abort_asked = false;
	if (!ledger_write(&world->ledger, record, &attempt, world->scenario.engine.tick_ns))
		fail(world, "transaction %#lx: TID %#x on lane %u or slot %u is in use", record->id,
		     attempt.tid, write->lane, write->slot);
	check_windows(world, record);
	world->tally.writes++;
	schedule_outcome(world, record);
}

void kernel_take_writes(struct world *world)
{
	struct engine_write write;

	for (;;) {
		bool wanted = engine_wants_write(world->engine);

		if (prng_chance(&world->prng, world->scenario.skip_write / 4))
			return;
		if (!engine_next_write(world->engine, world->now, &write)) {
			break;
		}
		if (!wanted)
			fail(world, "the engine did not want to write, and then did");
		take_write(world, &write);
	}
	checks_no_write_withheld(world);
}

/* Whether a write was refused must be plain: not when its time may be up or may be not. */
static int error_now(const struct packet *report)
{
	if (report->error == -EAGAIN && report->about->progress == IN_DOUBT)
		return 0;
	return report->error;
}

static bool is_stale(const struct packet *report)
{
	const struct record *record = report->about;

	return record->progress == HANDED_OUT || !record->unreported ||
	       record->attempts != report->attempt + 1;
}

static void deliver_report(struct world *world, struct packet *packet)
{
	struct record *record = packet->about;
	int error = error_now(packet);

	if (!is_stale(packet)) {
		engine_write_done(world->engine, record->slot, error, world->now);
		world->tally.written_well += !error;
		ledger_written(&world->ledger, record, error,
			       world->now + world->scenario.engine.tick_ns);
	}
	packet_free(packet);
}

static void abort_write(struct world *world, uint32_t slot, unsigned int lane)
{
	struct record *record = lookup_find(&world->ledger.writes, slot);

	if (!record || record_last(record)->lane != lane)
		fail(world, "a write of slot %u on lane %u is to be aborted, and none is under way",
		     slot, lane);
	if (record->progress == FLYING)
		fail(world, "the write of transaction %#lx is to be aborted before its time is up",
		     record->id);
	if (record->abort_asked)
		fail(world, "the write of transaction %#lx is to be aborted twice", record->id);
	record->abort_asked = true;
	ledger_expired(&world->ledger, record);
	/* It may be too late for that, unless the write hangs. */
	if (record->hangs || prng_chance(&world->prng, 500000))
		schedule(world, packet_report(record, -ECANCELED), draw_delay(world));
}

void kernel_abort_writes(struct world *world)
{
	unsigned int lane;
	uint32_t slot;

	while (engine_next_abort(world->engine, &slot, &lane))
		abort_write(world, slot, lane);
	if (world->ledger.opens <= 64 || prng_chance(&world->prng, 50000))
		checks_writes_aborted(world);
}

static const struct attempt *attempt_of(const struct record *record, const struct packet *packet)
{
	for (unsigned int i = record->attempts; i--;) {
		const struct attempt *attempt = &record->attempt[i];

		if (attempt->tid == packet->tid)
			return attempt;
	}
	return NULL;
}

/* And the retry was not refused. */
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

	if (packet->kind == PACKET_REPLY && packet->about != record)
		fail(world, "a reply to transaction %#lx was given to %#lx", packet->about->id,
		     record->id);
	record->reply = packet;
	record->reply_rtt_ns = world->now - attempt->written;
	record->reply_to_last = attempt == record_last(record);
	record->reply_to_known = record->reply_to_last && attempt->written;
	world->tally.late += was_retried(record, attempt);
	if (record->progress == IN_DOUBT)
		record->may = 0;
	ledger_end(&world->ledger, record, MAY_REPLY);
}

/* Whether the packet may be, and whether it must be, taken as the reply to @record. */
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

static void deliver_response(struct world *world, struct packet *packet, enum engine_receive result)
{
	struct record *record = lookup_find(&world->ledger.tids, packet->tid);

	if (!may_match(packet, record)) {
		if (result == ENGINE_REPLY)
			fail(world, "a packet (kind %d, TID %#x) that answers nothing was matched",
			     packet->kind, packet->tid);
		if (result != ENGINE_UNMATCHED &&
		    (packet->kind == PACKET_REPLY || packet->kind == PACKET_FORGED))
			fail(world, "a reply that answers nothing was taken for %d", result);
	} else if (result == ENGINE_REPLY) {
		match(world, packet, record);
		return;
	} else if (must_match(packet, record)) {
		fail(world, "a reply to transaction %#lx was not matched but taken for %d",
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
	if (packet->bytes >= sizeof(*packet->umad) + sizeof(struct madring_mad_header))
		engine_prefetch(world->engine, packet->umad);
	result = engine_receive(world->engine, packet->lane, packet->umad, packet->bytes,
				world->now);
	tally_result(&world->tally, result);
	if (packet->bytes < sizeof(*packet->umad) + sizeof(struct madring_mad_header)) {
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
