/* SPDX-License-Identifier: BSD-2-Clause */
/* Queries for PathRecords, and an SA that answers them. */
#ifndef TESTS_SA_PATHS_H
#define TESTS_SA_PATHS_H

#include "unit/sa/sa_world.h"

#define PATH_BYTES 64u

/* Queries for the paths to LID 77: by Get, and by GetTable. */
extern const struct madring_sa_component to_77;
extern const struct madring_sa_request get_path;
extern const struct madring_sa_request get_paths;

/* Counts outcomes, and holds the last one. */
struct paths_heard {
	unsigned int count;
	int status;
	size_t records;
	bool has_mad;
};
/* Is a callback for queries, whose user is a struct paths_heard. */
void paths_hear(struct madring_sa_answer *answer);

/* Writes PathRecords to the LIDs from 1 on. */
void paths_write(uint8_t *records, unsigned int count);
/* Answer a request with such records: a Get, and a GetTable. */
void paths_answer_one(struct fake_umad *request);
void paths_answer_seven(struct fake_umad *request);

#endif
