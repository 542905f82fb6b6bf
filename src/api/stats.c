/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of a ring, gathered from its parts. */
#include "api/handles.h"

#include "rmpp/rmpp.h"

static struct madring_rtt_stats rtt_stats(const struct rtt_histogram *rtt)
{
	return (struct madring_rtt_stats){
		.count = rtt->count,
		.min_ns = rtt->min_ns,
		.mean_ns = rtt->count ? rtt->sum_ns / rtt->count : 0,
		.max_ns = rtt->max_ns,
		.p50_ns = rtt_histogram_percentile(rtt, 500),
		.p90_ns = rtt_histogram_percentile(rtt, 900),
		.p99_ns = rtt_histogram_percentile(rtt, 990),
		.p999_ns = rtt_histogram_percentile(rtt, 999),
	};
}

static struct madring_rmpp_stats rmpp_stats_of(const struct rmpp_stats *rmpp)
{
	return (struct madring_rmpp_stats){
		.sent = rmpp->sent,
		.received = rmpp->received,
		.send_failed = rmpp->send_failed,
		.receive_failed = rmpp->receive_failed,
		.segments_sent = rmpp->segments,
		.segments_resent = rmpp->resent,
		.segments_received = rmpp->segments_in,
		.segments_repeated = rmpp->repeated_in,
		.acks_sent = rmpp->acks,
		.acks_received = rmpp->acks_in,
		.aborts_sent = rmpp->refusals,
		.aborts_received = rmpp->refusals_in,
	};
}

API void madring_stats(const struct madring *ring, struct madring_ring_stats *stats)
{
	const struct engine_stats *engine = engine_stats(ring->engine);

	*stats = (struct madring_ring_stats){
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
		.rtt = rtt_stats(&engine->rtt),
		.rmpp = rmpp_stats_of(engine_rmpp_stats(ring->engine)),
		.spin = driver_spin_stats(ring->driver),
	};
	pool_stats(ring->pool, &stats->pool);
}

API const char *madring_driver_text(const struct madring *ring)
{
	return driver_text(ring->driver);
}
