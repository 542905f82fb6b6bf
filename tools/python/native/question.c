/* SPDX-License-Identifier: BSD-2-Clause */
#include "question.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <madring.h>
#include <madring/sa.h>

#include "run.h"

/* Copies the records of an answer, which fill the message behind its headers. Returns 0, or
   -ENOMEM. */
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

static void take_answer(struct madring_sa_answer *answer)
{
	struct question *question = answer->user;

	question->is_answered = true;
	question->status = answer->status;
	question->mad_status = answer->mad_status;
	if (question->is_dropped)
		question_drop(question);
	else if (!answer->status && answer->count)
		question->status = copy_records(question, answer);
}

int question_send(struct madring_sa *sa, uint16_t attr_id, uint8_t method, uint32_t attr_mod,
		  const void *record, size_t record_bytes, uint64_t component_mask, int timeout_ms,
		  struct question **question)
{
	struct madring_sa_request query = {
		.attr_id = attr_id,
		.method = method,
		.attr_mod = attr_mod,
		.record = record,
		.record_bytes = record_bytes,
		.component_mask = component_mask,
		.timeout_ms = timeout_ms,
	};
	struct question *new = calloc(1, sizeof(*new));
	int error;

	if (!new)
		return -ENOMEM;
	error = madring_sa_query(sa, &query, take_answer, new);
	if (error) {
		free(new);
		return error;
	}
	*question = new;
	return 0;
}

static bool is_answered(const void *state)
{
	const struct question *question = state;

	return question->is_answered;
}

int question_run(const struct question *question, struct madring *ring, int timeout_ms)
{
	return run_until(ring, is_answered, question, timeout_ms);
}

void question_drop(struct question *question)
{
	if (!question->is_answered) {
		question->is_dropped = true;
		return;
	}
	free(question->records);
	free(question);
}
