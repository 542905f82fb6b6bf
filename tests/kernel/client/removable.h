/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring, and ports on HCAs that may be removed, as the tests of that need them. */
#ifndef VM_REMOVABLE_H
#define VM_REMOVABLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <madring.h>

#define IN_FLIGHT 1000u

/* What the command line says: STRATEGY and LANES. Ends the program if it does not. */
void removable_options(int argc, char **argv);
/* "multishot, 4 lanes", for figures. */
const char *removable_manner(void);

/* By these, and with room for IN_FLIGHT requests for each of two ports. */
struct madring *removable_ring(void);

struct removable {
	struct madring *ring;
	struct madring_port *port;
	struct madring_agent *agent;
};

/* The port of a device, with an agent for directed-route SMPs whose requests wait for ever and go
   out all at once. The first that fails, or 0. */
int removable_try(struct removable *removable, struct madring *ring, const char *ca_name);
void removable_open(struct removable *removable, struct madring *ring, const char *ca_name);

/* How requests ended. */
struct outcomes {
	uint32_t answered, gone, canceled; /* 0, -ENODEV, -ECANCELED; there is no other */
};
uint32_t outcomes_count(const struct outcomes *outcomes);
/* A callback; its user is a struct outcomes. */
void on_outcome(const struct madring_completion *completion);

/* Sends so many to the hosts behind the switch. */
void removable_send(const struct removable *removable, uint32_t count, int timeout_ms,
		    struct outcomes *outcomes);
/* Until all that were sent, which are so many, are in flight; and both. */
void removable_take_off(const struct removable *removable, uint32_t count);
void removable_fly(const struct removable *removable, uint32_t count, int timeout_ms,
		   struct outcomes *outcomes);
/* Runs the ring until there are so many outcomes. */
void removable_wait(struct madring *ring, const struct outcomes *outcomes, uint32_t count);
/* One more request: what madring_send() says of it. */
int removable_send_one(const struct removable *removable, struct outcomes *outcomes);
/* It is refused as one to a device that is gone; or ends so, where its lane was not known to be
   gone when others were. */
void removable_is_gone(const struct removable *removable);
/* So many are answered, and nothing else becomes of them. */
void removable_works(const struct removable *removable, uint32_t count);

/* Descriptors that are open, but for those in /proc. */
unsigned int open_files(void);

#endif
