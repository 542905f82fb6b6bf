/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring with a port and an agent on the fake device, for most tests of the library. */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include "cmocka_all.h"

#include <madring.h>

#include "fake.h"

#define CLASS_SA 0x03

struct fixture {
	struct madring *ring;
	struct madring_port *port;
	struct madring_agent *agent;
};

/* Returns the receive strategy under test, from MADRING_TEST_RECEIVE: "multishot" or "posted". */
enum madring_receive fixture_receive(void);

/* The configuration of an agent that sends no request twice, even on a busy machine. */
extern const struct madring_agent_config fixture_patient;
/* The configuration of such an agent for directed-route SMPs. */
extern const struct madring_agent_config fixture_smps;

/*
 * Opens a ring, a port and an agent. Zeroed configs mean the defaults, and subnet administration
 * for the class; the ring's strategy is the one under test.
 */
void fixture_open(struct fixture *fixture, const struct madring_config *config,
		  const struct madring_agent_config *agent_config);
/* Closes the ring, and checks that nothing of it is left on the device. */
void fixture_close(struct fixture *fixture);

/*
 * A test whose state is an open fixture with default configs, or with `fixture_patient`. A test
 * that ends with requests outstanding closes a fixture of its own, while their callbacks may be
 * called.
 */
#define FIXTURE_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
#define PATIENT_TEST(test) cmocka_unit_test_setup_teardown(test, patient_setup, fixture_teardown)
int fixture_setup(void **state);
int patient_setup(void **state);
/* A test whose open fixture has an agent for directed-route SMPs. */
#define SMP_TEST(test) cmocka_unit_test_setup_teardown(test, smp_setup, fixture_teardown)
int smp_setup(void **state);
int fixture_teardown(void **state);

/* Returns a request to @lid that carries @mark. */
struct madring_mad *fixture_request(struct fixture *fixture, uint16_t lid, uint32_t mark);
/* Returns the mark that a MAD carries. */
uint32_t fixture_mark(const void *mad);

/* The count of outcomes, and the last one. */
struct outcomes {
	unsigned int count;
	int last_status;
	uint32_t last_mark; /* of the reply */
	unsigned int last_attempts;
};
void count_outcome(const struct madring_completion *completion);

/* Sends @count requests to LIDs from 1 on, marked 0 to count - 1. */
void fixture_send(struct fixture *fixture, unsigned int count, struct outcomes *outcomes);

/* Steps the ring and answers, until nothing is outstanding. */
void fixture_finish(struct fixture *fixture);
/* Steps the ring until @count completions were counted; nothing is answered. */
void fixture_wait(struct fixture *fixture, const struct outcomes *outcomes, unsigned int count);
/* Runs the ring until nothing is outstanding; nothing is answered. */
void fixture_drain(struct fixture *fixture);
/* Runs the ring until it has written a MAD, and takes that. */
void fixture_take(struct fixture *fixture, struct fake_umad *umad);
/* Waits on the ring's descriptor alone, as a foreign event loop does. */
void fixture_wait_readable(struct fixture *fixture);

/* Makes a MAD a DATA segment of RMPP. */
void fixture_set_rmpp(uint8_t *mad, uint8_t flags, uint32_t segment, uint32_t length);

#endif
