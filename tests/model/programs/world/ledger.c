/* SPDX-License-Identifier: BSD-2-Clause */
#include "ledger.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tid.h"
#include "model_fail.h"
#include "model/common/must_alloc.h"
#include "pool/pool.h"
#include "programs.h"
#include "virtual_clock.h"

#define MOST_AGENTS 4
#define STATUS_BUSY 1

/* The end of a TID is a transaction's slot, so no two that are open share one. */
#define TIDS 65536u

struct attempt {
	uint32_t tid;
	uint64_t at;
};

struct call {
	struct call *next;
	madring_callback callback;
	void *user;
	const struct madring_mad *mad;
	const struct madring_agent *agent;
	unsigned int retries; /* 0: the agent's */
	bool ended;
	bool answered; /* a reply to one of its attempts was read */
	unsigned int refusals;
	unsigned int count, room;
	struct attempt *attempt;
};

#define MOST_TICK UINT64_C(2000000) /* of the engine, ns */

static struct ledger {
	struct pool *pool;
	bool has_lies;
	struct call *calls;
	struct call **call;	   /* that a buffer is the request of, by the buffer's number */
	uint64_t *received_at;	   /* by the buffer's number */
	struct call *by_tid[TIDS]; /* the last that a TID with this end was written for */
	struct expected {
		const struct madring_agent *agent;
		unsigned int attempts;
		uint64_t timeout, patience;
	} expected[MOST_AGENTS];
	unsigned int expected_count;
	struct madring_stats sum;
	uint64_t digest;
} ledgers[PROGRAMS], *ledger = ledgers;

void ledger_select(unsigned int program)
{
	ledger = &ledgers[program];
}

void ledger_open(struct pool *pool, bool has_lies)
{
	struct pool_stats stats;

	pool_stats(pool, &stats);
	*ledger = (struct ledger){ .pool = pool, .has_lies = has_lies };
	ledger->call = must_alloc(stats.plain.capacity * sizeof(struct call *));
	ledger->received_at = must_alloc(stats.plain.capacity * sizeof(*ledger->received_at));
}

void ledger_close(void)
{
	struct call *call;

	while ((call = ledger->calls)) {
		expect(call->ended, "a request has not completed when the ring is closed");
		ledger->calls = call->next;
		free(call->attempt);
		free(call);
	}
	free(ledger->received_at);
	free(ledger->call);
	*ledger = (struct ledger){ 0 };
}

void ledger_agent(const struct madring_agent *agent, unsigned int attempts, uint64_t timeout,
		  uint64_t patience)
{
	expect(ledger->expected_count < MOST_AGENTS, "too many agents for the ledger");
	ledger->expected[ledger->expected_count++] =
		(struct expected){ agent, attempts, timeout, patience };
}

static uint32_t number_of(const void *mad)
{
	return pool_plain_index(ledger->pool, mad);
}

static void digest(uint64_t value)
{
	ledger->digest = (ledger->digest ^ value) * 0x9e3779b97f4a7c15u;
	ledger->digest ^= ledger->digest >> 29;
}

void ledger_taken(const struct ib_user_mad *umad)
{
	struct call *call = ledger->call[number_of(umad)];

	expect(call && !call->ended, "a write of a request that was never sent, or has completed");
	if (call->count == call->room) {
		call->room = call->room ? 4 * call->room : 1;
		call->attempt = must_realloc(call->attempt, call->room * sizeof(*call->attempt));
	}
	for (unsigned int i = 0; i < call->count; i++)
		expect(call->attempt[i].tid != tid_read(umad->data) || call->refusals,
		       "two attempts have TID %08x", tid_read(umad->data));
	call->attempt[call->count++] =
		(struct attempt){ .tid = tid_read(umad->data), .at = virtual_now() };
	ledger->by_tid[tid_read(umad->data) % TIDS] = call;
	digest(virtual_now());
	trace("TID %08x is taken", tid_read(umad->data));
}

void ledger_write_reported(int error)
{
	ledger->sum.sent += !error;
}

void ledger_refused(const struct ib_user_mad *umad)
{
	ledger->call[number_of(umad)]->refusals++;
}

/*
 * Returns the attempt that a reply answers: the last of its TID, because one that was refused is
 * made again with the same.
 */
static const struct attempt *answered_attempt(const struct call *call, const void *reply)
{
	for (unsigned int i = call->count; i--;)
		if (call->attempt[i].tid == tid_read((const uint8_t *)reply))
			return &call->attempt[i];
	return NULL;
}

/* Notes that a request is answered, by a reply to any of its attempts. */
static void note_reply(const void *mad)
{
	struct call *call = ledger->by_tid[tid_read(mad) % TIDS];
	const struct madring_mad_hdr *header = mad;
	bool is_busy = be16toh(header->status) & STATUS_BUSY;

	if (!(header->method & MADRING_RESPONSE_BIT) || is_busy || ledger->has_lies)
		return;
	if (call && !call->ended && answered_attempt(call, mad))
		call->answered = true;
}

void ledger_received(const struct ib_user_mad *umad)
{
	ledger->sum.received++;
	ledger->sum.notices += umad->status != 0;
	ledger->received_at[number_of(umad)] = virtual_now();
	if (!umad->status)
		note_reply(umad->data);
}

static void check_reply(const struct call *call, const struct madring_completion *completion)
{
	const struct madring_mad_hdr *request = madring_mad_header(completion->request);
	const struct madring_mad_hdr *reply = madring_mad_header(completion->mad);
	const struct attempt *attempt = answered_attempt(call, reply);
	uint64_t received_at = ledger->received_at[number_of(completion->mad)];

	expect(reply->method & MADRING_RESPONSE_BIT, "a reply is no response");
	expect(reply->mgmt_class == request->mgmt_class && reply->attr_id == request->attr_id &&
		       reply->attr_mod == request->attr_mod,
	       "a reply of attribute 0x%04x, modifier 0x%x, to 0x%04x, 0x%x",
	       be16toh(reply->attr_id), be32toh(reply->attr_mod), be16toh(request->attr_id),
	       be32toh(request->attr_mod));
	expect(attempt, "a reply to TID %08x, which was not written for its request",
	       tid_read((const uint8_t *)reply));
	expect(completion->length == MADRING_MAD_BYTES, "a reply of %zu bytes", completion->length);
	expect(!completion->rtt_ns || received_at - attempt->at == completion->rtt_ns,
	       "a round trip of %" PRIu64 " ns, of an attempt that took %" PRIu64,
	       completion->rtt_ns, received_at - attempt->at);
}

static void check_attempts(const struct call *call, const struct madring_completion *completion)
{
	unsigned int made = completion->attempts;

	expect(made <= call->count && made + call->refusals >= call->count,
	       "%u attempts, of %u writes with %u refused", made, call->count, call->refusals);
}

/*
 * Returns whether a request ended rightly without an answer, after so long and so many attempts.
 * The requests that wait for a node that is given up have a quarter of the patience.
 */
static bool is_given_up_rightly(const struct expected *expected, const struct call *call,
				unsigned int attempts, uint64_t elapsed)
{
	unsigned int most = call->retries ? call->retries + 1 : expected->attempts;

	if (expected->timeout)
		return attempts == most && elapsed >= attempts * expected->timeout;
	return attempts == most || elapsed + 2 * MOST_TICK >= expected->patience / 4;
}

static void check_timeout(const struct call *call, const struct madring_completion *completion)
{
	uint64_t elapsed = virtual_now() - call->attempt[0].at;

	for (unsigned int i = 0; i < ledger->expected_count; i++)
		if (ledger->expected[i].agent == call->agent)
			expect(is_given_up_rightly(&ledger->expected[i], call, completion->attempts,
						   elapsed),
			       "timed out after %u attempts and %" PRIu64 " ns",
			       completion->attempts, elapsed);
}

static void count(const struct madring_completion *completion)
{
	struct madring_stats *sum = &ledger->sum;

	sum->completed++;
	if (completion->attempts)
		sum->retried += completion->attempts - 1;
	switch (completion->status) {
	case 0:
		sum->replies++;
		break;
	case -ETIMEDOUT:
		sum->timed_out++;
		break;
	case -ECANCELED:
		sum->canceled++;
		break;
	case -ENODEV:
		sum->device_gone++;
		break;
	case -EMSGSIZE:
	case -EPROTOTYPE:
		sum->too_long++;
		break;
	default:
		sum->send_failed++;
	}
}

/* Returns whether a request may have ended before its reply was read, though it completes later. */
static bool has_ended_before(int status)
{
	return status == -ECANCELED || status == -ENODEV;
}

static void on_completion(const struct madring_completion *completion)
{
	struct call *call = completion->user;
	struct madring_completion copy = *completion;

	trace("TID %08x ends: %d, %u attempts", tid_read(madring_mad_data(completion->request)),
	      completion->status, completion->attempts);
	expect(!call->ended, "a request completes twice");
	expect(completion->request == call->mad, "a completion has another request's buffer");
	expect(completion->agent == call->agent, "a completion has another agent");
	expect(!completion->status == (completion->mad != NULL),
	       "a completion of status %d with%s reply", completion->status,
	       completion->mad ? "" : "out a");
	expect(!call->answered || !completion->status || has_ended_before(completion->status),
	       "a reply was read, and the status is %d", completion->status);
	call->ended = true;
	ledger->call[number_of(call->mad)] = NULL;
	if (!has_ended_before(completion->status))
		check_attempts(call, completion);
	if (!completion->status)
		check_reply(call, completion);
	if (completion->status == -ETIMEDOUT)
		check_timeout(call, completion);
	count(completion);
	digest(virtual_now() + (uint64_t)(int64_t)completion->status);
	free(call->attempt);
	call->attempt = NULL;
	copy.user = call->user;
	call->callback(&copy);
}

int __real_madring_send_sized(struct madring_agent *agent, struct madring_mad *mad,
			      const struct madring_send_options *send, size_t send_size);
int __wrap_madring_send_sized(struct madring_agent *agent, struct madring_mad *mad,
			      const struct madring_send_options *send, size_t send_size);
int __wrap_madring_send_sized(struct madring_agent *agent, struct madring_mad *mad,
			      const struct madring_send_options *send, size_t send_size)
{
	struct madring_send_options own = *send;
	struct call *call = must_alloc(sizeof(*call));
	int error;

	expect(!ledger->call[number_of(mad)], "a buffer of a request that is under way is sent");
	*call = (struct call){
		.callback = send->callback,
		.user = send->user,
		.mad = mad,
		.agent = agent,
		.retries = (unsigned int)send->retries,
	};
	own.callback = on_completion;
	own.user = call;
	expect(send_size == sizeof(own), "the program has other send options");
	error = __real_madring_send_sized(agent, mad, &own, sizeof(own));
	if (error) {
		free(call);
		return error;
	}
	call->next = ledger->calls;
	ledger->calls = call;
	ledger->call[number_of(mad)] = call;
	ledger->sum.accepted++;
	return 0;
}

#define SAME(field)                                                                                \
	expect(stats.field == ledger->sum.field,                                                   \
	       "the ring counts " #field " %" PRIu64 ", the ledger %" PRIu64, stats.field,         \
	       ledger->sum.field)

void ledger_check(struct madring *ring)
{
	struct madring_stats stats;

	for (const struct call *call = ledger->calls; call; call = call->next)
		expect(call->ended, "a request has not completed");
	madring_get_stats(ring, &stats);
	expect(!madring_outstanding(ring) && !stats.in_flight,
	       "%u requests outstanding and %" PRIu64 " in flight at the end",
	       madring_outstanding(ring), stats.in_flight);
	SAME(accepted);
	SAME(completed);
	SAME(sent);
	SAME(received);
	SAME(replies);
	SAME(retried);
	SAME(timed_out);
	SAME(canceled);
	SAME(device_gone);
	SAME(send_failed);
	SAME(too_long);
	SAME(notices);
	expect(stats.received == stats.replies + stats.notices + stats.unmatched + stats.busy +
					 stats.unsolicited + stats.malformed + stats.too_long,
	       "what was received is more or less than what it was counted as");
}

uint64_t ledger_accepted(void)
{
	return ledger->sum.accepted;
}

uint64_t ledger_digest(void)
{
	return ledger->digest;
}
