/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of queries: a madring_batch whose requests are queries. */
#include "sa/sa_state.h"

#include <errno.h>
#include <stdlib.h>

struct madring_sa_batch {
	struct madring_sa *sa; /* valid in .next of .requests: closing the SA stops them */
	struct madring_batch *requests;
	struct madring_sa_batch_config config;
};

/* Gives the program the answer of a query that was not sent. */
static void refuse_query(struct madring_sa_batch *batch, void *user, int error)
{
	struct madring_sa_answer answer = {
		.user = user,
		.status = error,
		.text = sa_words_of_refusal(error),
	};

	batch->config.done(batch->config.user, &answer);
}

static bool is_stopped(const struct madring_batch *requests)
{
	struct madring_batch_state state;

	madring_batch_get_state(requests, &state);
	return state.cancelled || state.error || state.deadline_reached;
}

static int next_request(void *user, struct madring_batch *requests, struct madring_mad *mad,
			struct madring_send_options *send)
{
	struct madring_sa_batch *batch = user;

	while (!is_stopped(requests)) {
		struct madring_sa_request query = { 0 };
		int result, error;

		*send = (struct madring_send_options){ 0 };
		result = batch->config.next(batch->config.user, &query, send);
		if (result <= 0 || result == MADRING_BATCH_FINISHED)
			return result;
		if (query.timeout_ms)
			send->timeout_ms = query.timeout_ms;
		if (query.retries)
			send->retries = query.retries;
		error = sa_query_write(batch->sa, &query, mad);
		if (!error)
			return 1;
		refuse_query(batch, send->user, error);
	}
	return 0;
}

static void take_outcome(void *user, const struct madring_completion *completion)
{
	struct madring_sa_batch *batch = user;
	struct madring_sa_answer answer;

	sa_answer_read(&answer, completion, madring_mad_header(completion->request)->method);
	answer.user = completion->user;
	batch->config.done(batch->config.user, &answer);
}

API int madring_sa_batch_start(struct madring_sa *sa, const struct madring_sa_batch_config *config,
			       struct madring_sa_batch **batch)
{
	struct madring_batch_config requests = {
		.next = next_request,
		.done = take_outcome,
	};
	struct madring_sa_batch *started;
	int error;

	if (sa->is_closing)
		return -ESHUTDOWN;
	if (!config || !config->next || !config->done)
		return -EINVAL;
	for (unsigned int i = 0; i < sizeof(config->reserved) / sizeof(config->reserved[0]); i++) {
		if (config->reserved[i])
			return -EINVAL;
	}
	started = calloc(1, sizeof(*started));
	if (!started)
		return -ENOMEM;
	started->sa = sa;
	started->config = *config;
	requests.user = started;
	requests.most = config->most;
	requests.deadline_ms = config->deadline_ms;
	error = madring_batch_start(sa->agent, &requests, &started->requests);
	if (error) {
		free(started);
		return error;
	}
	*batch = started;
	return 0;
}

API struct madring_batch *madring_sa_batch_requests(const struct madring_sa_batch *batch)
{
	return batch->requests;
}

API int madring_sa_batch_end(struct madring_sa_batch *batch)
{
	int error;

	if (!batch)
		return 0;
	error = madring_batch_end(batch->requests);
	if (error)
		return error;
	free(batch);
	return 0;
}

API int madring_sa_batch_call(struct madring_sa *sa, const struct madring_sa_batch_config *config)
{
	struct madring_sa_batch *batch;
	int error = sa_check_caller(sa), again;

	if (!error)
		error = madring_sa_batch_start(sa, config, &batch);
	if (error)
		return error;
	error = madring_batch_run(batch->requests);
	if (error == -EINTR) {
		madring_batch_cancel(batch->requests);
		do
			again = madring_batch_run(batch->requests);
		while (again == -EINTR);
	}
	madring_sa_batch_end(batch);
	return error;
}
