/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "engine_ledger.h"
#include "model/common/must_alloc.h"

#define MOST_REFUSALS 10

static uint32_t *counter(struct counts *counts, const struct record *record)
{
	switch (record->progress) {
	case WAITING:
		return record->unreported ? &counts->blocked : &counts->ready;
	case FLYING:
		return &counts->flying;
	case IN_DOUBT:
		return &counts->in_doubt;
	case ENDED:
		return record->unreported ? &counts->ended_unreported : &counts->ended;
	default:
		return NULL;
	}
}

static void count(struct ledger *ledger, const struct record *record, uint32_t change)
{
	if (record->progress == HANDED_OUT)
		return;
	*counter(&ledger->counts, record) += change;
	*counter(&record->agent->counts, record) += change;
	*counter(&record->flow->counts, record) += change;
}

static void move(struct ledger *ledger, struct record *record, enum progress progress,
		 bool unreported)
{
	count(ledger, record, -1u);
	record->progress = progress;
	record->unreported = unreported;
	count(ledger, record, 1);
}

struct record *ledger_accept(struct ledger *ledger, const struct record *draft)
{
	struct record *record = must_alloc(sizeof(*record));

	*record = *draft;
	record->progress = WAITING;
	if (ledger->records == ledger->records_room) {
		ledger->records_room = ledger->records_room ? 2 * ledger->records_room : 64;
		ledger->record = must_realloc(ledger->record,
					      ledger->records_room * sizeof(*ledger->record));
	}
	ledger->record[ledger->records++] = record;
	if (ledger->opens == ledger->opens_room) {
		ledger->opens_room = ledger->opens_room ? 2 * ledger->opens_room : 64;
		ledger->open =
			must_realloc(ledger->open, ledger->opens_room * sizeof(*ledger->open));
	}
	record->place = ledger->opens;
	ledger->open[ledger->opens++] = record;
	record->agent->open_records++;
	lookup_add(&ledger->buffers, (uintptr_t)record->umad, record);
	count(ledger, record, 1);
	return record;
}

void ledger_end(struct ledger *ledger, struct record *record, unsigned int may)
{
	if (record->progress == ENDED)
		return;
	record->may = may | (record->progress == IN_DOUBT ? record->may : 0);
	move(ledger, record, ENDED, record->unreported);
}

static void doubt(struct ledger *ledger, struct record *record)
{
	if (record->progress != FLYING)
		return;
	/* A transaction cannot end before its write is reported. */
	record->may = record_exhausted(record) && !record->unreported ? MAY_TIME_OUT : 0;
	move(ledger, record, IN_DOUBT, record->unreported);
}

/* Ends an attempt whose time is up for certain, unless something else ended it before. */
static void settle(struct ledger *ledger, struct record *record)
{
	doubt(ledger, record);
	if (record->unreported)
		move(ledger, record, WAITING, true);
	else if (record_exhausted(record))
		ledger_end(ledger, record, MAY_TIME_OUT);
	else if (!record->may)
		move(ledger, record, WAITING, false);
}

static uint64_t later(uint64_t time, uint64_t wait)
{
	return time > ENGINE_NEVER - wait ? ENGINE_NEVER : time + wait;
}

bool ledger_write(struct ledger *ledger, struct record *record, const struct attempt *attempt,
		  uint64_t tick_ns)
{
	unsigned int tag = record->attempts;

	if (record->has_own_tid && !lookup_add(&ledger->tids, attempt->tid, record))
		return false;
	if (!lookup_add(&ledger->writes, record->slot, record))
		return false;
	if (!(record->attempts & (record->attempts - 1)))
		record->attempt = must_realloc(record->attempt,
					       (record->attempts ? 2 * record->attempts : 1) *
						       sizeof(*record->attempt));
	record->attempt[record->attempts++] = *attempt;
	record->may = 0;
	record->due_most = ENGINE_NEVER;
	move(ledger, record, FLYING, true);
	if (record->no_reply || record->timeout_most == ENGINE_NEVER)
		return true;
	record->due_most = later(later(attempt->written, record->timeout_most), tick_ns);
	agenda_put(&ledger->least, later(attempt->written, record->timeout_least), record, tag);
	agenda_put(&ledger->most, record->due_most, record, tag);
	return true;
}

/*
 * Puts a refused attempt in doubt until @until: the ledger cannot tell when it is made ready again.
 */
static void postpone(struct ledger *ledger, struct record *record, uint64_t until)
{
	struct attempt *attempt = &record->attempt[record->attempts - 1];

	attempt->refused = true;
	record->refused++;
	record->may = 0;
	record->due_most = until;
	if (record->has_own_tid)
		lookup_remove(&ledger->tids, attempt->tid);
	agenda_put(&ledger->most, until, record, record->attempts - 1);
	move(ledger, record, IN_DOUBT, false);
}

uint64_t ledger_pause(const struct record *record, int error, uint64_t tick_ns)
{
	uint64_t ticks = UINT64_C(1) << record->refusals;

	if (error == -EAGAIN)
		return 1;
	if (record->refusals == MOST_REFUSALS)
		return 0;
	if (error == -EINVAL)
		return record->no_reply ? ticks : 0;
	if (error != -ENOMEM && error != -ENOBUFS)
		return 0;
	/* All pauses up to this one, 1 + 2 + 4 + ..., are 2 * ticks - 1 together. */
	return record->no_reply || (2 * ticks - 1) <= record->timeout_least / tick_ns ? ticks : 0;
}

static void written_in_flight(struct ledger *ledger, struct record *record, int error, uint64_t now,
			      uint64_t tick_ns)
{
	uint64_t ticks = ledger_pause(record, error, tick_ns);

	if (ticks) {
		record->refusals += error != -EAGAIN;
		postpone(ledger, record, now + ticks * tick_ns);
		return;
	}
	move(ledger, record, FLYING, false);
	if (!error && !record->no_reply)
		return;
	record->error = error;
	ledger_end(ledger, record, error ? MAY_FAIL : MAY_WRITTEN);
}

static void written_in_doubt(struct ledger *ledger, struct record *record, int error)
{
	move(ledger, record, IN_DOUBT, false);
	if (error)
		record->may |= MAY_FAIL;
	if (record_exhausted(record))
		record->may |= MAY_TIME_OUT;
	record->error = error;
	if (error && record_exhausted(record))
		ledger_end(ledger, record, 0);
}

void ledger_written(struct ledger *ledger, struct record *record, int error, uint64_t now,
		    uint64_t tick_ns)
{
	lookup_remove(&ledger->writes, record->slot);
	switch (record->progress) {
	case FLYING:
		written_in_flight(ledger, record, error, now, tick_ns);
		break;
	case IN_DOUBT:
		written_in_doubt(ledger, record, error);
		break;
	case WAITING: /* its time was up, whatever became of the write */
		move(ledger, record, WAITING, false);
		if (record_exhausted(record))
			ledger_end(ledger, record, MAY_TIME_OUT);
		break;
	default:
		move(ledger, record, record->progress, false);
	}
}

void ledger_expired(struct ledger *ledger, struct record *record)
{
	if (record->progress == FLYING || record->progress == IN_DOUBT)
		settle(ledger, record);
}

void ledger_redirected(struct ledger *ledger, struct record *record, struct flow_account *flow)
{
	if (record->attempts_allowed < UINT8_MAX)
		record->attempts_allowed++;
	record->may = 0;
	count(ledger, record, -1u);
	if (!record->own_flow)
		record->flow = flow;
	record->progress = WAITING;
	count(ledger, record, 1);
}

static void lose(struct ledger *ledger, struct record *record, unsigned int lane)
{
	bool on_lane = record->attempts && record_last(record)->lane == lane;
	bool in_flight = record->progress == FLYING || record->unreported;

	if (record->progress == ENDED)
		return;
	if (record->agent->no_lanes || (in_flight && on_lane))
		ledger_end(ledger, record, MAY_LOSE_DEVICE);
	else if (record->progress == IN_DOUBT && on_lane)
		record->may |= MAY_LOSE_DEVICE;
}

void ledger_lane_lost(struct ledger *ledger, unsigned int lane)
{
	for (uint32_t i = 0; i < ledger->opens; i++)
		lose(ledger, ledger->open[i], lane);
}

void ledger_cancel(struct ledger *ledger, const struct agent_account *agent, uint32_t *least,
		   uint32_t *most)
{
	*least = *most = 0;
	for (uint32_t i = 0; i < ledger->opens; i++) {
		struct record *record = ledger->open[i];

		if ((agent && record->agent != agent) || record->progress == ENDED)
			continue;
		*most += 1;
		*least += record->progress != IN_DOUBT || !record->may;
		ledger_end(ledger, record, MAY_BE_CANCELED);
	}
}

static bool is_current(const struct agenda_item *item)
{
	const struct record *record = item->what;

	return (record->progress == FLYING || record->progress == IN_DOUBT) &&
	       record->attempts == item->tag + 1;
}

void ledger_advance(struct ledger *ledger, uint64_t now)
{
	struct agenda_item item;

	while (agenda_take(&ledger->least, now, &item)) {
		if (is_current(&item))
			doubt(ledger, item.what);
	}
	while (agenda_take(&ledger->most, now, &item)) {
		if (is_current(&item) && ((struct record *)item.what)->due_most == item.time)
			settle(ledger, item.what);
	}
}

uint64_t ledger_deadline(const struct ledger *ledger)
{
	uint64_t deadline = ENGINE_NEVER;

	for (uint32_t i = 0; i < ledger->opens; i++) {
		const struct record *record = ledger->open[i];

		if (record->progress == FLYING && record->due_most < deadline)
			deadline = record->due_most;
	}
	return deadline;
}

static void drop(struct record *record)
{
	free(record->attempt);
	free(record->umad);
	free(record->original);
	record->attempt = NULL;
	record->umad = record->original = NULL;
}

void ledger_hand_out(struct ledger *ledger, struct record *record)
{
	struct record *last = ledger->open[--ledger->opens];

	move(ledger, record, HANDED_OUT, false);
	for (unsigned int i = 0; i < record->attempts; i++) {
		const struct attempt *attempt = &record->attempt[i];

		if (!attempt->refused && record->has_own_tid)
			lookup_remove(&ledger->tids, attempt->tid);
	}
	lookup_remove(&ledger->buffers, (uintptr_t)record->umad);
	ledger->open[record->place] = last;
	last->place = record->place;
	record->agent->open_records--;
	ledger->handed_out++;
	drop(record);
}

void ledger_free(struct ledger *ledger)
{
	for (uint32_t i = 0; i < ledger->records; i++) {
		drop(ledger->record[i]);
		free(ledger->record[i]);
	}
	free(ledger->record);
	free(ledger->open);
	lookup_free(&ledger->tids);
	lookup_free(&ledger->buffers);
	lookup_free(&ledger->writes);
	agenda_free(&ledger->least);
	agenda_free(&ledger->most);
}
