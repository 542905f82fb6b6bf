/* SPDX-License-Identifier: BSD-2-Clause */
#include "listen.h"

#include <errno.h>
#include <stdlib.h>

#include <madring.h>
#include <madring/sa.h>

#include "run.h"

static void keep_notification(const struct madring_notification *notification)
{
	struct listener *listener = notification->user;
	struct heard heard = {
		.kind = (int)notification->kind,
		.status = notification->status,
		.mad_status = notification->mad_status,
		.lid = notification->lid,
	};

	if (notification->notice)
		heard.notice = *notification->notice;
	if (listener->count < listener->limit) {
		listener->heard[listener->count++] = heard;
	} else if (notification->kind == MADRING_NOTIFICATION_NOTICE) {
		listener->dropped++;
	} else {
		listener->change = heard;
		listener->is_changed = true;
	}
}

int listen_open(struct madring_sa *sa, const struct madring_subscription_config *config,
		size_t limit, struct listener **listener)
{
	struct listener *new;
	int error = -ENOMEM;

	if (!limit)
		return -EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->limit = limit;
	new->heard = calloc(limit, sizeof(*new->heard));
	if (new->heard)
		error = madring_subscribe(sa, config, keep_notification, new, &new->subscription);
	if (error) {
		free(new->heard);
		free(new);
		return error;
	}
	*listener = new;
	return 0;
}

void listen_taken(struct listener *listener)
{
	listener->count = 0;
	listener->dropped = 0;
	listener->is_changed = false;
}

static bool has_heard(const void *state)
{
	const struct listener *listener = state;

	return listener->count;
}

int listen_run(const struct listener *listener, struct madring *ring, int timeout_ms)
{
	return run_until(ring, has_heard, listener, timeout_ms);
}

void listen_close(struct listener *listener)
{
	madring_unsubscribe(listener->subscription);
	free(listener->heard);
	free(listener);
}
