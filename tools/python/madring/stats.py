# SPDX-License-Identifier: BSD-2-Clause
"""Counts what a ring does."""
from __future__ import annotations

import dataclasses
from typing import Any

from madring._native import ffi, lib


@dataclasses.dataclass(frozen=True)
class Stats:
    """What the ring of a subnet has done since it was opened. madring_get_stats(3) explains the
    members."""

    accepted: int
    completed: int
    sent: int
    received: int
    replies: int
    retried: int
    timed_out: int
    canceled: int
    send_failed: int
    device_gone: int
    too_long: int
    unmatched: int
    requests: int
    requests_left: int
    unsolicited: int
    others: int
    malformed: int
    notices: int
    late_replies: int
    busy: int
    redirected: int
    in_flight: int
    in_flight_peak: int
    entries: int
    multishot: bool
    driver_reason: int
    rtt_count: int
    rtt_min_ns: int
    rtt_mean_ns: int
    rtt_max_ns: int
    rtt_p50_ns: int
    rtt_p90_ns: int
    rtt_p99_ns: int
    rtt_p999_ns: int
    pool_plain_capacity: int
    pool_plain_in_use: int
    pool_plain_peak: int
    pool_plain_exhausted: int
    pool_large_capacity: int
    pool_large_in_use: int
    pool_large_peak: int
    pool_large_exhausted: int
    pool_message_capacity: int
    pool_message_in_use: int
    pool_message_peak: int
    pool_message_exhausted: int
    pool_pinned_bytes: int
    pool_unpinned_bytes: int
    pool_huge_bytes: int
    rmpp_sent: int
    rmpp_received: int
    rmpp_send_failed: int
    rmpp_receive_failed: int
    rmpp_segments_sent: int
    rmpp_segments_resent: int
    rmpp_segments_received: int
    rmpp_segments_repeated: int
    rmpp_acks_sent: int
    rmpp_acks_received: int
    rmpp_aborts_sent: int
    rmpp_aborts_received: int
    spin_hits: int
    spin_misses: int
    spin_ns: int


def stats_of(ring: Any) -> Stats:
    """Returns the counts of a ring."""
    native = ffi.new("struct madring_stats *")
    lib.madring_get_stats(ring, native)
    return Stats(*(getattr(native, field.name) for field in dataclasses.fields(Stats)))
