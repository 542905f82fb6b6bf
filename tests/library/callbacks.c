/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callbacks may end, close and cancel whatever the headers allow, and are refused the rest. Each
 * pair of a callback and an action is played while the ring runs in each way, and while it closes.
 */
#include "library_fixture.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"

#define REQUESTS  40
#define STRANGER  31 /* an agent of the program's that madring does not know */
#define MOST_TURN 20000

/* The callbacks, of the batches "job" and "timer" unless said otherwise. */
enum place {
	SENT, /* of a plain request */
	JOB_NEXT,
	JOB_DONE,
	JOB_WATCH,
	JOB_PROGRESS,
	TIMER_WATCH,
	TIMER_NEXT,
	OTHERS, /* of an adopted file */
	PLACES,
};

enum way { RUN, STEP, RUN_JOB, CALL, CLOSE, CLOSE_ADOPTED, WAYS };

enum action {
	END_JOB,
	END_TIMER,
	END_IDLE,
	CANCEL_JOB,
	CANCEL_TIMER,
	CANCEL_AGENT,
	CLOSE_AGENT, /* of the job and the timer */
	CLOSE_OTHER_AGENT,
	CLOSE_PORT,
	CLOSE_ADOPTED_PORT,
	OPEN_AGENT, /* on the adopted port */
	CLOSE_RING,
	RUN_RING,
	STEP_RING,
	DISPATCH,
	RUN_IDLE,
	CALL_BATCH,
	ACTIONS,
};

/* A batch of the test, and how far it is. */
struct job {
	struct madring_batch *batch;
	enum place next, watch;
	unsigned int left, started, ended;
	bool is_timer, is_gone; /* the program has ended it */
};

static struct world {
	struct fixture fixture;
	struct madring_port *adopted;
	struct madring_agent *other_agent;
	int fd;
	struct job job, timer, idle;
	struct outcomes sent;
	enum place place;
	enum way way;
	enum action action;
	bool is_done; /* the action was taken */
	bool runs_job, closes_port;
} world;

static int expected(void)
{
	bool is_of_job = world.place >= JOB_NEXT && world.place <= JOB_PROGRESS;
	bool is_of_timer = world.place == TIMER_WATCH || world.place == TIMER_NEXT;

	switch (world.action) {
	case END_JOB:
		return is_of_job || world.runs_job ? -EBUSY : 0;
	case END_TIMER:
		return is_of_timer ? -EBUSY : 0;
	case CLOSE_ADOPTED_PORT:
	case OPEN_AGENT:
		return world.closes_port ? -EBUSY : 0;
	default:
		return world.action >= CLOSE_RING ? -EBUSY : 0;
	}
}

static int end_batch(struct job *job)
{
	int error = madring_batch_end(job->batch);

	job->is_gone |= !error;
	return error;
}

static int canceled(int count)
{
	assert_true(count >= 0);
	return 0;
}

static int run_again(void)
{
	const struct madring_batch_config none = { 0 };
	struct fixture *fixture = &world.fixture;

	switch (world.action) {
	case CLOSE_RING:
		return madring_close(fixture->ring);
	case RUN_RING:
		return madring_run(fixture->ring, 0);
	case STEP_RING:
		return madring_step(fixture->ring);
	case DISPATCH:
		return madring_dispatch(fixture->ring, 0);
	case RUN_IDLE:
		return madring_batch_run(world.idle.batch);
	default:
		return madring_batch_call(world.other_agent, &none);
	}
}

static int open_agent(void)
{
	const struct madring_agent_config config = { .mgmt_class = CLASS_SA, .class_version = 2 };
	struct madring_agent *agent;

	return madring_agent_open(world.adopted, &config, &agent);
}

static int act(void)
{
	struct fixture *fixture = &world.fixture;

	switch (world.action) {
	case END_JOB:
		return end_batch(&world.job);
	case END_TIMER:
		return end_batch(&world.timer);
	case END_IDLE:
		return end_batch(&world.idle);
	case CANCEL_JOB:
		return canceled(madring_batch_cancel(world.job.batch));
	case CANCEL_TIMER:
		return canceled(madring_batch_cancel(world.timer.batch));
	case CANCEL_AGENT:
		return canceled(madring_agent_cancel(fixture->agent));
	case CLOSE_AGENT:
		return madring_agent_close(fixture->agent);
	case CLOSE_OTHER_AGENT:
		return madring_agent_close(world.other_agent);
	case CLOSE_PORT:
		return madring_port_close(fixture->port);
	case CLOSE_ADOPTED_PORT:
		return madring_port_close(world.adopted);
	case OPEN_AGENT:
		return open_agent();
	default:
		return run_again();
	}
}

/* Is called at the beginning of each callback. */
static void visit(enum place place)
{
	if (place != world.place || world.is_done)
		return;
	world.is_done = true;
	assert_int_equal(act(), expected());
}

static int write_next(void *user, struct madring_batch *batch, struct madring_mad *mad,
		      struct madring_send_options *send)
{
	struct job *job = user;

	assert_false(job->is_gone);
	visit(job->next);
	if (!job->left)
		return 0;
	job->left--;
	job->started++;
	madring_gmp_prepare(mad, (uint16_t)(job->left + 1), MADRING_GET, 0x11, 0);
	return 1;
}

static void take_outcome(void *user, const struct madring_completion *completion)
{
	struct job *job = user;

	assert_false(job->is_gone);
	job->ended++;
	visit(job == &world.job ? JOB_DONE : PLACES);
}

static int watch(void *user, struct madring_batch *batch)
{
	struct job *job = user;

	assert_false(job->is_gone);
	visit(job->watch);
	return job->is_timer && !world.is_done ? 1 : -1;
}

static void tell(void *user, const struct madring_batch_state *state)
{
	struct job *job = user;

	assert_false(job->is_gone);
	visit(JOB_PROGRESS);
}

static void on_sent(const struct madring_completion *completion)
{
	count_outcome(completion);
	visit(SENT);
}

static void on_others(const struct madring_received *received)
{
	visit(OTHERS);
}

static void start_batch(struct job *job, struct madring_agent *agent, unsigned int requests)
{
	const struct madring_batch_config config = {
		.next = write_next,
		.done = take_outcome,
		.user = job,
		.watch = job->watch == PLACES ? NULL : watch,
		.progress = job == &world.job ? tell : NULL,
		.progress_ms = 1,
		.most = 8,
	};

	job->left = requests;
	assert_int_equal(madring_batch_start(agent, &config, &job->batch), 0);
}

static void adopt(void)
{
	const struct madring_adopt_config config = { .receive = on_others };
	/* The fixture's lanes come first. */
	world.fd = device_lane_open(NULL);
	assert_true(world.fd >= 0);
	assert_int_equal(madring_port_adopt(world.fixture.ring, world.fd, &config, &world.adopted),
			 0);
}

static void send_to_stranger(void)
{
	const struct madring_mad_hdr header = {
		.base_version = 1,
		.mgmt_class = CLASS_SA,
		.method = MADRING_GET_RESP,
	};
	struct fake_umad umad = { .umad.agent_id = STRANGER, .length = FAKE_BYTES, .lane = 1 };

	memcpy(umad.mad, &header, sizeof(header));
	fake_send(&umad);
}

static void open_world(void)
{
	const struct madring_config config = { .transactions = 64, .reads = 64, .lanes = 1 };
	const struct madring_agent_config other = { .mgmt_class = 0x04, .class_version = 1 };
	const struct madring_send_options send = { .callback = on_sent, .user = &world.sent };
	struct fixture *fixture = &world.fixture;

	fixture_open(fixture, &config, &fixture_patient);
	assert_int_equal(madring_agent_open(fixture->port, &other, &world.other_agent), 0);
	adopt();
	world.job = (struct job){ .next = JOB_NEXT, .watch = JOB_WATCH, .is_timer = true };
	world.timer = (struct job){ .next = TIMER_NEXT, .watch = TIMER_WATCH, .is_timer = true };
	world.idle = (struct job){ .next = PLACES, .watch = PLACES };
	start_batch(&world.job, fixture->agent, REQUESTS);
	start_batch(&world.timer, fixture->agent, 2);
	start_batch(&world.idle, world.other_agent, 0);
	assert_int_equal(madring_send(fixture->agent, fixture_request(fixture, 1, 0), &send), 0);
}

static void run_until_done(void)
{
	struct madring *ring = world.fixture.ring;
	unsigned int turn = 0;

	while ((!world.is_done || madring_outstanding(ring)) && turn++ < MOST_TURN) {
		if (world.way == STEP)
			assert_true(madring_step(ring) >= 0);
		else
			assert_true(madring_run(ring, 1) >= 0);
		fake_answer_all();
	}
}

static void call(void)
{
	struct madring_completion completion;
	struct madring_mad *mad = fixture_request(&world.fixture, 2, 0);

	fake_answering_start();
	madring_call(world.fixture.agent, mad, NULL, &completion);
	madring_mad_free(world.fixture.ring, completion.request);
	madring_mad_free(world.fixture.ring, completion.mad);
	fake_answering_stop();
}

static void play_way(void)
{
	switch (world.way) {
	case RUN_JOB:
		fake_answering_start();
		world.runs_job = true;
		assert_true(madring_batch_run(world.job.batch) >= 0);
		world.runs_job = false;
		fake_answering_stop();
		break;
	case CALL:
		call();
		break;
	case CLOSE_ADOPTED:
		world.closes_port = true;
		assert_int_equal(madring_port_close(world.adopted), 0);
		world.closes_port = false;
		break;
	case CLOSE:
		return;
	default:
		break;
	}
	run_until_done();
}

/* Tells whether a callback is called at all. */
static bool is_reached(void)
{
	if (world.way == CLOSE)
		return world.place == SENT || world.place == JOB_DONE || world.place == OTHERS;
	return world.way != CLOSE_ADOPTED || world.place == OTHERS;
}

static bool has_read_stranger(void)
{
	struct madring_stats stats;

	madring_get_stats(world.fixture.ring, &stats);
	return stats.received;
}

static void play(void)
{
	struct fixture *fixture = &world.fixture;

	world.is_done = false;
	world.sent = (struct outcomes){ 0 };
	open_world();
	if (world.way == CLOSE)
		assert_true(madring_step(world.fixture.ring) >= 0);
	send_to_stranger();
	/* This reads the MAD. The next call of madring calls back for it. */
	while (world.place == OTHERS && !has_read_stranger())
		assert_true(madring_submit(world.fixture.ring) >= 0);
	play_way();
	assert_int_equal(madring_close(fixture->ring), 0);
	assert_true(world.is_done);
	assert_int_equal(world.sent.count, 1);
	if (!world.job.is_gone)
		assert_int_equal(world.job.ended, world.job.started);
	if (!world.timer.is_gone)
		assert_int_equal(world.timer.ended, world.timer.started);
	assert_int_equal(fake_lanes(), 1);
	device_lane_close(world.fd);
	fake_reset(0, 0);
}

static void test_each_action_in_each_callback(void **state)
{
	for (world.way = 0; world.way < WAYS; world.way++)
		for (world.place = 0; world.place < PLACES; world.place++)
			for (world.action = 0; world.action < ACTIONS; world.action++)
				if (is_reached())
					play();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_each_action_in_each_callback),
};

TEST_MAIN(tests, NULL, NULL)
