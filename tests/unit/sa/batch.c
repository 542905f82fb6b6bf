/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of queries: each has one answer, and so many are in flight (src/sa/sa_batch.c). */
#include "unit/sa/sa_paths.h"

#include <errno.h>
#include <string.h>

#include <madring/batch.h>

#include "unit/failing.h"

#define QUERIES 300u

/* A job of queries for paths, and what became of them. */
struct job {
	unsigned int total, given, ended, answered, records;
	unsigned int in_flight, peak;
	unsigned int bad_every;	   /* so often a component has no such name; 0: never */
	unsigned int cancel_after; /* queries; 0: never */
	int status;		   /* the last one that is not 0 */
	int at_end;		   /* what .next returns at the end */
	struct madring_sa_batch *batch;
	struct madring_sa_component component;
	bool is_seen[QUERIES];
};

static int next(void *user, struct madring_sa_request *query, struct madring_send_options *send)
{
	struct job *job = user;

	if (job->given == job->total)
		return job->at_end;
	if (job->cancel_after && job->given == job->cancel_after) {
		madring_batch_cancel(madring_sa_batch_requests(job->batch));
		return 0;
	}
	*query = get_paths;
	query->timeout_ms = 100;
	query->retries = MADRING_NO_RETRIES;
	job->component = (struct madring_sa_component){ .name = "DLID", .value = 77 };
	if (job->bad_every && job->given % job->bad_every == 0)
		job->component.name = "NoSuchComponent";
	query->components = &job->component;
	send->user = &job->is_seen[job->given++];
	if (++job->in_flight > job->peak)
		job->peak = job->in_flight;
	return 1;
}

static void done(void *user, struct madring_sa_answer *answer)
{
	struct job *job = user;
	bool *is_seen = answer->user;

	assert_false(*is_seen);
	*is_seen = true;
	assert_non_null(answer->text);
	job->ended++;
	job->in_flight--;
	job->answered += !answer->status;
	job->records += (unsigned int)answer->count;
	if (answer->status)
		job->status = answer->status;
	if (answer->status != -ECANCELED)
		assert_int_equal(madring_sa_batch_end(job->batch), job->batch ? -EBUSY : 0);
}

static struct madring_sa_batch_config config_of(struct job *job)
{
	return (struct madring_sa_batch_config){ .next = next, .done = done, .user = job };
}

static void test_each_query_has_an_answer(void **state)
{
	struct job job = { .total = QUERIES, .at_end = MADRING_BATCH_FINISHED };
	struct madring_sa_batch_config config = config_of(&job);

	config.most = 10;
	world.respond = paths_answer_seven;
	assert_int_equal(madring_sa_batch_call(world.sa, &config), 0);
	assert_int_equal(job.ended, QUERIES);
	assert_int_equal(job.answered, QUERIES);
	assert_int_equal(job.records, 7 * QUERIES);
	assert_int_equal(job.peak, 10);
	assert_int_equal(sa_world_last(MADRING_GET_TABLE, MADRING_ATTR_PATH_RECORD)->lid, SM_LID);
	sa_world_check_buffers();
}

static void test_unsent_query_has_an_answer(void **state)
{
	struct job job = { .total = QUERIES, .bad_every = 3 };
	struct madring_sa_batch_config config = config_of(&job);

	world.respond = paths_answer_seven;
	assert_int_equal(madring_sa_batch_call(world.sa, &config), 0);
	assert_int_equal(job.ended, QUERIES);
	assert_int_equal(job.answered, QUERIES - QUERIES / 3);
	assert_int_equal(job.status, -ENOENT);
	sa_world_check_buffers();
}

static void test_silence_is_an_answer(void **state)
{
	struct job job = { .total = 20 };
	const struct madring_sa_batch_config config = config_of(&job);

	world.respond = NULL;
	assert_int_equal(madring_sa_batch_start(world.sa, &config, &job.batch), 0);
	assert_int_equal(madring_batch_run(madring_sa_batch_requests(job.batch)), 0);
	assert_int_equal(job.ended, 20);
	assert_int_equal(job.status, -ETIMEDOUT);
	/* The batch goes on with more queries. */
	job.total = 25;
	world.respond = paths_answer_seven;
	madring_batch_more(madring_sa_batch_requests(job.batch));
	assert_int_equal(madring_batch_run(madring_sa_batch_requests(job.batch)), 0);
	assert_int_equal(job.answered, 5);
	assert_int_equal(madring_sa_batch_end(job.batch), 0);
}

static void test_callback_cancels_its_queries(void **state)
{
	struct job job = { .total = 20, .cancel_after = 5 };
	const struct madring_sa_batch_config config = config_of(&job);

	world.respond = NULL;
	assert_int_equal(madring_sa_batch_start(world.sa, &config, &job.batch), 0);
	assert_int_equal(madring_batch_run(madring_sa_batch_requests(job.batch)), 0);
	assert_int_equal(job.ended, 5);
	assert_int_equal(job.status, -ECANCELED);
	assert_int_equal(madring_sa_batch_end(job.batch), 0);
	assert_int_equal(madring_sa_batch_end(NULL), 0);
}

static void test_closing_the_sa_cancels_queries(void **state)
{
	struct job job = { .total = 20 };
	const struct madring_sa_batch_config config = config_of(&job);

	sa_world_open(NULL);
	assert_int_equal(madring_sa_open(world.subnet, NULL, &world.sa), 0);
	world.respond = NULL;
	assert_int_equal(madring_sa_batch_start(world.sa, &config, &job.batch), 0);
	sa_world_pass(10);
	assert_int_equal(job.given, 20);
	assert_int_equal(madring_sa_close(world.sa), 0);
	world.sa = NULL;
	assert_int_equal(job.ended, 20);
	assert_int_equal(job.status, -ECANCELED);
	/* Nothing of the SA is used any more. */
	job.total = 30;
	madring_batch_more(madring_sa_batch_requests(job.batch));
	sa_world_pass(10);
	assert_int_equal(job.given, 20);
	assert_int_equal(madring_sa_batch_end(job.batch), 0);
	sa_world_close();
}

static void test_wrong_configs_are_refused(void **state)
{
	struct job job = { 0 };
	struct madring_sa_batch *batch = NULL;
	const struct madring_sa_batch_config good = config_of(&job);
	struct madring_sa_batch_config bad[3] = { good, good, good };

	bad[0].next = NULL;
	bad[1].done = NULL;
	bad[2].deadline_ms = -1;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(madring_sa_batch_start(world.sa, &bad[i], &batch), -EINVAL);
	assert_int_equal(madring_sa_batch_start(world.sa, NULL, &batch), -EINVAL);
	for (unsigned int i = 1; i <= 3; i++) {
		fail_at = i;
		assert_int_equal(madring_sa_batch_start(world.sa, &good, &batch), -ENOMEM);
		fail_at = 0;
	}
	assert_null(batch);
}

static const struct CMUnitTest tests[] = {
	SA_TEST(test_each_query_has_an_answer),
	SA_TEST(test_unsent_query_has_an_answer),
	SA_TEST(test_silence_is_an_answer),
	SA_TEST(test_callback_cancels_its_queries),
	cmocka_unit_test(test_closing_the_sa_cancels_queries),
	SA_TEST(test_wrong_configs_are_refused),
};

TEST_MAIN(tests, NULL, NULL)
