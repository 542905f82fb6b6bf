# SPDX-License-Identifier: BSD-2-Clause
"""Requests that an agent receives, and the answers to them."""
from __future__ import annotations

import errno
import typing
from typing import Any, Dict, Iterable, List, Mapping, Union

from madring import _arguments, attributes
from madring._loop import Activity
from madring._native import ffi, lib
from madring.attributes import Name
from madring.errors import Error, check, error_of

if typing.TYPE_CHECKING:
    from madring.subnet import Subnet

#: The methods of requests (IBA 13.4.5).
METHODS = {"Get": 0x01, "Set": 0x02, "Send": 0x03, "Trap": 0x05, "Report": 0x06,
           "TrapRepress": 0x07}


class Server(Activity):
    """An agent that receives requests: the Python side of native/serve.h."""

    # Requests are received while the program does other things.
    always_runs = True

    def __init__(self, subnet: "Subnet", mgmt_class: int, oui: int, mask: int, limit: int):
        place = ffi.new("struct server **")
        subnet._loop.check_usable()
        methods = [mask & (1 << 64) - 1, mask >> 64]
        check(lib.serve_open(subnet._native, mgmt_class, oui, methods, limit, place),
              f"the agent of {attributes.class_name(mgmt_class)}")
        self.native = place[0]
        self.mgmt_class = mgmt_class
        self._dropped = 0
        self.loop = subnet._loop
        self.loop.add(self)

    def is_ready(self) -> bool:
        if not self.native:
            raise Error(errno.ESHUTDOWN, "the subnet was closed")
        return bool(self.native.count or self.native.error)

    def run(self, timeout_ms: int) -> int:
        return int(lib.serve_run(self.native, timeout_ms))

    def take(self) -> List["ReceivedRequest"]:
        """Returns what was received, and drops it."""
        native = self.native
        every = [ReceivedRequest(self, native.requests[place]) for place in range(native.count)]
        lib.serve_taken(native)
        if native.error and not every:
            raise error_of(native.error)
        return every

    @property
    def dropped(self) -> int:
        return int(self.native.dropped) if self.native else self._dropped

    def answer(self, request: Any, data: bytes, offset: int, status: int) -> None:
        if not self.native:
            raise Error(errno.ESHUTDOWN, "no more requests are received: their loop was left")
        self.loop.check_usable()
        check(lib.serve_answer(self.native, request, data, offset, len(data), status))

    def close(self) -> None:
        native, self.native = self.native, None
        if native:
            self._dropped = int(native.dropped)
        if native and self.loop.ring:
            self.loop.remove(self)
            lib.serve_close(native)


class ReceivedRequest:
    """A request that an agent received. answer() sends the response to it."""

    __slots__ = ("mgmt_class", "method", "attribute", "modifier", "lid", "tid", "mad", "_server",
                 "_native")

    def __init__(self, server: Server, native: Any):
        self.mgmt_class = server.mgmt_class
        self.method = int(native.method)  # such as madring.GET
        self.attribute = int(native.attr_id)  # its number
        self.modifier = int(native.attr_mod)
        self.lid = int(native.lid)  # of the sender
        self.tid = int(native.tid)
        self.mad = bytes(ffi.buffer(native.mad))
        self._server = server
        self._native = ffi.new("struct serve_request *", native)

    def __repr__(self) -> str:
        name = attributes.attribute_name(self.mgmt_class, self.attribute)
        return f"<madring.ReceivedRequest {name}, method {self.method}, of LID {self.lid}>"

    @property
    def data(self) -> bytes:
        """The attribute of the request."""
        return self.mad[attributes.data_offset(self.mgmt_class):]

    def __getitem__(self, name: str) -> Any:
        return attributes.field(self.mgmt_class, self.attribute, name).get(self.data)

    def fields(self) -> Dict[str, Any]:
        """Returns all fields of the attribute by their names."""
        return attributes.unpack(self.mgmt_class, self.attribute, self.data)

    def answer(self, data: Union[bytes, Mapping[str, Any], None] = None, *,
               status: int = 0) -> None:
        """Sends the response. @data: its attribute, as bytes or by the fields that are not 0; None:
        that of the request. @status: of the MAD (IBA 13.4.7), such as 0x000c: there is no such
        attribute."""
        if data is None:
            data = b""
        elif not isinstance(data, bytes):
            if not hasattr(data, "items"):
                raise TypeError(f"data has to be bytes, or a mapping of fields, not {data!r}")
            data = attributes.pack(self.mgmt_class, self.attribute, data)
        most = attributes.data_bytes(self.mgmt_class)
        if len(data) > most:
            raise ValueError(f"data has {len(data)} bytes: an attribute of "
                             f"{attributes.class_name(self.mgmt_class)} has {most} at most")
        _arguments.number("the status", status, 0, 0x7FFF)
        if data:
            data = data.ljust(most, b"\0")
        self._server.answer(self._native, data, attributes.data_offset(self.mgmt_class), status)


def method_mask(methods: Iterable[Name]) -> int:
    """Returns the methods that an agent is to receive, as bits."""
    mask = 0
    for method in methods:
        number = attributes.method_number(method, METHODS)
        mask |= 1 << _arguments.number("a method of requests", number, 1, 127)
    if not mask:
        raise ValueError("there are no methods to receive")
    return mask
