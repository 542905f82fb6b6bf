/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of a ring, gathered from its parts. */
#include "api/handles.h"
#include "sized/sized.h"

#include "rmpp/rmpp.h"

static void fill_round_trips(const struct rtt_histogram *rtt, struct madring_stats *stats)
{
	stats->rtt_count = rtt->count;
	stats->rtt_min_ns = rtt->min_ns;
	stats->rtt_mean_ns = rtt->count ? rtt->sum_ns / rtt->count : 0;
	stats->rtt_max_ns = rtt->max_ns;
	stats->rtt_p50_ns = rtt_histogram_percentile(rtt, 500);
	stats->rtt_p90_ns = rtt_histogram_percentile(rtt, 900);
	stats->rtt_p99_ns = rtt_histogram_percentile(rtt, 990);
	stats->rtt_p999_ns = rtt_histogram_percentile(rtt, 999);
}

static void fill_messages(const struct rmpp_stats *rmpp, struct madring_stats *stats)
{
	stats->rmpp_sent = rmpp->sent;
	stats->rmpp_received = rmpp->received;
	stats->rmpp_send_failed = rmpp->send_failed;
	stats->rmpp_receive_failed = rmpp->receive_failed;
	stats->rmpp_segments_sent = rmpp->segments;
	stats->rmpp_segments_resent = rmpp->resent;
	stats->rmpp_segments_received = rmpp->segments_in;
	stats->rmpp_segments_repeated = rmpp->repeated_in;
	stats->rmpp_acks_sent = rmpp->acks;
	stats->rmpp_acks_received = rmpp->acks_in;
	stats->rmpp_aborts_sent = rmpp->refusals;
	stats->rmpp_aborts_received = rmpp->refusals_in;
}

static void fill_buffers(const struct pool *pool, struct madring_stats *stats)
{
	struct pool_stats buffers;

	pool_stats(pool, &buffers);
	stats->pool_plain_capacity = buffers.plain.capacity;
	stats->pool_plain_in_use = buffers.plain.in_use;
	stats->pool_plain_peak = buffers.plain.peak;
	stats->pool_plain_exhausted = buffers.plain.exhausted;
	stats->pool_large_capacity = buffers.large.capacity;
	stats->pool_large_in_use = buffers.large.in_use;
	stats->pool_large_peak = buffers.large.peak;
	stats->pool_large_exhausted = buffers.large.exhausted;
	stats->pool_message_capacity = buffers.message.capacity;
	stats->pool_message_in_use = buffers.message.in_use;
	stats->pool_message_peak = buffers.message.peak;
	stats->pool_message_exhausted = buffers.message.exhausted;
	stats->pool_pinned_bytes = buffers.pinned_bytes;
	stats->pool_unpinned_bytes = buffers.unpinned_bytes;
	stats->pool_huge_bytes = buffers.huge_bytes;
}

static void fill_spins(const struct driver *driver, struct madring_stats *stats)
{
	struct spin_stats spin = driver_spin_stats(driver);

	stats->spin_hits = spin.hits;
	stats->spin_misses = spin.misses;
	stats->spin_ns = spin.ns;
}

API void madring_get_stats_sized(const struct madring *ring, struct madring_stats *stats,
				 size_t stats_size)
{
	const struct engine_stats *engine = engine_stats(ring->engine);
	struct madring_stats own = {
		.accepted = engine->accepted,
		.completed = engine->completed,
		.sent = engine->sent,
		.received = engine->received,
		.replies = engine->replies,
		.retried = engine->retried,
		.timed_out = engine->timed_out,
		.canceled = engine->canceled,
		.send_failed = engine->send_failed,
		.device_gone = engine->device_gone,
		.too_long = engine->too_long,
		.unmatched = engine->unmatched,
		.requests = engine->requests,
		.requests_left = engine->requests_left,
		.unsolicited = engine->unsolicited,
		.others = engine->others,
		.malformed = engine->malformed,
		.notices = engine->notices,
		.late_replies = engine->late_replies,
		.busy = engine->busy,
		.redirected = engine->redirected,
		.in_flight = engine_in_flight(ring->engine),
		.in_flight_peak = engine->in_flight_peak,
		.entries = driver_entries(ring->driver),
		.multishot = driver_is_multishot(ring->driver),
		.driver = driver_kind(ring->driver),
		.driver_reason = driver_reason(ring->driver),
	};

	fill_round_trips(&engine->rtt, &own);
	fill_buffers(ring->pool, &own);
	fill_messages(engine_rmpp_stats(ring->engine), &own);
	fill_spins(ring->driver, &own);
	sized_give(stats, stats_size, &own, sizeof(own));
}

API const char *madring_driver_text(const struct madring *ring)
{
	return driver_text(ring->driver);
}
