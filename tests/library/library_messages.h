/* SPDX-License-Identifier: BSD-2-Clause */
/* RMPP messages of any length on the fake device, for an agent whose RMPP is the kernel's. */
#ifndef TESTS_MESSAGES_H
#define TESTS_MESSAGES_H

#include "library_fixture.h"

#define HEADER	sizeof(struct ib_user_mad)
#define SEGMENT (MADRING_MAD_BYTES - MADRING_SA_DATA)

extern const struct madring_agent_config by_kernel;

/* Describes the last completion. */
extern struct last_reply {
	struct fixture *fixture;
	unsigned int count; /* of all completions so far */
	int status;
	size_t length;
	struct madring_mad **keep; /* where `check_reply` keeps the reply; NULL: nowhere */
} last_reply;

/* Zeroes `last_reply` and opens a ring with an agent by these configs; NULL means the defaults. */
void messages_open(struct fixture *fixture, const struct madring_config *config,
		   const struct madring_agent_config *agent_config);

/* Fills the data of a MAD of @length bytes with the pattern of @seed. */
void message_fill(uint8_t *mad, size_t length, uint32_t seed);
bool message_is_filled(const uint8_t *mad, size_t length, uint32_t seed);

/* Is the callback of a request whose `user` is a seed: requires that its reply is filled by it. */
void check_reply(const struct madring_completion *completion);
/* Sends a request with @seed and returns it once it has reached the far side. */
struct fake_umad ask(struct fixture *fixture, uint32_t seed);
/* Sends a request's reply, of @length bytes of MAD. */
void answer(struct fake_umad *request, size_t length);
/* Does the same, with @told as the length in the umad header. */
void answer_as(struct fake_umad *request, size_t length, uint32_t told);
/* Runs the ring until there were @count completions. */
void wait_for_replies(struct fixture *fixture, unsigned int count);

#endif
