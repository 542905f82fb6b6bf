/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of queries: a madring_batch whose requests are queries. */
#include "sa/sa_state.h"
#include "sized/sized.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct madring_sa_batch {
	struct madring_sa *sa; /* valid in .next of .requests: closing the SA stops them */
	struct madring_batch *requests;
	struct madring_sa_batch_config config;
	/* The sizes of the program's structs. */
	size_t request_size, component_size, send_size;
};

/* The room for what .next writes, which a later version may have made longer. */
#define MOST_SIZE 256u

union query_room {
	struct madring_sa_request query;
	uint8_t bytes[MOST_SIZE];
};
union send_room {
	struct madring_send_options options;
	uint8_t bytes[MOST_SIZE];
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
	return state.canceled || state.error || state.deadline_reached;
}

/*
 * Has the program write a query. Returns what its .next returns, or -E2BIG when it sets a member
 * that this library does not know.
 */
static int call_next(const struct madring_sa_batch *batch, union query_room *query,
		     union send_room *send)
{
	int result;

	memset(query, 0, sizeof(*query));
	memset(send, 0, sizeof(*send));
	result = batch->config.next(batch->config.user, &query->query, &send->options);
	if (result <= 0 || result == MADRING_BATCH_FINISHED)
		return result;
	if (!sized_rest_is_zero(query, batch->request_size, sizeof(query->query)) ||
	    !sized_rest_is_zero(send, batch->send_size, sizeof(send->options)))
		return -E2BIG;
	return result;
}

/* Writes the next query of a batch (madring_batch_config.next). */
static int next_request(void *user, struct madring_batch *requests, struct madring_mad *mad,
			struct madring_send_options *send)
{
	struct madring_sa_batch *batch = user;

	while (!is_stopped(requests)) {
		union query_room room;
		union send_room options;
		int result = call_next(batch, &room, &options), error;

		if (result <= 0 || result == MADRING_BATCH_FINISHED)
			return result;
		*send = options.options;
		if (room.query.timeout_ms)
			send->timeout_ms = room.query.timeout_ms;
		if (room.query.retries)
			send->retries = room.query.retries;
		error = sa_query_write(batch->sa, &room.query, batch->component_size, mad);
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

API int madring_sa_batch_start_sized(struct madring_sa *sa,
				     const struct madring_sa_batch_config *theirs,
				     size_t config_size, size_t request_size, size_t component_size,
				     size_t send_size, struct madring_sa_batch **batch)
{
	struct madring_sa_batch_config config;
	struct madring_batch_config requests = {
		.next = next_request,
		.done = take_outcome,
	};
	struct madring_sa_batch *started;
	int error = sized_take(&config, sizeof(config), theirs, config_size);

	if (error || request_size > MOST_SIZE || send_size > MOST_SIZE)
		return -E2BIG;
	if (sa->is_closing)
		return -ESHUTDOWN;
	if (!config.next || !config.done)
		return -EINVAL;
	started = calloc(1, sizeof(*started));
	if (!started)
		return -ENOMEM;
	started->sa = sa;
	started->config = config;
	started->request_size = request_size;
	started->component_size = component_size;
	started->send_size = send_size;
	requests.user = started;
	requests.most = config.most;
	requests.deadline_ms = config.deadline_ms;
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

API int madring_sa_batch_call_sized(struct madring_sa *sa,
				    const struct madring_sa_batch_config *config,
				    size_t config_size, size_t request_size, size_t component_size,
				    size_t send_size)
{
	struct madring_sa_batch *batch;
	int error = sa_check_caller(sa), again;

	if (!error)
		error = madring_sa_batch_start_sized(sa, config, config_size, request_size,
						     component_size, send_size, &batch);
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
