# SPDX-License-Identifier: BSD-2-Clause
"""Sends requests of a management class: one, a stream of them, or arrays."""
from __future__ import annotations

import importlib
import ipaddress
import itertools
import struct
import typing
from typing import (Any, AsyncGenerator, Callable, Dict, Generator, Generic, Iterable, Iterator,
                    List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union)

from madring import _arguments, attributes
from madring._collection import OUTCOME, REQUEST, Collection, Outcome
from madring._loop import Loop, drive, drive_async
from madring._native import ffi, lib
from madring._waiting import OneByOne, Result
from madring.attributes import Name
from madring.errors import Error, StatusError, check, error_of
from madring.received import ReceivedRequest, Server, method_mask

if typing.TYPE_CHECKING:
    from madring.fabric import Node, Port
    from madring.subnet import Subnet

GET = 0x01
SET = 0x02
GET_TABLE = 0x12

#: A destination: a LID, a port, a node, or a directed route, such as "0,1,3", [0, 1, 3] or bytes.
#: A node or a port stands for its LID, or in directed-route SMPs for the node's route.
To = Union[int, str, Sequence[int], "Node", "Port"]
#: An attribute: its bytes, or the fields that are not 0.
Data = Union[bytes, Mapping[str, Any]]

# A stream adds requests in groups of this size, and keeps two groups outstanding.
_GROUP = 4096

T = TypeVar("T")


class Grh(NamedTuple):
    """The global route header of a request, which goes to a port by its GID (IBA 8.3)."""

    gid: Union[ipaddress.IPv6Address, str]
    gid_index: int = 0  # of the local GID, in the port's table
    flow_label: int = 0
    traffic_class: int = 0
    hop_limit: int = 64


class Request(NamedTuple):
    """A request of a stream."""

    to: To
    attribute: Name
    modifier: int = 0
    data: Data = b""
    method: int = GET
    tag: Any = None  # for the program, which finds it again in Reply.request
    sl: int = 0
    timeout_ms: int = 0  # of each attempt; 0: the agent's, which is measured by default
    retries: int = 0  # 0: the agent's; -1: none
    component_mask: int = 0  # of subnet administration
    # Of general management packets, which SMPs are not:
    pkey_index: Optional[int] = None  # of the P_Key, in the port's table; None: the subnet's
    grh: Optional[Grh] = None


class Reply:
    """The outcome of a request. It is true if there is a good reply, whose fields are read by
    name: reply["PortXmitData"]. Else .error says why there is none."""

    __slots__ = ("mgmt_class", "attribute", "request", "errno", "status", "attempts", "rtt_ns",
                 "mad")

    def __init__(self, mgmt_class: int, attribute: int, request: Any, outcome: Outcome):
        self.mgmt_class = mgmt_class
        self.attribute = attribute
        self.request = request  # the Request of a stream
        _, self.errno, self.status, self.attempts, self.rtt_ns, self.mad = outcome

    def __bool__(self) -> bool:
        return not self.errno and not self.status

    def __repr__(self) -> str:
        name = attributes.attribute_name(self.mgmt_class, self.attribute)
        return f"<madring.Reply {name}: {self.error or 'good'}>"

    @property
    def error(self) -> Optional[Error]:
        """Why there is no good reply: an Error such as that of ETIMEDOUT, or a StatusError."""
        if self.errno:
            return error_of(self.errno)
        if self.status:
            return StatusError(self.mgmt_class, self.status)
        return None

    def check(self) -> "Reply":
        """Returns the reply, or raises its error."""
        error = self.error
        if error:
            raise error
        return self

    @property
    def data(self) -> bytes:
        """The attribute of the reply; b"" without one."""
        return self.mad[attributes.data_offset(self.mgmt_class):]

    def __getitem__(self, name: str) -> Any:
        self.check()
        return attributes.field(self.mgmt_class, self.attribute, name).get(self.data)

    def fields(self) -> Dict[str, Any]:
        """Returns all fields of the attribute by their names."""
        self.check()
        return attributes.unpack(self.mgmt_class, self.attribute, self.data)


class Call(Result[T]):
    """A request that is sent when it is awaited, or by result(). A canceled await cancels it."""

    def __init__(self, agent: "Agent", request: Request, take: Callable[[Reply], T]):
        self._agent = agent
        self._request = request
        self._take = take

    async def _wait(self) -> T:
        return self._take(await self._agent._singles().wait_one(self._request))

    def result(self) -> T:
        """Sends the request, and runs the ring until there is an outcome."""
        return self._take(self._agent._singles().run_one(self._request))


class Results(Generic[T]):
    """Results that come one after the other: iterate with `for` or `async for`."""

    def __init__(self, loop: Loop, turns: Callable[[], Generator[Any, None, None]]):
        self._loop = loop
        self._turns = turns

    def __iter__(self) -> Iterator[T]:
        turns = self._turns()
        try:
            yield from drive(self._loop, turns)
        finally:
            turns.close()

    async def __aiter__(self) -> AsyncGenerator[T, None]:
        turns = self._turns()
        try:
            async for each in drive_async(self._loop, turns):
                yield each
        finally:
            turns.close()


class Stream(Results[T], Result[List[T]]):
    """Results that come one after the other: iterate with `for` or `async for`, or await the list
    of all. Leaving the loop cancels the requests that are outstanding."""

    async def _wait(self) -> List[T]:
        return [each async for each in self]

    def result(self) -> List[T]:
        """Runs the ring until all results are there, and returns their list."""
        return list(self)


class Once(Result[T]):
    """One result: await it, or call result(). A canceled await cancels the requests."""

    def __init__(self, loop: Loop, turns: Callable[[], Generator[Any, None, None]]):
        self._stream: Stream[T] = Stream(loop, turns)

    async def _wait(self) -> T:
        return (await self._stream)[0]

    def result(self) -> T:
        """Runs the ring until the result is there, and returns it."""
        return self._stream.result()[0]


class Array(Once[Any]):
    """Replies as a numpy structured array: await it, or call result()."""


def import_numpy() -> Any:
    """Returns numpy, which the package can do without."""
    return importlib.import_module("numpy")


def as_is(reply: Reply) -> Reply:
    return reply


class Agent:
    """Sends requests of a management class. Open it by Subnet.agent()."""

    def __init__(self, subnet: "Subnet", mgmt_class: int, oui: int = 0):
        place = ffi.new("struct madring_agent **")
        subnet._loop.check_usable()
        name = f"the agent of {attributes.class_name(mgmt_class)}"
        if oui:
            config = ffi.new("struct madring_agent_config *")
            lib.madring_subnet_get_agent_config(subnet._native, mgmt_class, config)
            config.oui = oui
            check(lib.madring_subnet_agent_open(subnet._native, config, place), name)
        else:
            check(lib.madring_subnet_agent(subnet._native, mgmt_class, place), name)
        self.subnet = subnet
        self.oui = oui  # of a vendor class
        self.mgmt_class = mgmt_class
        self._agent = place[0]
        self._loop: Loop = subnet._loop
        self._offset = attributes.data_offset(mgmt_class)
        self._one: Optional[_Singles] = None

    def request(self, to: To, attribute: Name, modifier: int = 0, data: Data = b"", *,
                method: int = GET, **options: Any) -> Call[Reply]:
        """Sends one request. The result is its outcome, good or not."""
        return Call(self, Request(to, attribute, modifier, data, method, **options), as_is)

    def get(self, to: To, attribute: Name, modifier: int = 0, data: Data = b"",
            **options: Any) -> Call[Reply]:
        """Gets an attribute: `await agent.get(4, "PortInfo", 1)`. Raises Error without a good
        reply."""
        return Call(self, Request(to, attribute, modifier, data, GET, **options), Reply.check)

    def set(self, to: To, attribute: Name, modifier: int = 0, data: Data = b"",
            **options: Any) -> Call[Reply]:
        """Sets an attribute. Raises Error without a good reply."""
        return Call(self, Request(to, attribute, modifier, data, SET, **options), Reply.check)

    def stream(self, requests: Iterable[Request]) -> Stream[Reply]:
        """Sends many requests, and has their outcomes as they come. @requests is read as there is
        room, so it may be a generator without end."""
        return Stream(self._loop, lambda: self._stream_turns(iter(requests)))

    def array(self, lids: Any, attribute: Name, modifiers: Any = 0,
              fields: Optional[Mapping[str, Any]] = None, *, timeout_ms: int = 0,
              retries: int = 0) -> Array:
        """Gets an attribute from many LIDs, as a numpy structured array in the order of @lids. Its
        columns are errno (0: there is a reply), status (of the MAD), rtt_ns, and each field that is
        a number. @modifiers and the values of @fields, which are those of the requests: numbers, or
        arrays as long as @lids."""
        return Array(self._loop, lambda: self._array_turns(lids, attribute, modifiers, fields or {},
                                                           timeout_ms, retries))

    def requests(self, methods: Iterable[Name] = ("Get", "Set"), *,
                 limit: int = 4096) -> Requests:
        """Receives requests of the class: `async for request in agent.requests(["Get"])`.
        @methods: "Get", "Set", "Send", "Trap", "Report", "TrapRepress", or their numbers; on a
        port, one agent of all processes can receive each. @limit: how many wait for the program."""
        return Requests(self, method_mask(methods),
                        _arguments.number("limit", limit, 1, (1 << 31) - 1))

    def close(self) -> None:
        """Ends what outstands of get(), set() and request()."""
        if self._one:
            self._one.close()
            self._one = None

    # Below is how the above is done.

    def _collection(self) -> Collection:
        return Collection(self._loop, self._agent, self.mgmt_class, self._offset,
                          attributes.data_bytes(self.mgmt_class))

    def _singles(self) -> "_Singles":
        if not self._one:
            self._one = _Singles(self)
        return self._one

    def _pack(self, tag: int, request: Request) -> Tuple[bytes, bytes]:
        """Returns a request as the native part takes it, and its attribute."""
        _arguments.instance("a request of a stream", request, Request, "a madring.Request")
        attribute = attributes.attribute_number(self.mgmt_class, request.attribute)
        lid, path = self._address(request.to)
        data = request.data
        if not isinstance(data, bytes):
            if not hasattr(data, "items"):
                raise TypeError(f"data has to be bytes, or a mapping of fields, not {data!r}")
            data = attributes.pack(self.mgmt_class, attribute, data)
        most = attributes.data_bytes(self.mgmt_class)
        if len(data) > most:
            raise ValueError(f"data has {len(data)} bytes: an attribute of "
                             f"{attributes.class_name(self.mgmt_class)} has {most} at most")
        pkey_index = self.subnet.pkey_index if request.pkey_index is None else request.pkey_index
        try:
            packed = REQUEST.pack(tag, request.component_mask, request.modifier,
                                  request.timeout_ms, request.retries, attribute, lid,
                                  request.method, request.sl, max(len(path) - 1, 0),
                                  request.grh is not None, path, *_grh(request.grh, pkey_index))
        except struct.error as error:
            _check_numbers(request)
            raise ValueError(f"{request!r}: {error}") from error
        if request.timeout_ms < 0 or request.retries:
            _arguments.timing(request.timeout_ms, request.retries)
        return packed, data

    def _address(self, to: To) -> Tuple[int, bytes]:
        is_directed = self.mgmt_class == attributes.SMP_DIRECTED
        if isinstance(to, (str, bytes, list, tuple)):
            if not is_directed:
                raise TypeError(f"the destination is a route, {to!r}: that is for directed-route "
                                "SMPs (subnet.directed); others need a LID, a node or a port")
            return 0xFFFF, _route(to)
        # A node and a port have a path and a LID.
        if is_directed:
            if not hasattr(to, "path"):
                raise TypeError("a directed-route SMP needs a route, a node or a port, "
                                f"not {to!r}")
            return 0xFFFF, to.path  # type: ignore[union-attr]
        return _arguments.unsigned("the destination, a LID, a node or a port,",
                                   getattr(to, "lid", to), 16), b""

    def _reply(self, request: Request, outcome: Outcome) -> Reply:
        number = attributes.attribute_number(self.mgmt_class, request.attribute)
        return Reply(self.mgmt_class, number, request, outcome)

    def _stream_turns(self, requests: Iterator[Request]) -> Generator[Any, None, None]:
        """Yields replies, many at a time, and the collection where they have to be waited for."""
        collection = self._collection()
        pending: Dict[int, Request] = {}
        tags = itertools.count()
        room = collection.payload_bytes
        is_at_end = False
        try:
            while True:
                while not is_at_end and collection.outstanding <= _GROUP:
                    packed, payloads = [], []
                    for tag, request in zip(tags, itertools.islice(requests, _GROUP)):
                        pending[tag] = request
                        one, data = self._pack(tag, request)
                        packed.append(one)
                        payloads.append(data.ljust(room, b"\0"))
                    if packed:
                        collection.add(b"".join(packed), len(packed), b"".join(payloads))
                    is_at_end = len(packed) < _GROUP
                if not collection.outstanding and not collection.count:
                    return
                # Replies are taken in groups: each turn costs Python some time.
                collection.enough = min(collection.outstanding // 4 + 1, 256)
                yield collection
                yield [self._reply(pending.pop(each[0]), each) for each in collection.take()]
        finally:
            collection.close()

    def _array_turns(self, lids: Any, attribute: Name, modifiers: Any, values: Mapping[str, Any],
                     timeout_ms: int, retries: int) -> Generator[Any, None, None]:
        numpy = import_numpy()

        number = attributes.attribute_number(self.mgmt_class, attribute)
        _arguments.timing(timeout_ms, retries)
        lids = numpy.asarray(lids)
        if lids.ndim != 1 or lids.size and not 0 <= lids.min() <= lids.max() <= 0xFFFF:
            raise ValueError("lids has to be one row of numbers of 0 to 65535")
        lids = lids.astype(numpy.uint16)
        requests = numpy.zeros(len(lids), dtype=_request_dtype(numpy))
        requests["tag"] = numpy.arange(len(lids))
        requests["attr_mod"] = modifiers
        requests["timeout_ms"] = timeout_ms
        requests["retries"] = retries
        requests["attr_id"] = number
        requests["lid"] = lids
        requests["method"] = GET
        requests["pkey_index"] = self.subnet.pkey_index
        collection = self._collection()
        try:
            payloads = numpy.zeros((len(lids), collection.payload_bytes), dtype=numpy.uint8)
            for name, value in values.items():
                _set_column(numpy, payloads, attributes.field(self.mgmt_class, number, name), value)
            columns = [each for each in attributes.fields(self.mgmt_class, number)
                       if each.is_number]
            decoded = numpy.zeros((len(lids), len(columns)), dtype=numpy.uint64)
            outcomes = numpy.zeros(len(lids), dtype=_outcome_dtype(numpy))
            collection.add(requests, len(lids), payloads)
            while collection.outstanding or collection.count:
                collection.enough = min(collection.outstanding, _GROUP)
                yield collection
                taken = numpy.frombuffer(
                    collection.take_fields(self._offset, [each.pointer for each in columns],
                                           decoded, len(lids)), dtype=outcomes.dtype)
                outcomes[taken["tag"]] = taken
        finally:
            collection.close()
        array = numpy.zeros(len(lids), dtype=[("lid", "u2"), ("errno", "i4"), ("status", "u2"),
                                              ("rtt_ns", "u8"),
                                              *((each.name, "u8") for each in columns)])
        array["lid"] = lids
        array["errno"] = -outcomes["status"]
        array["status"] = outcomes["mad_status"]
        array["rtt_ns"] = outcomes["rtt_ns"]
        for column, each in enumerate(columns):
            array[each.name] = decoded[:, column]
        yield [array]


class Requests(Results[ReceivedRequest]):
    """The requests that an agent receives, as they come: iterate with `async for` or `for`, without
    end. They are received from the first turn of the loop until it is left, the await is canceled
    or the subnet is closed."""

    def __init__(self, agent: "Agent", mask: int, limit: int):
        super().__init__(agent._loop, self._receive)
        self._agent = agent
        self._mask = mask
        self._limit = limit
        self._server: Optional[Server] = None

    @property
    def dropped(self) -> int:
        """How many requests were lost so far, because too many waited, or because they were longer
        than a MAD."""
        return self._server.dropped if self._server else 0

    def _receive(self) -> Generator[Any, None, None]:
        server = Server(self._agent.subnet, self._agent.mgmt_class, self._agent.oui, self._mask,
                        self._limit)
        self._server = server
        try:
            while True:
                yield server
                yield server.take()
        finally:
            server.close()


def _request_dtype(numpy: Any) -> Any:
    """Returns the layout of struct collect_request."""
    return numpy.dtype({
        "names": ["tag", "component_mask", "attr_mod", "timeout_ms", "retries", "attr_id", "lid",
                  "method", "sl", "hops", "path", "pkey_index"],
        "formats": ["u8", "u8", "u4", "i4", "i4", "u2", "u2", "u1", "u1", "u1", "V64", "u2"],
        "offsets": [0, 8, 16, 20, 24, 28, 30, 32, 33, 34, 36, 120],
        "itemsize": REQUEST.size})


def _outcome_dtype(numpy: Any) -> Any:
    """Returns the layout of struct collect_outcome."""
    return numpy.dtype({
        "names": ["tag", "rtt_ns", "long_reply", "status", "length", "mad_status", "attempts"],
        "formats": ["u8", "u8", "u8", "i4", "u4", "u2", "u2"],
        "offsets": [0, 8, 16, 24, 28, 32, 34],
        "itemsize": OUTCOME.size})


def _set_column(numpy: Any, payloads: Any, field: attributes.Field, value: Any) -> None:
    """Writes a field of all requests. It has to have whole bytes."""
    if field.offset % 8 or field.bits not in (8, 16, 32, 64):
        raise ValueError(f"{field.name} has not whole bytes: set it by Request.data in a stream")
    size = field.bits // 8
    start = field.offset // 8
    column = numpy.broadcast_to(numpy.asarray(value, dtype=f">u{size}"), len(payloads))
    payloads[:, start : start + size] = numpy.frombuffer(
        column.tobytes(), dtype=numpy.uint8).reshape(len(payloads), size)


def _route(to: Union[str, Sequence[int]]) -> bytes:
    """Returns a directed route as it is in an SMP."""
    try:
        path = bytes(int(hop) for hop in to.split(",")) if isinstance(to, str) else bytes(to)
    except (TypeError, ValueError):
        path = b""
    if not 1 <= len(path) <= 64 or path[0]:
        raise ValueError(f"{to!r} is no route: that is 0, and then up to 63 numbers of ports, such "
                         "as \"0,1,3\"")
    return path


def _grh(grh: Optional[Grh], pkey_index: int) -> Tuple[Any, ...]:
    """Returns the last fields of a packed request."""
    if grh is None:
        return 0, b"", pkey_index, 0, 0, 0
    _arguments.instance("grh", grh, Grh, "a madring.Grh")
    return (_arguments.unsigned("the flow label", grh.flow_label, 20),
            ipaddress.IPv6Address(grh.gid).packed, pkey_index, grh.traffic_class, grh.hop_limit,
            grh.gid_index)


def _check_numbers(request: Request) -> None:
    """Raises the error for a number of a request that does not fit."""
    _arguments.unsigned("the attribute modifier", request.modifier, 32)
    _arguments.unsigned("component_mask", request.component_mask, 64)
    _arguments.unsigned("the method", request.method, 8)
    _arguments.number("the SL", request.sl, 0, 15)
    _arguments.timing(request.timeout_ms, request.retries)
    if request.pkey_index is not None:
        _arguments.unsigned("pkey_index", request.pkey_index, 16)


class _Singles(Collection, OneByOne[Request, Reply]):
    """The requests of an agent that are waited for one by one."""

    def __init__(self, agent: Agent):
        OneByOne.__init__(self, agent._loop)
        Collection.__init__(self, agent._loop, agent._agent, agent.mgmt_class, agent._offset,
                            attributes.data_bytes(agent.mgmt_class))
        self.agent = agent
        self.tags = itertools.count()
        self.requests: Dict[int, Request] = {}
        self.places: Dict[int, int] = {}

    def submit(self, request: Request) -> int:
        tag = next(self.tags)
        packed, data = self.agent._pack(tag, request)
        self.add(packed, 1, data.ljust(self.payload_bytes, b"\0"))
        self.requests[tag] = request
        self.places[tag] = self.last_added()
        return tag

    def is_ready(self) -> bool:
        return OneByOne.is_ready(self)

    def give_up(self, tag: int) -> None:
        self.requests.pop(tag, None)
        place = self.places.pop(tag, None)
        if place is not None:
            self.cancel(place, tag)

    def stepped(self) -> None:
        super().stepped()
        if not self.native:
            return
        for outcome in self.take():
            self.places.pop(outcome[0], None)
            request = self.requests.pop(outcome[0], None)
            if request is not None:
                self.settle(outcome[0], self.agent._reply(request, outcome))

    def close(self) -> None:
        super().close()
        self.fail_all()
