/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends queries to subnet administration, and keeps copies of their answers for Python. */
#ifndef MADRING_PYTHON_QUESTION_H
#define MADRING_PYTHON_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct madring;
struct madring_sa;

/* The most bytes of a record in a query. */
#define QUESTION_RECORD_BYTES 200

/* Holds a query, and its answer when there is one. Python only reads it. */
struct question {
	uint64_t tag; /* of Python */
	int status;   /* of struct madring_sa_answer */
	uint16_t mad_status;
	size_t count;	  /* of the records */
	size_t stride;	  /* the bytes from one record to the next */
	uint8_t *records; /* a copy; NULL without records */

	struct question *next, **link; /* in the list that it is in */
	uint64_t id;		       /* for madring_cancel() */
	uint64_t component_mask;
	uint32_t attr_mod;
	int timeout_ms;
	uint16_t attr_id;
	uint8_t method;
	bool is_sent, is_canceled;
	uint8_t record[QUESTION_RECORD_BYTES];
};

/*
 * A batch of queries whose number in flight is bounded. Its queries wait in a list until they are
 * sent, and its answers in another until Python takes them.
 */
struct questions;

/*
 * Starts a batch. @most: the most queries in flight; 0: what the ring has room for. Returns 0,
 * -ENOMEM, or an error of madring_sa_batch_start().
 */
int questions_open(struct madring_sa *sa, struct madring *ring, uint32_t most,
		   struct questions **questions);

/*
 * Adds a query. @method: 0: GetTable. @record, @record_bytes, @component_mask, @timeout_ms: as in
 * struct madring_sa_request; copied. @question: set, for question_cancel(). Returns 0, -EINVAL if
 * @record_bytes is too much, or -ENOMEM.
 */
int questions_add(struct questions *questions, uint64_t tag, uint16_t attr_id, uint8_t method,
		  uint32_t attr_mod, const void *record, size_t record_bytes,
		  uint64_t component_mask, int timeout_ms, struct question **question);

/* Returns how many queries have no answer yet, and how many answers wait to be taken. */
size_t questions_outstanding(const struct questions *questions);
size_t questions_answered(const struct questions *questions);

/*
 * Returns the answer that came first of those that wait, and takes it out of the list; NULL: there
 * is none. question_free() frees it.
 */
struct question *questions_take(struct questions *questions);
void question_free(struct question *question);

/* Cancels a query that has no answer yet: it will be -ECANCELED. */
void question_cancel(struct questions *questions, struct question *question);

/* Returns whether the batch was stopped by an error, or by closing the SA. */
bool questions_are_stopped(const struct questions *questions);

/* Gives answers to the queries that a stopped batch, as after the SA was closed, left over. */
void questions_settle(struct questions *questions);

/*
 * Runs the ring until @enough answers wait, nothing is outstanding or @timeout_ms have passed.
 * Returns 0, or an error of madring_run().
 */
int questions_run(struct questions *questions, size_t enough, int timeout_ms);

/*
 * Ends the batch, with its queries, and frees it. Returns an error of madring_sa_batch_end(), after
 * which nothing is freed.
 */
int questions_close(struct questions *questions);

#endif
