/* SPDX-License-Identifier: BSD-2-Clause */
#include "batch_job.h"

#include <errno.h>

static int hand_out(void *user, struct madring_batch *batch, struct madring_mad *mad,
		    struct madring_send_options *send)
{
	struct job *job = user;
	bool has_lid = !job->lid_0_every || job->given % job->lid_0_every;

	job->batch = batch;
	if (job->given == job->total) {
		job->ends++;
		return job->next_error;
	}
	if (job->via && job->given % 2)
		madring_batch_via(batch, job->via);
	job->given++;
	madring_gmp_prepare(mad, has_lid ? (uint16_t)(job->given % 40000 + 1) : 0, MADRING_GET,
			    0x11, 0);
	send->user = (void *)(uintptr_t)job->given;
	if (++job->in_flight > job->peak)
		job->peak = job->in_flight;
	return 1;
}

static void take_outcome(void *user, const struct madring_completion *completion)
{
	struct job *job = user;

	assert_in_range((uintptr_t)completion->user, 1, job->given);
	assert_in_range(-completion->status, 0, MOST_STATUS - 1);
	assert_non_null(completion->request);
	job->last_user = (uintptr_t)completion->user;
	job->with[-completion->status]++;
	job->ended++;
	job->in_flight--;
	if (job->via && !completion->status)
		assert_int_equal(madring_mad_header(completion->mad)->mgmt_class,
				 job->last_user % 2 ? CLASS_SA : 0x04);
	if (job->other) {
		job->other->total++;
		madring_batch_more(job->other->batch);
	}
	if (job->ended == job->cancel_after) {
		assert_int_equal(madring_batch_end(job->batch), -EBUSY);
		assert_int_equal(madring_batch_run(job->batch), -EBUSY);
		madring_batch_cancel(job->batch);
	}
}

int job_watch(void *user, struct madring_batch *batch)
{
	struct job *job = user;

	job->watched++;
	if (!job->watch_adds)
		return -1;
	job->watch_adds--;
	job->total++;
	return job->watch_adds ? job->watch_ms : -1;
}

void job_tell(void *user, const struct madring_batch_state *state)
{
	struct job *job = user;

	assert_false(state->done);
	assert_int_equal(state->started - state->ended, state->in_flight);
	job->told++;
}

struct madring_batch_config job_config(struct job *job)
{
	return (struct madring_batch_config){
		.next = hand_out,
		.done = take_outcome,
		.user = job,
	};
}

struct madring_batch *job_start(struct fixture *fixture, const struct madring_batch_config *config)
{
	struct job *job = config->user;

	assert_int_equal(madring_batch_start(fixture->agent, config, &job->batch), 0);
	return job->batch;
}

struct madring_batch_state job_batch_state(const struct madring_batch *batch)
{
	struct madring_batch_state state;

	madring_batch_get_state(batch, &state);
	return state;
}
