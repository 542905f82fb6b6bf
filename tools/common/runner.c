/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "interrupt.h"
#include "progress.h"
#include "runner.h"

static void stop_job(struct runner *runner)
{
	runner->stopped = true;
	runner->stop(runner->job);
}

void runner_fail(struct runner *runner, int error)
{
	if (!runner->error)
		runner->error = error;
	stop_job(runner);
}

int runner_send(struct runner *runner, struct madring_agent *agent, struct madring_mad *mad,
		const struct madring_send_options *options)
{
	int result = madring_send(agent, mad, options);

	if (!result) {
		runner->outstanding++;
		return 0;
	}
	madring_mad_put(runner->ring, mad);
	if (result == -ENODEV)
		runner_fail(runner, -ENODEV);
	return result == -ESHUTDOWN ? -ECANCELED : result;
}

bool runner_take_outcome(struct runner *runner, int status)
{
	runner->outstanding--;
	if (runner->ended) {
		if (!runner->outstanding)
			free(runner->job);
		return false;
	}
	runner->answered++;
	if (status == -ENODEV)
		runner_fail(runner, -ENODEV);
	return true;
}

void runner_end(struct runner *runner)
{
	runner->ended = true;
	if (!runner->outstanding)
		free(runner->job);
}

void runner_pump(struct runner *runner)
{
	while (!runner->send_next(runner->job))
		;
}

/* Returns how many milliseconds to wait, rounded up: PROGRESS_MS, or fewer when the job wants it or
   the deadline is nearer. Once the job is stopped, its requests end when their writes do, whatever
   the deadline. */
static int wait_ms(const struct runner *runner)
{
	int longest = runner->longest_wait_ms, ms;

	if (runner->stopped || !runner->deadline_ns)
		return longest;
	ms = clock_ms_until(runner->deadline_ns);
	return ms < longest ? ms : longest;
}

static void pump_and_watch(struct runner *runner)
{
	runner->longest_wait_ms = runner->watch ? runner->watch(runner->job) : PROGRESS_MS;
	runner_pump(runner);
}

/* Returns whether the job waits for outcomes: of its own requests, or of another job's that leave
   the ring no room for its first one. */
static bool has_to_wait(const struct runner *runner)
{
	return runner->outstanding ||
	       (runner->count_waiting(runner->job) && madring_outstanding(runner->ring));
}

static void cancel_requests(struct runner *runner)
{
	madring_agent_cancel(runner->agent);
	if (runner->second)
		madring_agent_cancel(runner->second);
}

void runner_run(struct runner *runner)
{
	pump_and_watch(runner);
	while (has_to_wait(runner)) {
		int result = madring_run(runner->ring, wait_ms(runner));

		if (result < 0 && result != -EINTR) {
			/* The ring has failed. What can be cancelled now ends now. */
			runner_fail(runner, result);
			cancel_requests(runner);
			madring_dispatch(runner->ring, 0);
			return;
		}
		if (!runner->stopped) {
			runner->interrupted = interrupted();
			runner->deadline_reached = !runner->interrupted && runner->deadline_ns &&
						   clock_ns() >= runner->deadline_ns;
			if (runner->interrupted || runner->deadline_reached) {
				stop_job(runner);
				cancel_requests(runner);
			}
		}
		pump_and_watch(runner);
		runner->show(runner->job, runner->count_waiting(runner->job) + runner->outstanding);
	}
	if (runner->count_waiting(runner->job))
		runner_fail(runner, -ENOBUFS);
}
