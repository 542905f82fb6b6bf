/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A window: how many attempts may be in flight. Grows on replies and shrinks on loss.
 *
 * VL15 has no flow control, so what is too much is dropped; but a lost MAD may as well be
 * a dead port. The window therefore follows the share of attempts that are lost, as DCTCP
 * (RFC 8257) follows marks: every epoch, which is a window's worth of outcomes, it shrinks by
 * half of that share and grows by a thirty-second, so that one dead host among a thousand
 * costs nothing and an overrun queue halves it. It starts slow: one more for each reply,
 * until an epoch lost more than one in sixteen. What is not used does not grow, so that a burst
 * is at most twice as wide as what the network has carried before (RFC 7661 has the same in
 * mind); nor does it beyond its beginning while replies are slow.
 *
 * An attempt without a reply may have been lost, or its node may be dead. It counts as lost only
 * once that is known; until then it makes the epoch end sooner, and says nothing of the share.
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
	uint16_t share;	   /* of attempts lost, smoothed, in 1/1024 */
	bool pinned : 1;
	bool started : 1; /* the slow start is over */
	bool used;	  /* more than half of it was, when something was sent last */
};

/* @first: its size at the start, unless it is pinned. */
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

/* The attempt has ended and says nothing of the network: cancelled, failed. */
static inline void window_give(struct window *window)
{
	window->in_flight--;
}

/*
 * The attempt has ended: it was answered, in time, or slowly, which holds a window that is no
 * smaller than @first; or it had no reply.
 */
void window_answered(struct window *window);
void window_answered_slowly(struct window *window, uint32_t first);
void window_silent(struct window *window);

/* `window_lost` counts an attempt that window_silent() was called for as lost. */
void window_lost(struct window *window);

#endif
