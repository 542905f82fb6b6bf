/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ledger of all requests, kept beside the library: the linker puts it between the programs and
 * madring_send(). Each request that is accepted has to complete exactly once, by a reply to a TID
 * that was written for it, and what the ring counts has to be what is in here.
 */
#ifndef MODEL_LEDGER_H
#define MODEL_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include <madring.h>

struct pool;

/* Selects the ledger of one of several programs. Each of them has one ring. */
void ledger_select(unsigned int program);

/*
 * Begins with a ring, whose buffers are @pool's. @has_lies: replies may not be what was answered.
 */
void ledger_open(struct pool *pool, bool has_lies);
void ledger_close(void);

/*
 * Tells how an agent's requests are sent: in so many attempts, each of which waits for @timeout;
 * or, if that is 0, in so many at most, for @patience.
 */
void ledger_agent(const struct madring_agent *agent, unsigned int attempts, uint64_t timeout,
		  uint64_t patience);

/*
 * The driver tells that an attempt was taken to be written, that a write was reported, that it was
 * refused for now, that a MAD was read.
 */
void ledger_taken(const struct ib_user_mad *umad);
void ledger_write_reported(int error);
void ledger_refused(const struct ib_user_mad *umad);
void ledger_received(const struct ib_user_mad *umad);

/* Fails the seed unless all requests have completed, and @ring counts the same. */
void ledger_check(struct madring *ring);

/* Returns how many requests were accepted. */
uint64_t ledger_accepted(void);
/* Returns a number that differs if anything has happened at another time. */
uint64_t ledger_digest(void);

#endif
