/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A window: how many attempts may be in flight. It grows on replies and shrinks on losses.
 *
 * VL15 has no flow control, so an overrun queue drops MADs. But a lost MAD may also mean a dead
 * port. The window therefore follows the share of lost attempts, as DCTCP (RFC 8257) follows
 * marks. In every epoch, which is a window's worth of outcomes, it shrinks by half of that share
 * and grows by a thirty-second. One dead host among a thousand costs nothing, and an overrun
 * queue halves the window.
 *
 * The slow start adds one for each reply, until an epoch loses more than one in sixteen. A window
 * that is not used does not grow, so that a burst is at most twice what the network has carried
 * before (as in RFC 7661). While replies are slow, it does not grow beyond its first size either.
 *
 * An attempt without a reply may have been lost, or its node may be dead. It counts as lost only
 * once that is known. Until then it makes the epoch end sooner, and is not part of the share.
 */
#ifndef MADRING_ENGINE_WINDOW_H
#define MADRING_ENGINE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct window {
	uint32_t size;
	uint32_t in_flight;
	uint32_t maximum;
	uint32_t outcomes; /* in this epoch: replies and losses */
	uint16_t losses;   /* in this epoch */
	uint16_t silent;   /* attempts that ended without a reply in this epoch */
	uint16_t share;	   /* of attempts that are lost, smoothed, in 1/1024 */
	bool pinned : 1;
	bool started : 1; /* the slow start is over */
	bool used;	  /* more than half of it was in use when an attempt was last sent */
};

/* Opens a window of @first attempts, or of @maximum if it is pinned. */
void window_open(struct window *window, uint32_t first, uint32_t maximum, bool pinned);

static inline bool window_has_room(const struct window *window)
{
	return window->in_flight < window->size;
}

static inline void window_take(struct window *window)
{
	window->in_flight++;
	window->used = window->in_flight > window->size / 2;
}

/* Ends an attempt that says nothing of the network: it was cancelled, or failed. */
static inline void window_give(struct window *window)
{
	window->in_flight--;
}

/*
 * Each ends an attempt. `window_answered` ends one that was answered in time;
 * `window_answered_slowly`, one that was answered late, and does not let a window of @first or
 * more grow; `window_silent`, one without a reply.
 */
void window_answered(struct window *window);
void window_answered_slowly(struct window *window, uint32_t first);
void window_silent(struct window *window);

/* Counts an attempt as lost that window_silent() has ended. */
void window_lost(struct window *window);

#endif
