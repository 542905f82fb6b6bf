/* SPDX-License-Identifier: BSD-2-Clause */
/* A command that is done later, or again and again. */
#ifndef SIM_SCENARIO_TIMED_H
#define SIM_SCENARIO_TIMED_H

#include "scenario/parser.h"

struct timing {
	bool later;
	uint64_t time;
	uint64_t period; /* 0: once */
	uint64_t until;	 /* 0: no end */
};

/* Takes "at TIME" and "every PERIOD [until TIME]" where they stand; + is after @base. */
int take_timing(struct parser *parser, uint64_t base, struct timing *timing);

/* The same of a file's line, which may begin with its time. */
int take_line_timing(struct parser *parser, uint64_t base, struct timing *timing);

/* Takes the command and schedules it. 0 or -errno; the reason may have been said. */
int timed_start(struct parser *parser, const struct timing *timing);

#endif
