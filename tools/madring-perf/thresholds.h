/* SPDX-License-Identifier: BSD-2-Clause */
/* The thresholds beyond which a counter is an error: the file of the InfiniBand diagnostics. */
#ifndef PERF_THRESHOLDS_H
#define PERF_THRESHOLDS_H

#include "counter.h"

struct thresholds {
	uint64_t most[COUNTERS]; /* what is no error yet: 0 unless said */
	/*
	 * The suppressed counters, which are never errors, each once and in the order of the
	 * options.
	 */
	enum counter hidden[COUNTERS];
	unsigned int hidden_count;
	char *text; /* what the file said, as ibqueryerrors(8) writes it */
};

/*
 * Reads a file: lines of a counter's name, '=' and a number, and comments behind a #. NULL for
 * @path reads the diagnostics' own file, if there is one. What is suppressed stays.
 * Returns 0, or -1 with a message written, and @thresholds as it was: the file cannot be read,
 * or a line of it is wrong.
 */
int thresholds_read(struct thresholds *thresholds, const char *path);
void thresholds_free(struct thresholds *thresholds);

void thresholds_hide(struct thresholds *thresholds, enum counter counter);

/*
 * Suppresses counters, by their names with commas between. Returns 0, or -1 with a message
 * written: there is none of one of these names.
 */
int thresholds_suppress(struct thresholds *thresholds, const char *names);

bool thresholds_hides(const struct thresholds *thresholds, enum counter counter);

/* Returns whether a counter of a port exceeds its threshold, and fills @value then. */
bool thresholds_exceeded(const struct thresholds *thresholds, const struct port_counters *port,
			 enum counter counter, struct counter_value *value);

/* Returns whether any counter of a port exceeds its threshold. */
bool thresholds_any_exceeded(const struct thresholds *thresholds, const struct port_counters *port);

#endif
