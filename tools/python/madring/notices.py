# SPDX-License-Identifier: BSD-2-Clause
"""Notices: what the nodes of a subnet report, such as a link that goes down (IBA 13.4.8)."""
from __future__ import annotations

import dataclasses
import errno
import ipaddress
from typing import Any, Generator, List, Literal, NamedTuple, Optional, Tuple, Union

from madring import _arguments
from madring._loop import Activity, Loop
from madring._native import ffi, lib
from madring.agent import Results
from madring.attributes import SA
from madring.errors import Error, StatusError, check, error_of

_TYPES = {0: "fatal", 1: "urgent", 2: "security", 3: "subnet management", 4: "informational"}
_PRODUCERS = {1: "ca", 2: "switch", 3: "router", 4: "class manager"}

_IPv6 = ipaddress.IPv6Address


class NoticeDetails(NamedTuple):
    """The decoded DataDetails of a generic notice (IBA 14.2.5.1). Fields that its trap does not
    have are 0."""

    lid: int  # of the node that traps 128 to 145 and 256 are about; LIDADDR1 of 257 to 259
    lid2: int  # LIDADDR2
    port: int  # of traps 129 to 131 and 259
    gid: _IPv6  # of traps 64 to 67; GIDADDR1 of 257 to 259
    gid2: _IPv6
    local_changes: int  # OtherLocalChanges of trap 144: change_flags mean something
    capability_mask: int
    capability_mask2: int
    change_flags: int
    system_guid: int  # of trap 145
    # The SMP that had a wrong M_Key, of trap 256.
    method: int
    attr_id: int
    attr_mod: int
    mkey: int
    dr_slid: int
    dr_notice: int  # a directed-route SMP: hops and return_path mean something
    dr_path_truncated: int
    hops: int
    return_path: bytes
    data_valid: int  # of trap 259: which of its details mean something
    key: int  # the P_Key of traps 257 and 259, the Q_Key of 258
    sl: int
    qpn1: int
    qpn2: int
    switch_lid: int  # of trap 259


class Notice(NamedTuple):
    """A notice (IBA 13.4.8.2)."""

    is_generic: bool  # False: it is of a vendor's device
    type: str  # "fatal", "urgent", "security", "subnet management", "informational" or "unknown"
    producer: str  # "ca", "switch", "router", "class manager" or "unknown"; "" if not generic
    trap_number: int  # such as 128; 0 if not generic
    vendor_id: int  # 0 if generic
    device_id: int  # 0 if generic
    issuer_lid: int
    issuer_gid: Optional[_IPv6]  # None in a Trap, which has none
    lid: int  # of the node that sent the Report or the Trap
    data: bytes  # the 54 bytes of DataDetails, as they are sent
    details: Optional[NoticeDetails]  # None if not generic, or if the trap is not known


@dataclasses.dataclass(frozen=True)  # a tuple would be true to type checkers
class SubscriptionEvent:
    """What a subscription tells besides notices. It is false, so `if notice` selects the notices.

    "subscribed"  The SA has confirmed the subscription, for the first time or again. Notices before
                  it are not known: look at the fabric anew.
    "lost"        The subscription does not hold: .error says why. It is tried again, after 5 s and
                  as soon as there is another subnet manager.
    "dropped"     The queue was full when .dropped more notices came. They are lost: look at the
                  fabric anew.
    """

    kind: str
    error: Optional[Error] = None
    dropped: int = 0

    def __bool__(self) -> Literal[False]:
        return False

    def __str__(self) -> str:
        if self.error:
            return f"{self.kind}: {self.error.strerror}"
        return f"{self.kind}: {self.dropped} notices" if self.dropped else self.kind


#: What Administration.notices() yields.
Heard = Union[Notice, SubscriptionEvent]


def _details_of(notice: Any) -> Optional[NoticeDetails]:
    details = ffi.new("struct madring_notice_details *")
    if lib.madring_notice_details_decode(details, ffi.addressof(notice)):
        return None
    values = {name: getattr(details, name) for name in NoticeDetails._fields}
    values.update(gid=_IPv6(bytes(details.gid.raw)), gid2=_IPv6(bytes(details.gid2.raw)),
                  return_path=bytes(details.return_path))
    return NoticeDetails(**values)


def _notice_of(heard: Any) -> Notice:
    notice = heard.notice
    is_generic = bool(notice.is_generic)
    gid = bytes(notice.issuer_gid.raw)
    return Notice(
        is_generic,
        _TYPES.get(notice.type, "unknown"),
        _PRODUCERS.get(notice.producer_type, "unknown") if is_generic else "",
        notice.trap_number if is_generic else 0,
        0 if is_generic else notice.producer_type,
        0 if is_generic else notice.trap_number,
        notice.issuer_lid,
        _IPv6(gid) if any(gid) else None,
        heard.lid,
        bytes(notice.data),
        _details_of(notice))


def _error_of(heard: Any) -> Error:
    if heard.status == -errno.ENETUNREACH:
        return Error(errno.ENETUNREACH, "the subnet has no subnet manager")
    if heard.mad_status:
        return StatusError(SA, heard.mad_status)
    return error_of(heard.status)


def _heard_of(heard: Any) -> Heard:
    if heard.kind == lib.MADRING_NOTIFICATION_NOTICE:
        return _notice_of(heard)
    if heard.kind == lib.MADRING_NOTIFICATION_SUBSCRIBED:
        return SubscriptionEvent("subscribed")
    return SubscriptionEvent("lost", _error_of(heard))


class Listener(Activity):
    """A subscription and its queue: the Python side of native/listen.h."""

    # Reports are answered, and the subscription is renewed, while the program does other things.
    always_runs = True

    def __init__(self, loop: Loop, sa: Any, config: Any, limit: int):
        place = ffi.new("struct listener **")
        check(lib.listen_open(sa, config, limit, place))
        self.native = place[0]
        self.loop = loop
        loop.add(self)

    def is_ready(self) -> bool:
        if not self.native:
            raise Error(errno.ESHUTDOWN, "subnet administration was closed")
        return bool(self.native.count)

    def run(self, timeout_ms: int) -> int:
        return int(lib.listen_run(self.native, self.loop.ring, timeout_ms))

    def take(self) -> List[Heard]:
        """Returns what was heard, and drops it."""
        native = self.native
        every = [_heard_of(native.heard[place]) for place in range(native.count)]
        if native.dropped:
            every.append(SubscriptionEvent("dropped", dropped=native.dropped))
        if native.is_changed:
            every.append(_heard_of(native.change))
        lib.listen_taken(native)
        return every

    def close(self) -> None:
        """Unsubscribes. The SA gets to know it when the ring runs."""
        native, self.native = self.native, None
        if native and self.loop.ring:
            self.loop.remove(self)
            lib.listen_close(native)
            self.loop.fail(self, Error(errno.ESHUTDOWN, "subnet administration was closed"))


class Notices(Results[Heard]):
    """The notices of a subscription, as they come: iterate with `async for` or `for`, without end.
    Iterating subscribes. Leaving the loop, a canceled await, aclose() of the iterator and closing
    the subnet unsubscribe."""

    def __init__(self, loop: Loop, sa: Any, config: Any, limit: int):
        super().__init__(loop, self._listen)
        self._sa = sa
        self._config = config
        self._limit = limit

    def _listen(self) -> Generator[Any, None, None]:
        listener = Listener(self._loop, self._sa(), self._config, self._limit)
        try:
            while True:
                yield listener
                yield listener.take()
        finally:
            listener.close()


def subscription_config(trap_class: int, trap_number: int, producer: Union[int, str], vendor: bool,
                        vendor_id: int, device_id: int, lids: Tuple[int, int],
                        gid: Union[_IPv6, str, None]) -> Any:
    """Returns the struct madring_subscription_config of Administration.notices()."""
    config = ffi.new("struct madring_subscription_config *")
    config.trap_class = trap_class
    config.vendor = bool(vendor or vendor_id or device_id)
    if config.vendor and (trap_number or producer):
        raise ValueError("a vendor's notice has no trap number, and no type of the producer")
    if isinstance(producer, str) and producer:
        producer = next((number for number, name in _PRODUCERS.items() if name == producer), 0)
        if not producer:
            raise ValueError(f"the producer is one of {', '.join(_PRODUCERS.values())}")
    _arguments.unsigned("trap_number", trap_number, 16)
    _arguments.unsigned("device_id", device_id, 16)
    _arguments.unsigned("vendor_id", vendor_id, 24)
    config.trap_number = trap_number or device_id
    config.producer = producer or vendor_id
    if len(lids) != 2:
        raise ValueError(f"lids has to be the first and the last LID, not {lids!r}")
    config.lid_begin, config.lid_end = (_arguments.unsigned("a LID", lid, 16) for lid in lids)
    if gid:
        config.gid.raw = _IPv6(gid).packed
    return config
