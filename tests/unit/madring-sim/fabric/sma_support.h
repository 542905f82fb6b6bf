/* SPDX-License-Identifier: BSD-2-Clause */
/* The helpers that all tests of SMAs share: a fabric of five nodes, asked by directed routes. */
#ifndef TESTS_FABRIC_SMA_SUPPORT_H
#define TESTS_FABRIC_SMA_SUPPORT_H

#include <infiniband/mad.h>

#include "fabric/node.h"
#include "support.h"

#define NOT_SUPPORTED 0x0c
#define BAD_VALUE     0x1c
#define BAD_METHOD    0x08
#define BAD_VERSION   0x04

/* The way to a node of two-switches.net, from port 1 of "dual", where the asker is. */
struct route {
	unsigned int hops;
	uint8_t path[4];
};

extern const struct route here, left, right, host, router;

extern struct fabric *fabric;
extern int endpoint;
extern struct fabric_packet answer; /* the last one */
extern uint64_t mkey;		    /* that all SMPs carry */

int set_up(void **state);
int tear_down(void **state);

#define SMA_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

/* Sends a Get; its answer must have this status. */
void get(const struct route *route, uint16_t attribute, uint32_t modifier, uint16_t status);

/* Return a field of the last answer. */
uint32_t field(enum MAD_FIELDS which);
uint64_t field64(enum MAD_FIELDS which);

/*
 * Returns a Set of the present values. That of PortInfo has LIDs where the port has none, and
 * changes no state.
 */
struct fabric_packet set_of(const struct route *route, uint16_t attribute, uint32_t modifier);

/* Changes a field of a Set. */
void change(struct fabric_packet *set, enum MAD_FIELDS which, uint64_t value);

/* Sends a Set; the answer must have this status. */
void send_set(const struct fabric_packet *set, uint16_t status);

/* Makes a Set, changes one field of it, and sends it. */
void set_field(const struct route *route, uint16_t attribute, uint32_t modifier,
	       enum MAD_FIELDS which, uint64_t value, uint16_t status);

/* Gets the attribute; the field must have this value. */
void assert_field(const struct route *route, uint16_t attribute, uint32_t modifier,
		  enum MAD_FIELDS which, uint64_t value);

#endif
