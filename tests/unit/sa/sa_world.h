/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An SA on the fake device, for the tests of src/sa. Time is virtual: it stands still while there
 * is something to do, and goes on by SA_WORLD_TICK_MS in each turn of the ring that finds nothing.
 * Whatever a turn has written is logged, and the test's .respond answers it within the same turn.
 */
#ifndef TESTS_SA_WORLD_H
#define TESTS_SA_WORLD_H

#include "cmocka_all.h"

#include <stdbool.h>

#include <madring.h>
#include <madring/names.h>
#include <madring/sa.h>

#include "library/fake.h"

#define SA_WORLD_TICK_MS 5u
#define SA_WORLD_LOG	 512u

#define SM_LID 0x0042
#define SM_SL  3

/* Holds what was written. */
struct sa_world_mad {
	uint64_t at_ms; /* the virtual time */
	uint16_t lid;	/* the destination; host byte order */
	uint8_t sl;
	uint16_t pkey_index;
	_Alignas(8) uint8_t mad[MADRING_MAD_BYTES];
};

struct sa_world {
	struct madring_subnet *subnet;
	struct madring *ring;
	struct madring_sa *sa;
	/* Answers a request to the SA that was written, or does not. NULL: nothing is answered. */
	void (*respond)(struct fake_umad *request);
	/* Answers an SMP that was written, or does not. NULL: none is answered. */
	void (*respond_smp)(struct fake_umad *request);
	bool is_log_full; /* nothing is logged any more */
	int turn_error;	  /* what the next turn that is to wait returns, unless it is 0 */
	uint64_t now_ns;
	struct sa_world_mad log[SA_WORLD_LOG];
	unsigned int log_count;
	uint64_t buffers; /* in use when the SA was opened */
	long allocations; /* the living ones before anything was opened */
	struct madring_agent *taker;
	struct madring_mad *taken[256];
	unsigned int taken_count;
};

extern struct sa_world world;

/*
 * Opens a subnet, and an SA unless @config is NULL; with an SM at SM_LID, which confirms
 * subscriptions and answers nothing else. `sa_world_close` closes both, and checks that nothing is
 * left.
 */
void sa_world_open(const struct madring_sa_config *config);
void sa_world_close(void);
/* Checks that all buffers are back that were there when the SA was opened. */
void sa_world_check_buffers(void);

/* Are the setup and the teardown of a test with a default SA. */
int sa_world_setup(void **state);
int sa_world_teardown(void **state);
#define SA_TEST(test) cmocka_unit_test_setup_teardown(test, sa_world_setup, sa_world_teardown)

/* Is the teardown of a test whose subnet has opened agents, which it keeps until it is closed. */
int sa_world_teardown_agents(void **state);
#define AGENTS_TEST(test)                                                                          \
	cmocka_unit_test_setup_teardown(test, sa_world_setup, sa_world_teardown_agents)

/* Runs the ring for @ms of virtual time. */
void sa_world_pass(unsigned int ms);
/* Returns the virtual time in ms. */
uint64_t sa_world_ms(void);

/* Returns how many MADs with this method and attribute were written to any LID. */
unsigned int sa_world_sent(uint8_t method, uint16_t attr_id);
/* Returns the last one of them. There must be one. */
const struct sa_world_mad *sa_world_last(uint8_t method, uint16_t attr_id);

/* Returns the component mask of a MAD of the SA class; host byte order. */
uint64_t sa_world_mask(const struct sa_world_mad *asked);

/* Returns the header of a MAD. */
struct madring_mad_hdr *mad_header_of(uint8_t *mad);

/* Answers a request with one record, which may be NULL, and a status (IBA 13.4.7). */
void sa_world_answer(struct fake_umad *request, uint16_t status, const void *record, size_t bytes);
/*
 * Answers a request by @method with @bytes of records as an RMPP message, in as many segments as
 * it needs. @stride: of the records, a multiple of 8.
 */
void sa_world_answer_table(struct fake_umad *request, uint8_t method, const void *records,
			   size_t bytes, size_t stride);
/* Confirms subscriptions, and answers nothing else. */
void sa_world_confirm(struct fake_umad *request);

/* Counts what subscriptions hear, and holds the last of each. */
struct sa_world_heard {
	unsigned int notices, subscribed, lost;
	int status; /* of the loss */
	uint16_t mad_status;
	struct madring_notice notice;
	uint16_t lid;
	const struct madring_subscription *subscription;
};
/* Is a callback for subscriptions, whose user is a struct sa_world_heard. */
void sa_world_hear(const struct madring_notification *notification);

/* Takes all buffers of the pool. `sa_world_give_buffers` gives them back. */
void sa_world_take_buffers(void);
void sa_world_give_buffers(void);

/* Sends a Report with @notice from @lid. There must be an agent for it. */
void sa_world_report(uint64_t tid, uint16_t lid, const struct madring_notice *notice);
/* Makes such a Report without sending it. */
void sa_world_make_report(struct fake_umad *umad, uint64_t tid, uint16_t lid,
			  const struct madring_notice *notice);

#endif
