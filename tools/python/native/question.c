/* SPDX-License-Identifier: BSD-2-Clause */
#include "question.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <madring.h>
#include <madring/batch.h>
#include <madring/sa.h>

#include "run.h"

/* Questions, in the order in which they came. */
struct list {
	struct question *first, **end;
	size_t count;
};

struct questions {
	struct madring *ring;
	struct madring_sa_batch *batch;
	struct list queued, sent, answered;
	size_t outstanding;
};

static void append(struct list *list, struct question *question)
{
	if (!list->first)
		list->end = &list->first;
	question->next = NULL;
	question->link = list->end;
	*list->end = question;
	list->end = &question->next;
	list->count++;
}

static void take_out(struct list *list, struct question *question)
{
	*question->link = question->next;
	if (question->next)
		question->next->link = question->link;
	else
		list->end = question->link;
	list->count--;
}

static struct question *take_first(struct list *list)
{
	struct question *question = list->first;

	if (question)
		take_out(list, question);
	return question;
}

static void settle_question(struct questions *questions, struct question *question, int status)
{
	question->status = status;
	questions->outstanding--;
	append(&questions->answered, question);
}

/* Writes the next query that is not canceled (madring_sa_batch_config.next). */
static int next_query(void *user, struct madring_sa_request *query,
		      struct madring_send_options *send)
{
	struct questions *questions = user;
	struct question *question;

	while ((question = take_first(&questions->queued))) {
		if (question->is_canceled) {
			settle_question(questions, question, -ECANCELED);
			continue;
		}
		question->is_sent = true;
		append(&questions->sent, question);
		send->user = question;
		send->id = &question->id;
		*query = (struct madring_sa_request){
			.attr_id = question->attr_id,
			.method = question->method,
			.attr_mod = question->attr_mod,
			.record = question->record,
			.record_bytes = sizeof(question->record),
			.component_mask = question->component_mask,
			.timeout_ms = question->timeout_ms,
		};
		return 1;
	}
	return 0;
}

/*
 * Copies the records of an answer, which fill the message behind its headers. Returns 0, or
 * -ENOMEM.
 */
static int copy_records(struct question *question, struct madring_sa_answer *answer)
{
	size_t bytes = answer->length - MADRING_SA_DATA;
	const void *first = madring_records_next(&answer->records);

	if (!first)
		return 0;
	question->records = malloc(bytes);
	if (!question->records)
		return -ENOMEM;
	memcpy(question->records, first, bytes);
	question->count = answer->count;
	question->stride = bytes / answer->count;
	return 0;
}

static void take_answer(void *user, struct madring_sa_answer *answer)
{
	struct questions *questions = user;
	struct question *question = answer->user;
	int status = answer->status;

	take_out(&questions->sent, question);
	question->is_sent = false;
	question->mad_status = answer->mad_status;
	if (!status && answer->count)
		status = copy_records(question, answer);
	settle_question(questions, question, status);
}

int questions_open(struct madring_sa *sa, struct madring *ring, uint32_t most,
		   struct questions **questions)
{
	struct madring_sa_batch_config config = {
		.next = next_query,
		.done = take_answer,
		.most = most,
	};
	struct questions *new = calloc(1, sizeof(*new));
	int error;

	if (!new)
		return -ENOMEM;
	new->ring = ring;
	config.user = new;
	error = madring_sa_batch_start(sa, &config, &new->batch);
	if (error) {
		free(new);
		return error;
	}
	*questions = new;
	return 0;
}

int questions_add(struct questions *questions, uint64_t tag, uint16_t attr_id, uint8_t method,
		  uint32_t attr_mod, const void *record, size_t record_bytes,
		  uint64_t component_mask, int timeout_ms, struct question **question)
{
	struct question *new;

	if (record_bytes > QUESTION_RECORD_BYTES)
		return -EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->tag = tag;
	new->attr_id = attr_id;
	new->method = method;
	new->attr_mod = attr_mod;
	new->component_mask = component_mask;
	new->timeout_ms = timeout_ms;
	memcpy(new->record, record, record_bytes);
	append(&questions->queued, new);
	questions->outstanding++;
	madring_batch_more(madring_sa_batch_requests(questions->batch));
	*question = new;
	return 0;
}

size_t questions_outstanding(const struct questions *questions)
{
	return questions->outstanding;
}

size_t questions_answered(const struct questions *questions)
{
	return questions->answered.count;
}

struct question *questions_take(struct questions *questions)
{
	return take_first(&questions->answered);
}

void question_free(struct question *question)
{
	free(question->records);
	free(question);
}

void question_cancel(struct questions *questions, struct question *question)
{
	question->is_canceled = true;
	if (question->is_sent)
		madring_cancel(questions->ring, question->id);
	madring_batch_more(madring_sa_batch_requests(questions->batch));
}

/* Returns the error that has stopped the batch, or 0. */
static int error_of(const struct questions *questions)
{
	struct madring_batch_state state;

	madring_batch_get_state(madring_sa_batch_requests(questions->batch), &state);
	if (state.error)
		return state.error;
	return state.canceled ? -ECANCELED : 0;
}

bool questions_are_stopped(const struct questions *questions)
{
	return error_of(questions);
}

void questions_settle(struct questions *questions)
{
	int error = error_of(questions);

	while (error && questions->queued.first)
		settle_question(questions, take_first(&questions->queued), error);
}

int questions_run(struct questions *questions, size_t enough, int timeout_ms)
{
	int64_t end = now_ms() + timeout_ms;

	while (questions->outstanding && questions->answered.count < enough) {
		int64_t left = end - now_ms();
		int called;

		if (left <= 0)
			return 0;
		called = madring_run(questions->ring, (int)left);
		if (called < 0)
			return called;
		questions_settle(questions);
	}
	return 0;
}

static void free_list(struct list *list)
{
	struct question *question;

	while ((question = take_first(list)))
		question_free(question);
}

int questions_close(struct questions *questions)
{
	int error = madring_sa_batch_end(questions->batch);

	if (error)
		return error;
	free_list(&questions->queued);
	free_list(&questions->sent);
	free_list(&questions->answered);
	free(questions);
	return 0;
}
