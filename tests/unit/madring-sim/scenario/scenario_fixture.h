/* SPDX-License-Identifier: BSD-2-Clause */
/* A fabric with a scenario, in virtual time, for tests to look at. */
#ifndef TESTS_SCENARIO_FIXTURE_H
#define TESTS_SCENARIO_FIXTURE_H

#include <string.h>

#include "scenario/scenario.h"
#include "topologies.h"

#define US UINT64_C(1000)
#define MS (1000 * US)

struct world {
	struct fabric *fabric;
	struct scenario *scenario;
	struct scenario_error error;
};

/* Opens an ideal fabric. */
void world_open(struct world *world, struct topology *topology, uint64_t seed);
void world_close(struct world *world);

/* Gives a command, which must be obeyed. */
void tell(struct world *world, const char *line);

/*
 * Gives a command, which must be refused for the reason @why; `read_wrong` gives a file of this
 * text, which must be refused at @line.
 */
void tell_wrong(struct world *world, const char *line, const char *why);
void read_wrong(struct world *world, const char *text, size_t bytes, unsigned int line,
		const char *why);

/* Returns the result of scenario_read() for a file of this text. */
int read_scenario(struct world *world, const char *text, size_t bytes);

/* Gives a command that must have an answer. Returns the answer, which the caller frees. */
char *ask_scenario(struct world *world, const char *line, bool json);

enum fabric_health health_of(const struct world *world, const char *node);
bool link_is_up(const struct world *world, const char *node, unsigned int port);

/* Returns the count of nodes in this health. */
size_t count_health(const struct world *world, enum fabric_health health);

#endif
