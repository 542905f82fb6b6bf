/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes RMPP. */
#include <errno.h>
#include <stdlib.h>

#include "base/table.h"
#include "rmpp/received.h"
#include "rmpp/rmpp_state.h"

static bool has_valid_times(const struct rmpp_config *config)
{
	return config->tick_ns && config->min_timeout_ns &&
	       config->min_timeout_ns <= config->max_timeout_ns && config->first_timeout_ns &&
	       config->idle_ns && config->total_ns;
}

static bool is_valid_config(const struct rmpp_config *config)
{
	return config->sends >= 1 && config->sends <= RMPP_MAX_TRANSFERS && config->receives >= 1 &&
	       config->receives <= RMPP_MAX_TRANSFERS && config->frames >= 1 &&
	       config->frames <= RMPP_MAX_FRAMES && config->window >= 1 &&
	       config->window <= RMPP_MAX_WINDOW && config->message_limit >= MADRING_MAD_BYTES &&
	       config->message_limit <= RMPP_MAX_MESSAGE && has_valid_times(config) &&
	       config->memory.take && config->memory.give;
}

static int open_tables(struct rmpp *rmpp)
{
	const struct rmpp_config *config = &rmpp->config;
	uint32_t entries = config->sends + config->receives;

	rmpp->bucket_bits = table_bits(2 * entries);
	rmpp->transfer = table_alloc(entries, sizeof(*rmpp->transfer));
	rmpp->bucket = table_alloc((size_t)1 << rmpp->bucket_bits, sizeof(*rmpp->bucket));
	rmpp->frame = table_alloc(config->frames, sizeof(*rmpp->frame));
	rmpp->frame_use = table_alloc(config->frames, sizeof(*rmpp->frame_use));
	if (!rmpp->transfer || !rmpp->bucket || !rmpp->frame || !rmpp->frame_use)
		return -ENOMEM;
	return wheel_open(&rmpp->wheel, entries, config->now / config->tick_ns);
}

/* Makes all transfers from @first to @end - 1 free. */
static void clear_transfers(struct rmpp *rmpp, struct list *list, uint32_t first, uint32_t end)
{
	*list = LIST_EMPTY;
	for (uint32_t i = first; i < end; i++) {
		rmpp->transfer[i] = (struct transfer){ 0 };
		list_append(list, LINKS(rmpp->transfer, free_link), i);
	}
}

static void clear_frames(struct rmpp *rmpp)
{
	uint32_t end = rmpp->config.frames;

	memset(rmpp->frame, 0, end * sizeof(*rmpp->frame));
	rmpp->free_frames = LIST_EMPTY;
	for (uint32_t i = 0; i < end; i++) {
		rmpp->frame_use[i] = (struct frame_use){ 0 };
		list_append(&rmpp->free_frames, LINKS(rmpp->frame_use, link), i);
	}
}

int rmpp_open(struct rmpp **out, const struct rmpp_config *config)
{
	struct rmpp *rmpp;

	if (!is_valid_config(config))
		return -EINVAL;
	rmpp = calloc(1, sizeof(*rmpp));
	if (!rmpp)
		return -ENOMEM;
	rmpp->config = *config;
	rmpp->now = config->now;
	rmpp->heard = config->now;
	if (open_tables(rmpp) < 0) {
		/* The transfers do not exist, so rmpp_close() must not look at them. */
		rmpp->config.sends = rmpp->config.receives = 0;
		rmpp_close(rmpp);
		return -ENOMEM;
	}
	clear_transfers(rmpp, &rmpp->free_sends, 0, config->sends);
	clear_transfers(rmpp, &rmpp->free_receives, config->sends,
			config->sends + config->receives);
	memset(rmpp->bucket, 0xff, ((size_t)1 << rmpp->bucket_bits) * sizeof(*rmpp->bucket));
	clear_frames(rmpp);
	rmpp->ready = LIST_EMPTY;
	rmpp->outcomes = LIST_EMPTY;
	rmpp->refusals = LIST_EMPTY;
	rmpp->lingering = LIST_EMPTY;
	*out = rmpp;
	return 0;
}

void rmpp_close(struct rmpp *rmpp)
{
	if (!rmpp)
		return;
	for (uint32_t i = rmpp->config.sends; i < rmpp->config.sends + rmpp->config.receives; i++)
		if (rmpp->transfer[i].state != TRANSFER_FREE)
			received_drop(rmpp, i);
	wheel_close(&rmpp->wheel);
	free(rmpp->frame_use);
	free(rmpp->frame);
	free(rmpp->bucket);
	free(rmpp->transfer);
	free(rmpp);
}

const struct rmpp_stats *rmpp_stats(const struct rmpp *rmpp)
{
	return &rmpp->stats;
}
