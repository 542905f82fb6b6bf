/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/interrupt.h"
#include "common/memory.h"
#include "load.h"
#include "schedule.h"

#define NEVER UINT64_MAX

struct request {
	struct request *next; /* free */
	struct load *load;
	uint32_t target;
	uint64_t number;
	uint64_t from_ns;   /* where its delay begins */
	uint64_t waited_ns; /* the processor_waited() then */
};

void load_open(struct load *load, uint32_t room)
{
	load->requests = memory_get(room, sizeof(*load->requests));
	load->free = NULL;
	for (uint32_t i = room; i > 0; i--) {
		load->requests[i - 1].load = load;
		load->requests[i - 1].next = load->free;
		load->free = &load->requests[i - 1];
	}
	load->total = figures_new();
	load->part = figures_new();
	processor_open(&load->processor);
}

void load_close(struct load *load)
{
	free(load->requests);
	free(load->total);
	free(load->part);
	processor_close(&load->processor);
}

/*
 * Counts the delay of a reply. Its parts are known if the first attempt had the reply, and this
 * host did not let it wait.
 */
static void count_delay(struct figures *figures, const struct outcome *outcome,
			const struct madring_completion *completion)
{
	uint64_t delay_ns = outcome->delay_ns;
	uint64_t trip_ns = completion->rtt_ns < delay_ns ? completion->rtt_ns : delay_ns;

	figures->answered++;
	histogram_record(&figures->delay, delay_ns);
	if (outcome->waited_ns) {
		figures->disturbed++;
		return;
	}
	histogram_record(&figures->undisturbed, delay_ns);
	if (completion->attempts > 1)
		return;
	histogram_record(&figures->trip, trip_ns);
	histogram_record(&figures->own, delay_ns - trip_ns);
}

/* Says whether a request was answered, refused, lost, or not sent. */
static void judge_outcome(const struct load *load, const struct madring_completion *completion,
			  struct outcome *outcome)
{
	if (completion->status == -ETIMEDOUT) {
		outcome->what = OUTCOME_LOST;
		return;
	}
	if (completion->status) {
		outcome->what = OUTCOME_FAILED;
		outcome->why = madring_error_text(completion->status);
		return;
	}
	outcome->why = kind_check(load->kind, completion->mad, completion->length,
				  outcome->target->by_route);
	if (!outcome->why)
		outcome->status = madring_mad_status(completion->mad);
	if (outcome->status)
		outcome->why = kind_refusal(load->kind, outcome->status);
	outcome->what = outcome->why ? OUTCOME_REFUSED : OUTCOME_ANSWERED;
}

/* Counts an outcome in the figures of the run, of the part and of the target. */
static void count_outcome(struct load *load, struct target *target, const struct outcome *outcome,
			  const struct madring_completion *completion)
{
	switch (outcome->what) {
	case OUTCOME_ANSWERED:
		count_delay(load->total, outcome, completion);
		count_delay(load->part, outcome, completion);
		target_count_answer(target, outcome->number, outcome->delay_ns);
		target->disturbed += outcome->waited_ns != 0;
		break;
	case OUTCOME_REFUSED:
		load->total->refused++;
		load->part->refused++;
		target_count_refusal(target, outcome->number);
		break;
	case OUTCOME_LOST:
		load->total->lost++;
		load->part->lost++;
		target_count_loss(target, outcome->number);
		break;
	case OUTCOME_FAILED:
		load->total->failed++;
		load->part->failed++;
		break;
	}
}

/*
 * Hands an outcome to the caller that asked for it, with the name in the reply of an ibping server,
 * as far as it is text.
 */
static void report_outcome(struct load *load, struct outcome *outcome,
			   const struct madring_completion *completion)
{
	char host[IBPING_DATA_BYTES] = "";

	if (!load->on_outcome)
		return;
	if (load->kind == KIND_IBPING && outcome->what == OUTCOME_ANSWERED) {
		const uint8_t *name =
			(const uint8_t *)madring_mad_data(completion->mad) + IBPING_DATA;

		for (unsigned int i = 0; i < IBPING_DATA_BYTES - 1 && name[i]; i++)
			host[i] = name[i] >= 0x20 && name[i] < 0x7f ? (char)name[i] : '?';
		outcome->host = host;
	}
	load->on_outcome(load->context, outcome);
}

/* Takes the end of a request: gives its entry back, judges the outcome, counts and reports it. */
static void on_completion(const struct madring_completion *completion)
{
	struct request *request = completion->user;
	struct load *load = request->load;
	uint64_t now = clock_ns();
	uint64_t waited = processor_waited(&load->processor) - request->waited_ns;
	struct target *target = &load->targets->list[request->target];
	struct outcome outcome = {
		.target = target,
		.number = request->number,
		.delay_ns = now - request->from_ns,
	};

	if (processor_spoils(waited, outcome.delay_ns))
		outcome.waited_ns = waited;
	request->next = load->free;
	load->free = request;
	load->outstanding--;
	load->total->end_ns = now;
	load->total->retries += completion->attempts ? completion->attempts - 1 : 0;
	load->part->retries += completion->attempts ? completion->attempts - 1 : 0;
	if (completion->status == -ECANCELED || completion->status == -ENODEV) {
		load->total->abandoned++;
		load->part->abandoned++;
		if (completion->status == -ENODEV)
			load->error = -ENODEV;
		return;
	}
	judge_outcome(load, completion, &outcome);
	count_outcome(load, target, &outcome, completion);
	report_outcome(load, &outcome, completion);
}

/* Sends a request. Returns 0, -EAGAIN when there is no room for now, or why it cannot be sent. */
static int send_one(struct load *load, uint64_t from_ns)
{
	uint32_t index = (uint32_t)(load->begun % load->targets->count);
	struct target *target = &load->targets->list[index];
	struct madring_agent *agent = load->agent[target->by_route];
	struct request *request = load->free;
	struct madring_send_options send = { .callback = on_completion, .user = request };
	struct madring_mad *mad;
	int error;

	if (!request)
		return -EAGAIN;
	mad = madring_mad_alloc(agent);
	if (!mad)
		return -EAGAIN;
	kind_prepare(load->kind, mad, target, load->oui, load->gid_index);
	if (load->kind != KIND_SMP)
		madring_mad_set_pkey_index(mad, load->pkey_index);
	else
		madring_smp_set_mkey(mad, target->m_key);
	request->from_ns = from_ns;
	request->waited_ns = load->plan->from_due ? processor_waited_before(&load->processor)
						  : processor_waited(&load->processor);
	request->target = index;
	request->number = target->sent;
	error = madring_send(agent, mad, &send);
	if (error) {
		madring_mad_free(load->ring, mad);
		return error;
	}
	load->free = request->next;
	load->outstanding++;
	load->begun++;
	target->sent++;
	return 0;
}

/* Sends the request that is due at @due_ns. Returns whether it was sent. */
static bool send_next(struct load *load, uint64_t due_ns)
{
	uint64_t now = clock_ns();
	uint64_t late = now > due_ns ? now - due_ns : 0;
	int error = send_one(load, load->plan->from_due ? due_ns : now);

	if (error == -EAGAIN)
		return false;
	if (error) {
		load->error = error;
		return false;
	}
	load->total->sent++;
	load->part->sent++;
	histogram_record(&load->total->late, late);
	histogram_record(&load->part->late, late);
	return true;
}

static bool may_send(const struct load *load)
{
	return !load->error && load->begun < load->last;
}

static struct schedule schedule_of(const struct load *load)
{
	return (struct schedule){
		.start_ns = load->begin_ns,
		.count = load->plan->rate_count,
		.span_ns = load->plan->rate_span_ns,
	};
}

/*
 * Sends the requests that are due. Returns when the next one is due, or NEVER if it waits for room
 * or there is none.
 */
static uint64_t send_due(struct load *load)
{
	const struct schedule schedule = schedule_of(load);
	uint64_t due;

	if (load->plan->in_flight) {
		while (load->outstanding < load->plan->in_flight && may_send(load))
			if (!send_next(load, clock_ns()))
				break;
		return NEVER;
	}
	due = schedule_count(&schedule, clock_ns());
	while (load->begun < due && may_send(load))
		if (!send_next(load, schedule_due(&schedule, load->begun)))
			return NEVER;
	return may_send(load) ? schedule_due(&schedule, load->begun) : NEVER;
}

/*
 * Waits in the ring, to the millisecond, which costs one system call. A schedule needs
 * wait_finely().
 */
static int wait_coarsely(struct load *load, uint64_t until_ns)
{
	int result;

	processor_may_sleep(&load->processor);
	result = madring_run(load->ring, clock_ms_until(until_ns));
	return result < 0 && result != -EINTR ? result : 0;
}

/*
 * Waits until a time with the resolution of ppoll(2), which is finer than that of madring_run().
 * Returns 0 or a negative errno.
 */
static int wait_finely(struct load *load, uint64_t until_ns)
{
	struct pollfd wait = { .fd = madring_fd(load->ring), .events = POLLIN };
	struct timespec time;
	uint64_t now;
	int result;

	if (wait.fd < 0)
		return wait.fd;
	processor_may_sleep(&load->processor);
	result = madring_step(load->ring);
	if (result)
		return result < 0 && result != -EINTR ? result : 0;
	now = clock_ns();
	if (until_ns <= now)
		return 0;
	time.tv_sec = (time_t)((until_ns - now) / 1000000000u);
	time.tv_nsec = (long)((until_ns - now) % 1000000000u);
	processor_may_sleep(&load->processor);
	if (ppoll(&wait, 1, &time, NULL) < 0 && errno != EINTR)
		return -errno;
	result = madring_step(load->ring);
	return result < 0 && result != -EINTR ? result : 0;
}

static void wait_until(struct load *load, uint64_t until_ns)
{
	int error =
		load->plan->in_flight ? wait_coarsely(load, until_ns) : wait_finely(load, until_ns);

	if (error)
		load->error = error;
}

static void report_when_due(struct load *load)
{
	uint64_t now = clock_ns();

	if (now < load->next_report_ns)
		return;
	load->part->end_ns = now;
	if (load->on_report)
		load->on_report(load->context, load->part);
	figures_clear(load->part, now);
	/*
	 * The next report is due in the future, however short an interval is, and however late this
	 * report.
	 */
	load->next_report_ns +=
		((now - load->next_report_ns) / load->plan->report_ns + 1) * load->plan->report_ns;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns how many requests the plan has, as far as it says. */
static uint64_t count_planned(const struct load *load)
{
	const struct plan *plan = load->plan;
	const struct schedule schedule = schedule_of(load);
	uint64_t most = plan->count ? plan->count : UINT64_MAX;

	if (plan->in_flight || !plan->duration_ns)
		return most;
	return earlier(most, schedule_count(&schedule, load->end_ns - 1));
}

static void begin_plan(struct load *load, const struct plan *plan)
{
	uint64_t now = clock_ns();

	load->plan = plan;
	load->begin_ns = now;
	load->end_ns = plan->duration_ns ? now + plan->duration_ns : NEVER;
	load->last = count_planned(load);
	load->next_report_ns = now + plan->report_ns;
	load->begun = 0;
	load->error = 0;
	figures_clear(load->total, now);
	figures_clear(load->part, now);
}

/* Cancels the outstanding requests, and takes their outcomes. */
static void cancel_outstanding(struct load *load)
{
	for (unsigned int i = 0; i < 2; i++)
		if (load->agent[i])
			madring_agent_cancel(load->agent[i]);
	while (load->outstanding) {
		int result = madring_run(load->ring, -1);

		if (result < 0 && result != -EINTR)
			return;
	}
}

int load_run(struct load *load, const struct plan *plan)
{
	uint64_t now;

	begin_plan(load, plan);
	now = load->begin_ns;
	/*
	 * All that a schedule has before the end is sent, however late. To leave it out would hide
	 * the longest delays.
	 */
	while (may_send(load) && !interrupted() && (!plan->in_flight || now < load->end_ns)) {
		uint64_t next = send_due(load);

		wait_until(load, earlier(next, earlier(load->end_ns, load->next_report_ns)));
		report_when_due(load);
		now = clock_ns();
	}
	while (load->outstanding && !load->error && !interrupted()) {
		wait_until(load, load->next_report_ns);
		report_when_due(load);
	}
	cancel_outstanding(load);
	return load->error;
}
