/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/window.h"

#define WHOLE 1024u /* a share of one */

/* An epoch has at least this many outcomes: the share of losses among fewer would be chance. */
#define FEWEST_OUTCOMES 16u

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

void window_open(struct window *window, uint32_t first, uint32_t maximum, bool pinned)
{
	*window = (struct window){
		.size = pinned ? maximum : at_most(first, maximum),
		.maximum = maximum,
		.pinned = pinned,
	};
}

static void end_epoch(struct window *window)
{
	uint32_t share = (uint32_t)((uint64_t)window->losses * WHOLE / window->outcomes);
	uint32_t size = window->size;
	uint32_t less;

	if (share > WHOLE / 16)
		window->started = true;
	window->share = (uint16_t)((3u * window->share + share) / 4);
	less = window->losses
		       ? (uint32_t)(((uint64_t)size * window->share + 2 * WHOLE - 1) / (2 * WHOLE))
		       : 0;
	if (window->started && window->used)
		size += size / 32 ? size / 32 : 1;
	size = size > less + 1 ? size - less : 1;
	window->size = at_most(size, window->maximum);
	window->outcomes = 0;
	window->losses = 0;
	window->silent = 0;
}

static void count_outcome(struct window *window)
{
	window->in_flight--;
	if (window->pinned)
		return;
	if (++window->outcomes >= window->size)
		end_epoch(window);
}

void window_answered(struct window *window)
{
	if (!window->pinned && !window->started && window->used)
		window->size = at_most(window->size + 1, window->maximum);
	count_outcome(window);
}

void window_answered_slowly(struct window *window, uint32_t first)
{
	if (window->size >= first)
		window->used = false;
	window_answered(window);
}

static void count_up(uint16_t *counter)
{
	if (*counter < UINT16_MAX)
		++*counter;
}

static void end_epoch_if_due(struct window *window)
{
	if (window->outcomes + window->silent >= window->size &&
	    window->outcomes >= at_most(window->size, FEWEST_OUTCOMES))
		end_epoch(window);
}

void window_silent(struct window *window)
{
	window->in_flight--;
	if (window->pinned)
		return;
	count_up(&window->silent);
	end_epoch_if_due(window);
}

void window_lost(struct window *window)
{
	if (window->pinned)
		return;
	count_up(&window->losses);
	window->outcomes++;
	end_epoch_if_due(window);
}
