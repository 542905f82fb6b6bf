/* SPDX-License-Identifier: BSD-2-Clause */
/* Subscribes to notices, and keeps them until Python takes them. */
#ifndef MADRING_PYTHON_LISTEN_H
#define MADRING_PYTHON_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/structs.h>

struct madring;
struct madring_sa;
struct madring_subscription;
struct madring_subscription_config;

/* Holds a copy of a struct madring_notification. */
struct heard {
	int kind; /* enum madring_notification_kind */
	int status;
	uint16_t mad_status;
	uint16_t lid;
	struct madring_notice notice; /* zeros, unless .kind is that of a notice */
};

/* Holds a subscription, and what it has told since listen_taken(). Python only reads it. */
struct listener {
	struct madring_subscription *subscription;
	size_t limit;	     /* the most entries of .heard */
	size_t count;	     /* the entries of .heard */
	struct heard *heard; /* in the order in which they came */
	/*
	 * While .heard is full, notices are only counted, and the last change of the subscription
	 * is kept.
	 */
	uint64_t dropped;
	bool is_changed; /* .change is valid */
	struct heard change;
};

/*
 * Subscribes to notices. @config: as in madring_subscribe(). @limit: how many notices are kept, at
 * least 1. Returns 0, -EINVAL if @limit is 0, -ENOMEM, or an error of madring_subscribe().
 */
int listen_open(struct madring_sa *sa, const struct madring_subscription_config *config,
		size_t limit, struct listener **listener);

/* Drops what Python has taken. */
void listen_taken(struct listener *listener);

/*
 * Runs the ring until there is something to take or @timeout_ms have passed. Returns 0, or an error
 * of madring_run().
 */
int listen_run(const struct listener *listener, struct madring *ring, int timeout_ms);

/* Unsubscribes, and frees the listener. The SA must be open. */
void listen_close(struct listener *listener);

#endif
