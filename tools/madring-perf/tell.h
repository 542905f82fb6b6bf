/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages about what could not be collected, a line each on standard error. */
#ifndef PERF_TELL_H
#define PERF_TELL_H

#include "collection.h"
#include "common/names.h"

/* Writes the messages of a collection. @names may be NULL. */
void tell_problems(const struct collection *collection, const struct names *names);

/*
 * Reports each twin of @collection that is not among @told. @consequence is a part of the message
 * that says what follows, with a semicolon and a space behind it; or "".
 */
void tell_twins(const struct collection *collection, const struct twins *told,
		const struct names *names, const char *consequence);

#endif
