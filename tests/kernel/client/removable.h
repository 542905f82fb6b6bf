/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring, and ports on HCAs that may be removed, as the tests of that need them. */
#ifndef VM_REMOVABLE_H
#define VM_REMOVABLE_H

#include "cmocka_all.h"

#include <madring.h>

#define IN_FLIGHT 1000u

/* Reads STRATEGY and LANES from the command line. Ends the program if they are not there. */
void removable_options(int argc, char **argv);
/* Returns both options as text for figures: "multishot, 4 lanes". */
const char *removable_manner(void);

/* Opens a ring by these options, with room for IN_FLIGHT requests for each of two ports. */
struct madring *removable_ring(void);

struct removable {
	struct madring *ring;
	struct madring_port *port;
	struct madring_agent *agent;
};

/*
 * Opens the port of a device, with an agent for directed-route SMPs whose requests wait for ever
 * and go out all at once. Returns the first error, or 0.
 */
int removable_try(struct removable *removable, struct madring *ring, const char *ca_name);
void removable_open(struct removable *removable, struct madring *ring, const char *ca_name);

/* The counts of requests by how they ended. */
struct outcomes {
	uint32_t answered, gone, canceled; /* 0, -ENODEV, -ECANCELED; there is no other */
};
uint32_t outcomes_count(const struct outcomes *outcomes);
/* Counts how a request ended, as its callback; its user is a struct outcomes. */
void on_outcome(const struct madring_completion *completion);

/* Sends so many to the hosts behind the switch. */
void removable_send(const struct removable *removable, uint32_t count, int timeout_ms,
		    struct outcomes *outcomes);
/* Submits until all requests that were sent, @count of them, are in flight. */
void removable_take_off(const struct removable *removable, uint32_t count);
/* Sends @count requests, and submits until they are in flight. */
void removable_fly(const struct removable *removable, uint32_t count, int timeout_ms,
		   struct outcomes *outcomes);
/* Runs the ring until there are so many outcomes. */
void removable_wait(struct madring *ring, const struct outcomes *outcomes, uint32_t count);
/* Sends one more request. Returns what madring_send() says of it. */
int removable_send_one(const struct removable *removable, struct outcomes *outcomes);
/*
 * Requires that a request is refused because its device is gone; or that it ends so, where its lane
 * was not known to be gone when others were.
 */
void removable_is_gone(const struct removable *removable);
/* Requires that @count requests are answered, and that nothing else becomes of them. */
void removable_works(const struct removable *removable, uint32_t count);

/* Returns how many descriptors are open, but for those in /proc. */
unsigned int open_files(void);

#endif
