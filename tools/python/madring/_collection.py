# SPDX-License-Identifier: BSD-2-Clause
"""Requests and outcomes in arrays: the Python side of native/collect.h."""
import errno
import struct
from typing import Any, Iterator, Optional, Sequence, Tuple

from madring._loop import Activity, Loop
from madring._native import ffi, lib
from madring.errors import check, error_of

# The layouts of struct collect_request and struct collect_outcome.
REQUEST = struct.Struct("=QQIiiHHBBBB64sI16sHBBB3x")
OUTCOME = struct.Struct("=QQQiIHH4x")
REPLY_BYTES = 256

#: tag, status, MAD status, attempts, round trip in ns, and the reply
Outcome = Tuple[int, int, int, int, int, bytes]


class Collection(Activity):
    """A batch whose requests are added, and whose outcomes are taken, many at a time."""

    def __init__(self, loop: Loop, agent: Any, mgmt_class: int, offset: int, payload_bytes: int):
        loop.check_usable()
        place = ffi.new("struct collection **")
        check(lib.collect_open(loop.ring, agent, mgmt_class, offset, payload_bytes, place))
        self.native = place[0]
        self.loop = loop
        self.enough = 1
        self.payload_bytes = payload_bytes
        loop.add(self)

    def add(self, requests: Any, count: int, payloads: Optional[bytes] = None,
            payload_step: Optional[int] = None) -> None:
        """Adds @count packed requests."""
        self.loop.check_usable()
        step = self.payload_bytes if payload_step is None else payload_step
        check(lib.collect_add(self.native, ffi.from_buffer(requests), count,
                              ffi.NULL if payloads is None else ffi.from_buffer(payloads), step))

    @property
    def outstanding(self) -> int:
        return int(lib.collect_outstanding(self.native) if self.native else 0)

    @property
    def count(self) -> int:
        return int(lib.collect_count(self.native) if self.native else 0)

    def is_ready(self) -> bool:
        native = self.native
        if not native:
            raise error_of(-errno.ESHUTDOWN)
        count = lib.collect_count(native)
        return count >= self.enough or not lib.collect_outstanding(native)

    def run(self, timeout_ms: int) -> int:
        return int(lib.collect_run(self.native, self.enough, timeout_ms))

    def stepped(self) -> None:
        if self.native:
            lib.collect_settle(self.native)

    def last_added(self) -> int:
        """Returns the place of the request that was added last, for cancel()."""
        return int(lib.collect_last_added(self.native))

    def cancel(self, place: int, tag: int) -> None:
        if self.native and self.loop.ring:
            lib.collect_cancel(self.native, place, tag)

    def raw_outcomes(self) -> bytes:
        """Returns the outcomes that wait, packed, and leaves them."""
        return bytes(ffi.buffer(lib.collect_outcomes(self.native), self.count * OUTCOME.size))

    def take(self) -> Iterator[Outcome]:
        """Yields the outcomes that wait, and drops them."""
        count = self.count
        if not count:
            return
        outcomes = self.raw_outcomes()
        replies = bytes(ffi.buffer(lib.collect_replies(self.native), count * REPLY_BYTES))
        long_replies = {
            tag: bytes(ffi.buffer(ffi.cast("uint8_t *", place), length))
            for tag, _, place, _, length, _, _ in OUTCOME.iter_unpack(outcomes) if place}
        lib.collect_taken(self.native)
        start = 0
        for tag, rtt, place, status, length, mad_status, tries in OUTCOME.iter_unpack(outcomes):
            data = long_replies[tag] if place else replies[start : start + length]
            start += REPLY_BYTES
            yield tag, status, mad_status, tries, rtt, data

    def take_fields(self, offset: int, fields: Sequence[Any], values: Any, rows: int) -> bytes:
        """Reads fields of the replies that wait into an array of 64-bit numbers with a row for
        each tag, and drops the outcomes, which it returns packed."""
        pointers = ffi.new("const struct madring_field *[]", list(fields))
        lib.collect_fields(self.native, offset, pointers, len(fields),
                           ffi.from_buffer("uint64_t[]", values, require_writable=True), rows)
        outcomes = self.raw_outcomes()
        lib.collect_taken(self.native)
        return outcomes

    def close(self) -> None:
        native, self.native = self.native, None
        if native and self.loop.ring:
            self.loop.remove(self)
            lib.collect_close(native)
