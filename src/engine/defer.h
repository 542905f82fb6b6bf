/* SPDX-License-Identifier: BSD-2-Clause */
/* Replies that defer the answer. */
#ifndef MADRING_ENGINE_DEFER_H
#define MADRING_ENGINE_DEFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;
struct ib_user_mad;
struct transaction;

/*
 * Tells whether a reply defers the answer, because the node is busy or redirects the request. The
 * transaction then goes on. @age is how many attempts have begun since the one that it answers.
 */
bool defer_reply(struct engine *engine, struct transaction *transaction,
		 const struct ib_user_mad *umad, size_t length, uint32_t age);

#endif
