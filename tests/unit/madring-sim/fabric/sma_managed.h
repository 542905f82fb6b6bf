/* SPDX-License-Identifier: BSD-2-Clause */
/* The helpers that the tests of traps share: nodes that have LIDs, and know a manager. */
#ifndef TESTS_FABRIC_SMA_MANAGED_H
#define TESTS_FABRIC_SMA_MANAGED_H

#include "sma_support.h"

#define REPRESS 0x07

#define MY_LID	  1
#define LEFT_LID  2
#define RIGHT_LID 3
#define HOST_LID  4

#define INTERVAL (4096ull << 18) /* by SubnetTimeOut */

int set_up_managed(void **state);

#define TRAP_TEST(test) cmocka_unit_test_setup_teardown(test, set_up_managed, tear_down)

/* Does what managers do: gives a node its LID and the manager's. */
void give_lid(const struct route *route, uint32_t lid, uint32_t sm_lid);
void forward(const struct route *route, uint8_t port);

/* Tells whether a packet arrives at this time; it must be a trap, which becomes the answer. */
bool next_trap(uint64_t now);
void assert_trap(uint64_t now, uint32_t trap, uint16_t from);
void assert_silence(uint64_t now);

/* Silences a trap that came, as managers do it: the same MAD, by its LID. */
void repress(const struct fabric_packet *trap, uint64_t now);

void set_cable(const char *name, unsigned int port, bool in);

#endif
