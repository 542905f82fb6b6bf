/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches: requests are handed out while there is room, and each has one outcome. */
#include "fixture.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_STATUS 200

/* A job of .total requests, to LIDs from 1 on. */
struct job {
	struct madring_batch *batch;
	struct madring *ring;
	unsigned int total, given, ended;
	unsigned int with[MOST_STATUS]; /* outcomes, by the errno */
	unsigned int in_flight, peak;
	unsigned int cancel_after; /* outcomes; 0: never */
	unsigned int lid_0_every;  /* so often a request has no destination; 0: never */
	int next_error;		   /* what .next returns at the end, rather than 0 */
	unsigned int ends;	   /* so often .next was called at the end */
	int watch_ms;
	unsigned int watched, watch_adds, told;
	struct madring_agent *via;
	struct job *other; /* its .next has one more request after each outcome */
	uint64_t last_user;
};

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

static int watch(void *user, struct madring_batch *batch)
{
	struct job *job = user;

	(void)batch;
	job->watched++;
	if (!job->watch_adds)
		return -1;
	job->watch_adds--;
	job->total++;
	return job->watch_adds ? job->watch_ms : -1;
}

static void tell(void *user, const struct madring_batch_state *state)
{
	struct job *job = user;

	assert_false(state->done);
	assert_int_equal(state->started - state->ended, state->in_flight);
	job->told++;
}

static struct madring_batch_config config_of(struct job *job)
{
	return (struct madring_batch_config){
		.next = hand_out,
		.done = take_outcome,
		.user = job,
	};
}

static struct madring_batch *start(struct fixture *fixture,
				   const struct madring_batch_config *config)
{
	struct job *job = config->user;

	assert_int_equal(madring_batch_start(fixture->agent, config, &job->batch), 0);
	return job->batch;
}

static struct madring_batch_state state_of(const struct madring_batch *batch)
{
	struct madring_batch_state state;

	madring_batch_get_state(batch, &state);
	return state;
}

static void test_all_requests_have_an_outcome(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 5000, .lid_0_every = 7 };
	const struct madring_batch_config config = config_of(&job);

	fake_answering_start();
	assert_int_equal(madring_batch_call(fixture->agent, &config), 0);
	fake_answering_stop();
	assert_int_equal(job.ended, 5000);
	assert_int_equal(job.with[EDESTADDRREQ], 715);
	assert_int_equal(job.with[0], 4285);
	assert_true(job.peak <= 1024);
}

static void test_a_small_ring_is_no_limit(void **state)
{
	static const struct madring_config sizes[] = {
		{ .transactions = 1 },
		{ .transactions = 3, .buffers = 64 },
		{ .transactions = 64, .buffers = 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct job job = { .total = 100 }, second = { .total = 100 };
		const struct madring_batch_config config = config_of(&job);
		const struct madring_batch_config other = config_of(&second);
		struct fixture fixture;

		fixture_open(&fixture, &sizes[i], &fixture_patient);
		fake_answering_start();
		start(&fixture, &config);
		start(&fixture, &other);
		assert_int_equal(madring_batch_run(job.batch), 0);
		assert_int_equal(job.with[0], 100);
		/* They took turns. */
		assert_true(second.ended > 50);
		assert_int_equal(madring_batch_run(second.batch), 0);
		assert_int_equal(second.with[0], 100);
		fake_answering_stop();
		assert_int_equal(madring_batch_end(job.batch), 0);
		assert_int_equal(madring_batch_end(second.batch), 0);
		fixture_close(&fixture);
	}
}

static void test_at_most_so_many_are_in_flight(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 300 };
	struct madring_batch_config config = config_of(&job);

	config.most = 5;
	fake_answering_start();
	assert_int_equal(madring_batch_call(fixture->agent, &config), 0);
	fake_answering_stop();
	assert_int_equal(job.with[0], 300);
	assert_int_equal(job.peak, 5);
}

static void test_requests_go_by_several_agents(void **state)
{
	const struct madring_agent_config pma = { .mgmt_class = 0x04, .class_version = 1 };
	struct fixture *fixture = *state;
	struct job job = { .total = 400 };
	const struct madring_batch_config config = config_of(&job);

	assert_int_equal(madring_agent_open(fixture->port, &pma, &job.via), 0);
	fake_answering_start();
	assert_int_equal(madring_batch_call(fixture->agent, &config), 0);
	fake_answering_stop();
	assert_int_equal(job.with[0], 400);
}

static void test_silence_is_an_outcome(void **state)
{
	const struct madring_agent_config impatient = { .timeout_ms = 1, .retries = 1 };
	struct job job = { .total = 50 };
	const struct madring_batch_config config = config_of(&job);
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, NULL, &impatient);
	assert_int_equal(madring_batch_call(fixture.agent, &config), 0);
	assert_int_equal(job.with[ETIMEDOUT], 50);
	fixture_close(&fixture);
}

static void test_a_deadline_ends_it(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 3000 };
	struct madring_batch_config config = config_of(&job);
	struct madring_batch *batch;

	config.deadline_ms = 5;
	batch = start(fixture, &config);
	assert_int_equal(madring_batch_run(batch), 0);
	assert_true(state_of(batch).deadline_reached && state_of(batch).done);
	assert_false(state_of(batch).canceled);
	assert_true(job.given <= 1024);
	assert_int_equal(job.with[ECANCELED], job.given);
	assert_int_equal(madring_batch_end(batch), 0);
}

static void test_it_is_canceled_by_its_callback(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 3000, .cancel_after = 100 };
	const struct madring_batch_config config = config_of(&job);
	struct madring_batch *batch = start(fixture, &config);

	fake_answering_start();
	assert_int_equal(madring_batch_run(batch), 0);
	fake_answering_stop();
	assert_true(state_of(batch).canceled);
	assert_int_equal(job.ended, job.given);
	assert_true(job.with[0] >= 100 && job.with[ECANCELED] && job.given < 3000);
	madring_batch_more(batch);
	assert_int_equal(madring_batch_run(batch), 0);
	assert_int_equal(job.ended, job.given);
	assert_int_equal(madring_batch_end(batch), 0);
}

static void test_the_callback_for_requests_may_fail(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 10, .next_error = -EILSEQ };
	const struct madring_batch_config config = config_of(&job);

	assert_int_equal(madring_batch_call(fixture->agent, &config), -EILSEQ);
	assert_int_equal(job.with[ECANCELED], 10);
}

static void test_more_continues_it(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 10 }, other = { 0 };
	const struct madring_batch_config config = config_of(&job), next = config_of(&other);

	fake_answering_start();
	start(fixture, &config);
	start(fixture, &next);
	job.other = &other;
	assert_int_equal(madring_batch_run(job.batch), 0);
	assert_int_equal(madring_batch_run(other.batch), 0);
	assert_int_equal(other.with[0], 10);
	job.total = 25;
	madring_batch_more(job.batch);
	assert_false(state_of(job.batch).done);
	assert_int_equal(madring_batch_run(job.batch), 0);
	assert_int_equal(madring_batch_run(other.batch), 0);
	fake_answering_stop();
	assert_int_equal(job.with[0], 25);
	assert_int_equal(other.with[0], 25);
	assert_int_equal(state_of(job.batch).answered, 25);
	assert_int_equal(madring_batch_end(job.batch), 0);
	assert_int_equal(madring_batch_end(other.batch), 0);
}

/* Nothing has the batch call .next again: no outcome, no .watch that wants calls, and no more. */
static void test_it_is_finished_once(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 10, .next_error = MADRING_BATCH_FINISHED, .watch_adds = 3 };
	struct madring_batch_config config = config_of(&job);

	config.watch = watch;
	job.watch_ms = 3600000;
	fake_answering_start();
	start(fixture, &config);
	assert_int_equal(madring_batch_run(job.batch), 0);
	assert_true(job.watched && state_of(job.batch).done);
	assert_int_equal(job.with[0], job.given);
	job.total = job.given + 5;
	madring_batch_more(job.batch);
	assert_true(state_of(job.batch).done);
	assert_int_equal(madring_batch_run(job.batch), 0);
	fake_answering_stop();
	assert_int_equal(job.ends, 1);
	assert_int_equal(job.with[0], job.total - 5);
	assert_int_equal(madring_batch_end(job.batch), 0);
}

/* Requests without replies in an event loop: only its timer tells of the calls that are due. */
static void test_times_are_kept_in_an_event_loop(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .watch_adds = 4, .watch_ms = 2 };
	struct madring_batch_config config = config_of(&job);
	struct madring_batch *batch;

	config.watch = watch;
	config.progress = tell;
	config.progress_ms = 1;
	batch = start(fixture, &config);
	assert_true(madring_fd(fixture->ring) >= 0);
	assert_true(madring_step(fixture->ring) >= 0);
	while (job.given < 4 || job.told < 3) {
		fixture_wait_readable(fixture);
		assert_true(madring_step(fixture->ring) >= 0);
	}
	assert_true(job.watched >= 4);
	assert_int_equal(madring_batch_cancel(batch), 4);
	fixture_wait_readable(fixture);
	assert_true(madring_step(fixture->ring) > 0);
	assert_int_equal(job.with[ECANCELED], 4);
	assert_true(state_of(batch).done);
	assert_int_equal(madring_batch_end(batch), 0);
}

static void test_a_deadline_is_kept_in_an_event_loop(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 10 };
	struct madring_batch_config config = config_of(&job);
	struct madring_batch *batch;

	config.deadline_ms = 5;
	batch = start(fixture, &config);
	assert_true(madring_fd(fixture->ring) >= 0);
	assert_true(madring_step(fixture->ring) >= 0);
	while (!state_of(batch).done) {
		fixture_wait_readable(fixture);
		assert_true(madring_step(fixture->ring) >= 0);
	}
	assert_int_equal(job.with[ECANCELED], job.given);
	assert_true(state_of(batch).deadline_reached);
	assert_int_equal(madring_batch_end(batch), 0);
}

static void test_it_runs_in_an_event_loop(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 3000 };
	const struct madring_batch_config config = config_of(&job);
	struct madring_batch *batch = start(fixture, &config);

	fake_answering_start();
	assert_true(madring_step(fixture->ring) >= 0);
	while (!state_of(batch).done) {
		fixture_wait_readable(fixture);
		assert_true(madring_step(fixture->ring) >= 0);
	}
	fake_answering_stop();
	assert_int_equal(job.with[0], 3000);
	assert_int_equal(madring_batch_end(batch), 0);
}

/* A watch that wants to be called paces a batch that has nothing in flight. */
static void test_a_watch_keeps_it_going(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .watch_adds = 5, .watch_ms = 1 };
	struct madring_batch_config config = config_of(&job);

	config.watch = watch;
	fake_answering_start();
	assert_int_equal(madring_batch_call(fixture->agent, &config), 0);
	fake_answering_stop();
	assert_int_equal(job.with[0], 5);
}

static void test_ending_is_silent(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 500 };
	const struct madring_batch_config config = config_of(&job);
	struct madring_batch *batch = start(fixture, &config);

	assert_true(madring_run(fixture->ring, 0) >= 0);
	assert_int_equal(job.given, 500);
	assert_int_equal(madring_batch_end(batch), 0);
	assert_int_equal(madring_batch_end(NULL), 0);
	fixture_drain(fixture);
	assert_int_equal(job.ended, 0);
}

static void test_closing_the_ring_ends_it(void **state)
{
	struct job job = { .total = 3000 }, orphan = { .total = 10 };
	const struct madring_batch_config config = config_of(&job), other = config_of(&orphan);
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, NULL, &fixture_patient);
	start(&fixture, &other);
	start(&fixture, &config);
	assert_true(madring_run(fixture.ring, 0) >= 0);
	assert_int_equal(madring_batch_end(orphan.batch), 0);
	fixture_close(&fixture);
	assert_true(job.given > 0);
	assert_int_equal(job.with[ECANCELED], job.given);
	assert_int_equal(orphan.ended, 0);
}

static void test_closing_the_agent_cancels_it(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 3000 };
	const struct madring_batch_config config = config_of(&job);
	struct madring_batch *batch = start(fixture, &config);

	assert_true(madring_run(fixture->ring, 0) >= 0);
	assert_int_equal(madring_agent_close(fixture->agent), 0);
	assert_int_equal(madring_batch_run(batch), 0);
	assert_true(state_of(batch).canceled);
	assert_int_equal(job.with[ECANCELED], job.given);
	assert_int_equal(madring_batch_end(batch), 0);
}

static void test_a_device_that_is_gone_stops_it(void **state)
{
	struct job job = { .total = 3000 };
	const struct madring_batch_config config = config_of(&job);
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, NULL, &fixture_patient);
	start(&fixture, &config);
	assert_true(madring_run(fixture.ring, 0) >= 0);
	fake_remove();
	assert_int_equal(madring_batch_run(job.batch), -ENODEV);
	assert_int_equal(state_of(job.batch).error, -ENODEV);
	assert_int_equal(job.ended, job.given);
	assert_int_equal(madring_batch_end(job.batch), 0);
	fixture_close(&fixture);
}

static void test_no_buffer_is_an_error(void **state)
{
	const struct madring_config small = { .transactions = 4, .buffers = 1, .reads = 64 };
	struct job job = { .total = 3 };
	const struct madring_batch_config config = config_of(&job);
	struct madring_mad *taken[8];
	unsigned int count = 0;
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, &small, &fixture_patient);
	while (count < 8 && (taken[count] = madring_mad_alloc(fixture.agent)))
		count++;
	assert_in_range(count, 1, 7);
	assert_int_equal(madring_batch_call(fixture.agent, &config), -ENOBUFS);
	assert_int_equal(job.given, 0);
	while (count)
		madring_mad_free(fixture.ring, taken[--count]);
	fixture_close(&fixture);
}

/* A job, and the buffers of the pool that its third watch gives back. */
struct starved {
	struct job job; /* the first: it is the user of the batch */
	struct madring *ring;
	struct madring_mad *taken[8];
	unsigned int count;
};

static int watch_that_gives(void *user, struct madring_batch *batch)
{
	struct starved *starved = user;

	(void)batch;
	if (++starved->job.watched < 3)
		return 1;
	while (starved->count)
		madring_mad_free(starved->ring, starved->taken[--starved->count]);
	return -1;
}

static void test_a_watch_waits_for_a_buffer(void **state)
{
	const struct madring_config small = { .transactions = 4, .buffers = 1, .reads = 64 };
	struct starved starved = { .job.total = 3 };
	struct madring_batch_config config = config_of(&starved.job);
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, &small, &fixture_patient);
	starved.ring = fixture.ring;
	while (starved.count < 8 &&
	       (starved.taken[starved.count] = madring_mad_alloc(fixture.agent)))
		starved.count++;
	assert_in_range(starved.count, 1, 7);
	config.watch = watch_that_gives;
	fake_answering_start();
	assert_int_equal(madring_batch_call(fixture.agent, &config), 0);
	fake_answering_stop();
	assert_int_equal(starved.job.with[0], 3);
	fixture_close(&fixture);
}

/* Counts its calls, and those after the batch was stopped and is done. */
struct told {
	struct job job; /* the first: it is the user of the batch */
	int watch_ms;
	unsigned int ends;
};

static int watch_for_end(void *user, struct madring_batch *batch)
{
	struct told *told = user;

	told->ends += state_of(batch).done;
	return told->watch_ms;
}

/* A batch ends while nothing is in flight: no outcome tells the program. */
static void test_the_end_is_told(void **state)
{
	static const struct {
		int watch_ms, next_error, deadline_ms;
	} cases[] = { { 1000, 0, 20 }, { -1, 0, 20 }, { 1, -EPROTO, 0 }, { -1, -EPROTO, 0 } };
	struct fixture *fixture = *state;

	for (unsigned int i = 0; i < 8; i++) {
		const bool in_event_loop = i >= 4;
		struct told told = { .watch_ms = cases[i % 4].watch_ms };
		struct madring_batch_config config = config_of(&told.job);
		struct madring_mad *taken[2048];
		unsigned int count = 0;

		told.job.next_error = cases[i % 4].next_error;
		told.job.total = cases[i % 4].deadline_ms ? 1 : 0;
		config.watch = watch_for_end;
		config.deadline_ms = cases[i % 4].deadline_ms;
		while (config.deadline_ms && count < 2048 &&
		       (taken[count] = madring_mad_alloc(fixture->agent)))
			count++;
		start(fixture, &config);
		if (in_event_loop)
			assert_true(madring_fd(fixture->ring) >= 0);
		do {
			if (in_event_loop)
				assert_true(madring_step(fixture->ring) >= 0);
			else
				assert_true(madring_run(fixture->ring, -1) >= 0);
			if (in_event_loop && !told.ends)
				fixture_wait_readable(fixture);
		} while (!told.ends);
		assert_true(madring_run(fixture->ring, 0) >= 0);
		assert_int_equal(told.ends, 1);
		assert_int_equal(madring_batch_end(told.job.batch), 0);
		while (count)
			madring_mad_free(fixture->ring, taken[--count]);
	}
}

/* An event loop learns of the end of a batch that is canceled between two steps, or whose agent is
   closed then. */
static void test_the_end_is_told_in_an_event_loop(void **state)
{
	struct fixture *fixture = *state;

	assert_true(madring_fd(fixture->ring) >= 0);
	for (unsigned int i = 0; i < 2; i++) {
		struct told told = { .watch_ms = -1 };
		struct madring_batch_config config = config_of(&told.job);

		config.watch = watch_for_end;
		start(fixture, &config);
		assert_true(madring_step(fixture->ring) >= 0);
		told.ends = 0;
		if (i)
			assert_int_equal(madring_agent_close(fixture->agent), 0);
		else
			assert_int_equal(madring_batch_cancel(told.job.batch), 0);
		while (!told.ends) {
			fixture_wait_readable(fixture);
			assert_true(madring_step(fixture->ring) >= 0);
		}
		assert_true(state_of(told.job.batch).canceled);
		assert_int_equal(madring_batch_end(told.job.batch), 0);
	}
}

/*
 * Starts a child that stops and continues this process, as Ctrl-Z and fg do, or sends it @number,
 * until this process closes @end. The child never ends between the two.
 */
static pid_t start_signalling(int number, int *end)
{
	struct pollfd closed;
	int ends[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child) {
		close(ends[0]);
		*end = ends[1];
		return child;
	}
	close(ends[1]);
	closed = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	while (!poll(&closed, 1, 3)) {
		kill(getppid(), number);
		usleep(1000);
		if (number == SIGSTOP)
			kill(getppid(), SIGCONT);
	}
	_exit(0);
}

static void on_signal(int number)
{
	(void)number;
}

/* Only a signal that the program handles interrupts a batch. */
static void test_being_stopped_does_not_cancel_it(void **state)
{
	struct fixture *fixture = *state;
	struct sigaction handled = { .sa_handler = on_signal }, before;

	for (unsigned int i = 0; i < 2; i++) {
		struct job job = { .total = 10 };
		struct madring_batch_config config = config_of(&job);
		const bool is_handled = i;
		int status, end;
		pid_t child;

		config.deadline_ms = is_handled ? 0 : 100;
		if (is_handled)
			assert_int_equal(sigaction(SIGUSR1, &handled, &before), 0);
		child = start_signalling(is_handled ? SIGUSR1 : SIGSTOP, &end);
		assert_true(child > 0);
		assert_int_equal(madring_batch_call(fixture->agent, &config),
				 is_handled ? -EINTR : 0);
		close(end);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(job.with[ECANCELED], 10);
		if (is_handled)
			sigaction(SIGUSR1, &before, NULL);
	}
}

static void ignore_request(const struct madring_received *received)
{
	(void)received;
}

/* A batch that its own .watch ends, while the ring may receive requests for ever. */
static void test_it_ends_beside_a_receiver(void **state)
{
	const struct madring_agent_config receiver = {
		.mgmt_class = 0x09,
		.class_version = 1,
		.method_mask = { 1 << MADRING_GET },
		.receive = ignore_request,
	};
	struct fixture *fixture = *state;
	struct job job = { .watch_adds = 2, .watch_ms = 1 };
	struct madring_batch_config config = config_of(&job);
	struct madring_agent *agent;

	assert_int_equal(madring_agent_open(fixture->port, &receiver, &agent), 0);
	config.watch = watch;
	config.deadline_ms = 20;
	fake_answering_start();
	assert_int_equal(madring_batch_call(fixture->agent, &config), 0);
	job = (struct job){ .watch_adds = 1000000, .watch_ms = 1000 };
	config.most = 1;
	assert_int_equal(madring_batch_call(fixture->agent, &config), 0);
	fake_answering_stop();
	config = config_of(&job);
	job = (struct job){ .next_error = -EPROTO };
	start(fixture, &config);
	assert_true(madring_run(fixture->ring, -1) == 0);
	assert_true(state_of(job.batch).done);
	assert_int_equal(madring_batch_end(job.batch), 0);
}

static void test_wrong_configs_are_refused(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { 0 };
	struct madring_batch_config config = config_of(&job);
	struct madring_batch *batch;

	assert_int_equal(madring_batch_start(fixture->agent, NULL, &batch), -EINVAL);
	config.next = NULL;
	assert_int_equal(madring_batch_start(fixture->agent, &config, &batch), -EINVAL);
	config = config_of(&job);
	config.done = NULL;
	assert_int_equal(madring_batch_start(fixture->agent, &config, &batch), -EINVAL);
	config = config_of(&job);
	config.deadline_ms = -1;
	assert_int_equal(madring_batch_start(fixture->agent, &config, &batch), -EINVAL);
}

static void test_a_child_cannot_run_it(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 10 };
	const struct madring_batch_config config = config_of(&job);
	struct madring_batch *batch = start(fixture, &config);
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child)
		_exit(madring_batch_run(batch) != -EREMOTE ||
		      madring_batch_end(batch) != -EREMOTE || job.given ||
		      madring_close(fixture->ring));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	fake_answering_start();
	assert_int_equal(madring_batch_run(batch), 0);
	fake_answering_stop();
	assert_int_equal(job.with[0], 10);
	assert_int_equal(madring_batch_end(batch), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PATIENT_TEST(test_all_requests_have_an_outcome),
		cmocka_unit_test(test_a_small_ring_is_no_limit),
		PATIENT_TEST(test_it_is_finished_once),
		PATIENT_TEST(test_at_most_so_many_are_in_flight),
		PATIENT_TEST(test_requests_go_by_several_agents),
		cmocka_unit_test(test_silence_is_an_outcome),
		PATIENT_TEST(test_a_deadline_ends_it),
		PATIENT_TEST(test_it_is_canceled_by_its_callback),
		PATIENT_TEST(test_the_callback_for_requests_may_fail),
		PATIENT_TEST(test_more_continues_it),
		PATIENT_TEST(test_times_are_kept_in_an_event_loop),
		PATIENT_TEST(test_a_deadline_is_kept_in_an_event_loop),
		PATIENT_TEST(test_it_runs_in_an_event_loop),
		PATIENT_TEST(test_a_watch_keeps_it_going),
		PATIENT_TEST(test_ending_is_silent),
		cmocka_unit_test(test_closing_the_ring_ends_it),
		PATIENT_TEST(test_closing_the_agent_cancels_it),
		cmocka_unit_test(test_a_device_that_is_gone_stops_it),
		cmocka_unit_test(test_no_buffer_is_an_error),
		cmocka_unit_test(test_a_watch_waits_for_a_buffer),
		PATIENT_TEST(test_the_end_is_told),
		PATIENT_TEST(test_the_end_is_told_in_an_event_loop),
		PATIENT_TEST(test_being_stopped_does_not_cancel_it),
		PATIENT_TEST(test_it_ends_beside_a_receiver),
		PATIENT_TEST(test_wrong_configs_are_refused),
		PATIENT_TEST(test_a_child_cannot_run_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
