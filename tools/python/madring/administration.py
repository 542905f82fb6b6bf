# SPDX-License-Identifier: BSD-2-Clause
"""Queries subnet administration (SA), and subscribes to notices."""
from __future__ import annotations

import errno
import ipaddress
import typing
from typing import Any, Dict, Generator, List, Tuple, Union

from madring import attributes
from madring._loop import Activity, Loop
from madring._native import ffi, lib
from madring.agent import Once
from madring.attributes import SA, Name
from madring.errors import Error, StatusError, check, error_of
from madring.notices import Listener, Notices, subscription_config

if typing.TYPE_CHECKING:
    from madring.subnet import Subnet

#: A record of the SA: its fields by their names.
Record = Dict[str, Any]

_METHODS = {"Get": 0x01, "Set": 0x02, "GetTable": 0x12, "Delete": 0x15}


class _Question(Activity):
    """A query and its answer: the Python side of native/question.h."""

    def __init__(self, loop: Loop, sa: Any, attribute: int, method: int, modifier: int,
                 record: bytes, mask: int, timeout_ms: int):
        place = ffi.new("struct question **")
        error = lib.question_send(sa, attribute, method, modifier, record, len(record), mask,
                                  timeout_ms, place)
        if error == -errno.ENETUNREACH:
            raise Error(errno.ENETUNREACH, "the subnet has no subnet manager")
        check(error)
        self.native = place[0]
        self.loop = loop
        self.attribute = attribute
        loop.add(self)

    def is_ready(self) -> bool:
        if not self.native:
            raise error_of(-errno.ESHUTDOWN)
        return self.native.is_answered

    def run(self, timeout_ms: int) -> int:
        return lib.question_run(self.native, self.loop.ring, timeout_ms)

    def stepped(self) -> None:
        pass

    def take(self) -> List[Record]:
        """Returns the records of the answer, or raises the error."""
        native = self.native
        if native.status and native.mad_status:
            raise StatusError(SA, native.mad_status)
        check(native.status)
        data = bytes(ffi.buffer(native.records, native.count * native.stride)) if native.count \
            else b""
        return [attributes.unpack(SA, self.attribute, data[start : start + native.stride])
                for start in range(0, len(data), native.stride or 1)]

    def close(self) -> None:
        native, self.native = self.native, None
        if native:
            self.loop.remove(self)
            lib.question_drop(native)


class Administration:
    """The SA of a subnet, which is followed when the subnet manager moves. It is Subnet.sa."""

    def __init__(self, subnet: "Subnet"):
        subnet._loop.check_usable()
        place = ffi.new("struct madring_sa **")
        check(lib.madring_sa_open(subnet._native, ffi.NULL, place))
        self._native = place[0]
        self._loop = subnet._loop

    @property
    def sm_lid(self) -> int:
        """The LID of the subnet manager; 0: there is none."""
        native = self._usable()
        check(lib.madring_sa_refresh(native))
        state = ffi.new("struct madring_sa_state *")
        lib.madring_sa_get_state(native, state)
        return state.sm_lid

    def query(self, attribute: Name, *, method: Name = "GetTable", modifier: int = 0,
              timeout_ms: int = 0, **components: Any) -> Once[List[Record]]:
        """Asks for the records with these components: `await subnet.sa.query("PathRecord", SLID=1,
        DLID=2)`. The result is a list of dicts, of all records without components. Raises Error
        without an answer, StatusError if the SA refuses, and KeyError for an unknown component."""
        return Once(self._loop, lambda: self._turns(attribute, method, modifier, timeout_ms,
                                                    components))

    def node_records(self) -> Once[List[Record]]:
        """Asks for the NodeRecords of all nodes."""
        return self.query("NodeRecord")

    def notices(self, trap_number: int = 0, *, producer: Union[int, str] = "", vendor: bool = False,
                vendor_id: int = 0, device_id: int = 0, lids: Tuple[int, int] = (0, 0),
                gid: Union[ipaddress.IPv6Address, str, None] = None, trap_class: Name = 0,
                limit: int = 4096) -> Notices:
        """Subscribes to notices: `async for notice in subnet.sa.notices()`. Yields each Notice, and
        SubscriptionEvents, which are false. The defaults select all generic notices; these do some:

        trap_number   such as 128
        producer      the type of the node: "ca", "switch", "router" or "class manager"
        vendor, vendor_id, device_id
                      notices of vendors' devices in the place of generic ones: all, or some
        lids          the first and the last LID of the nodes that issue them
        gid           of the port that issues them, or, with traps 64 to 67, that they are about
        trap_class    the Traps of this class, such as "PMA", that nodes send to the local port,
                      rather than what the SA reports of the whole subnet

        Notices wait in a queue with room for @limit of them; a SubscriptionEvent tells how many
        more were dropped. asyncio fills the queue while the program does other things. Without it,
        notices are received while the program waits in the package, and the kernel keeps them
        until then. If subscriptions of a subnet overlap, the SA reports a notice more than once,
        and each of them yields it as often. Iterating raises Error: with EADDRINUSE if another
        program, or another Subnet, receives notices of the local port."""
        mgmt_class = attributes.class_number(trap_class) if trap_class else 0
        config = subscription_config(mgmt_class, trap_number, producer, vendor, vendor_id,
                                     device_id, lids, gid)
        return Notices(self._loop, self._usable, config, limit)

    def close(self) -> None:
        """Closes the SA: queries in flight are cancelled, and notices unsubscribed, which takes 1 s
        at most. Subnet.close() does it, too."""
        if not self._native:
            return
        self._loop.check_usable()
        for each in tuple(self._loop.activities):
            if isinstance(each, Listener):
                each.close()
        native, self._native = self._native, None
        check(lib.madring_sa_close(native))

    def _usable(self) -> Any:
        self._loop.check_usable()
        if not self._native:
            raise Error(errno.ESHUTDOWN, "subnet administration is closed")
        return self._native

    def _turns(self, attribute: Name, method: Name, modifier: int, timeout_ms: int,
               components: Dict[str, Any]) -> Generator[Any, None, None]:
        native = self._usable()
        number = attributes.attribute_number(SA, attribute)
        mask = 0
        for name in components:
            bits = lib.madring_component(number, name.encode())
            if not bits:
                raise KeyError(f"{attributes.attribute_name(SA, number)} has no component {name}")
            mask |= bits
        record = attributes.pack(SA, number, components)
        # The attributes of the port were not read while the ring did not run.
        check(lib.madring_sa_refresh(native))
        question = _Question(self._loop, native, number,
                             method if isinstance(method, int) else _METHODS[method], modifier,
                             record, mask, timeout_ms)
        try:
            yield question
            yield [question.take()]
        finally:
            question.close()
