/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends queries to subnet administration, and keeps copies of their answers for Python. */
#ifndef MADRING_PYTHON_QUESTION_H
#define MADRING_PYTHON_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct madring;
struct madring_sa;

/* Holds a query, and its answer when there is one. Python only reads it. */
struct question {
	bool is_answered;
	int status;	     /* of struct madring_sa_answer */
	uint16_t mad_status; /* of the answer */
	size_t count;	     /* of the records */
	size_t stride;	     /* the bytes from one record to the next */
	uint8_t *records;    /* a copy; NULL without records */
	bool is_dropped;     /* its callback frees it */
};

/*
 * Sends a query. @method: 0: GetTable. @record, @record_bytes, @component_mask, @timeout_ms: as in
 * struct madring_sa_request. Returns 0, -ENOMEM, or an error of madring_sa_query().
 */
int question_send(struct madring_sa *sa, uint16_t attr_id, uint8_t method, uint32_t attr_mod,
		  const void *record, size_t record_bytes, uint64_t component_mask, int timeout_ms,
		  struct question **question);

/* Runs the ring until the answer is there or @timeout_ms have passed. Returns 0, or an error of
   madring_run(). */
int question_run(const struct question *question, struct madring *ring, int timeout_ms);

/* Frees a question, at once or when its answer comes. */
void question_drop(struct question *question);

#endif
