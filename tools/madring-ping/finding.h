/* SPDX-License-Identifier: BSD-2-Clause */
/* The findings of --doctor: a list of names and values, some of which are problems with advice. */
#ifndef PING_FINDING_H
#define PING_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct finding {
	char *name, *value;
	char *advice; /* what to do about the problem; NULL: it is none */
};

struct findings {
	struct finding *list;
	size_t count, room;
};

/* Adds a finding. @name: copied. The value has printable characters only. */
void finding_add(struct findings *findings, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Makes the last finding a problem, with advice. It may be called more than once: the advice is
 * appended, after a space.
 */
void finding_advise(struct findings *findings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns how many findings are problems. */
size_t findings_count_problems(const struct findings *findings);

/* Writes them as lines for people, with advice below each problem, or as a JSON array. */
void findings_print(FILE *out, const struct findings *findings);
void findings_print_json(FILE *out, const struct findings *findings);

void findings_free(struct findings *findings);

#endif
