/* SPDX-License-Identifier: BSD-2-Clause */
/* The helpers that the tests of time share: a fabric with delays, asked by one directed route. */
#ifndef TESTS_FABRIC_TIMED_SUPPORT_H
#define TESTS_FABRIC_TIMED_SUPPORT_H

#include "support.h"

#define HOP    600
#define SWITCH 18000
#define MS     1000000

extern struct topology *topology;
extern struct fabric *fabric;
extern int endpoint;

/* The path dual[1] - left[2] - right[4] - host, of two-switches.net. */
extern const uint8_t to_host[3];

/* fabric_modelled, but the host takes MADs in no time. */
extern const struct fabric_model real_nodes;

/* Opens the fabric, with the model; attaches to port 1 of "dual". */
void open_timed(const struct fabric_model *model);
int tear_down(void **state);

const struct topology_node *named(const char *name);

/* Asks the node @hops hops on the way to host. */
void send_at(uint64_t now, unsigned int hops);

/* Returns the time of the next packet; FABRIC_NEVER: there is none. */
uint64_t next_answer(struct fabric_packet *answer);

void expect_answer_at(uint64_t time);
void expect_silence(void);

uint64_t dropped(enum fabric_drop cause);

#endif
