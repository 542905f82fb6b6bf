# SPDX-License-Identifier: BSD-2-Clause
"""Queries subnet administration (SA), and subscribes to notices."""
from __future__ import annotations

import errno
import functools
import ipaddress
import itertools
import time
import typing
from typing import (Any, Callable, Dict, Generator, Iterable, Iterator, List, Mapping, Optional,
                    Tuple, Union)

from madring import attributes
from madring._loop import Loop
from madring._native import ffi, lib
from madring._waiting import OneByOne, Result
from madring.agent import Stream
from madring.attributes import SA, Name
from madring.errors import Error, StatusError, check, error_of
from madring.notices import Listener, Notices, subscription_config

if typing.TYPE_CHECKING:
    from madring.subnet import Subnet

#: A record of the SA: its fields by their names.
Record = Dict[str, Any]

_METHODS = {"Get": 0x01, "Set": 0x02, "GetTable": 0x12, "Delete": 0x15}


# The longest time that a port's attributes are not read: the ring, which reads them each second,
# does not do so while it does not run.
_FRESH_SECONDS = 1.0

#: A query, encoded: attribute, method, modifier, record, component mask and timeout.
_Encoded = Tuple[int, int, int, bytes, int, int]


class Answer:
    """The outcome of a query of Administration.queries(). It is true if there is an answer, whose
    .records are a list of dicts. Else .error says why there is none."""

    __slots__ = ("query", "attribute", "errno", "status", "_stride", "_data")

    def __init__(self, query: Any, attribute: int, status: int, mad_status: int, stride: int,
                 data: bytes):
        self.query = query  # what was asked for
        self.attribute = attribute
        self.errno = -status if status and not mad_status else 0
        self.status = mad_status if status else 0  # of the MAD
        self._stride = stride
        self._data = data

    def __bool__(self) -> bool:
        return not self.errno and not self.status

    def __repr__(self) -> str:
        name = attributes.attribute_name(SA, self.attribute)
        return f"<madring.Answer {name}: {self.error or f'{len(self)} records'}>"

    def __len__(self) -> int:
        """The number of records."""
        return len(self._data) // self._stride if self._stride else 0

    @property
    def error(self) -> Optional[Error]:
        """Why there is no answer: an Error such as that of ETIMEDOUT, or a StatusError."""
        if self.errno == errno.ENETUNREACH:
            return Error(errno.ENETUNREACH, "the subnet has no subnet manager")
        if self.errno:
            return error_of(-self.errno)
        return StatusError(SA, self.status) if self.status else None

    def check(self) -> "Answer":
        """Returns the answer, or raises its error."""
        error = self.error
        if error:
            raise error
        return self

    def __iter__(self) -> Iterator[Record]:
        """Goes through the records. Raises the error if there is no answer."""
        self.check()
        for start in range(0, len(self._data), self._stride or 1):
            yield attributes.unpack(SA, self.attribute, self._data[start : start + self._stride])

    @property
    def records(self) -> List[Record]:
        """All records. Raises the error if there is no answer."""
        return list(self)


class _Questions(OneByOne[_Encoded, Answer]):
    """Queries and their answers: the Python side of native/question.h."""

    def __init__(self, loop: Loop, sa: Any, most: int = 0):
        super().__init__(loop)
        place = ffi.new("struct questions **")
        check(lib.questions_open(sa, loop.ring, most, place))
        self.native = place[0]
        self.tags = itertools.count()
        self.asked: Dict[int, Tuple[Any, Any]] = {}  # the question, and what was asked for
        self.enough = 1
        loop.add(self)

    def submit(self, request: _Encoded, query: Any = None) -> int:
        self.loop.check_usable()
        attribute, method, modifier, record, mask, timeout_ms = request
        tag = next(self.tags)
        place = ffi.new("struct question **")
        check(lib.questions_add(self.native, tag, attribute, method, modifier, record, len(record),
                                mask, timeout_ms, place))
        self.asked[tag] = place[0], query
        return tag

    def give_up(self, tag: int) -> None:
        question, _ = self.asked.pop(tag, (None, None))
        if question and self.native and self.loop.ring:
            lib.question_cancel(self.native, question)

    @property
    def outstanding(self) -> int:
        return int(lib.questions_outstanding(self.native) if self.native else 0)

    @property
    def is_stopped(self) -> bool:
        """Whether nothing can be asked any more, as after an error of the ring."""
        return not self.native or lib.questions_are_stopped(self.native)

    def run(self, timeout_ms: int) -> int:
        return int(lib.questions_run(self.native, self.enough, timeout_ms))

    def take(self) -> List[Tuple[int, Answer]]:
        """Returns the tags and the answers that are there, and drops them."""
        answers: List[Tuple[int, Answer]] = []
        while True:
            question = lib.questions_take(self.native)
            if not question:
                return answers
            tag = question.tag
            if tag in self.asked:
                _, query = self.asked.pop(tag)
                size = question.count * question.stride
                data = bytes(ffi.buffer(question.records, size)) if size else b""
                answers.append((tag, Answer(query, question.attr_id, question.status,
                                            question.mad_status, question.stride, data)))
            lib.question_free(question)

    def stepped(self) -> None:
        if not self.native:
            return
        lib.questions_settle(self.native)
        for tag, answer in self.take():
            self.settle(tag, answer)

    def close(self) -> None:
        native, self.native = self.native, None
        if native:
            self.loop.remove(self)
            if self.loop.ring:
                lib.questions_close(native)
        self.fail_all()


class _Stream(_Questions):
    """The queries of Administration.queries(), whose answers are taken many at a time."""

    def is_ready(self) -> bool:
        if not self.native:
            raise error_of(-errno.ESHUTDOWN)
        return lib.questions_answered(self.native) >= self.enough or not self.outstanding

    def stepped(self) -> None:
        if self.native:
            lib.questions_settle(self.native)


class Query(Result[List[Record]]):
    """A query that is sent when it is awaited, or by result(). A canceled await cancels it."""

    def __init__(self, administration: "Administration", encode: Callable[[], _Encoded]):
        self._administration = administration
        self._encode = encode

    async def _wait(self) -> List[Record]:
        questions = self._administration._singles()
        return (await questions.wait_one(self._encode())).records

    def result(self) -> List[Record]:
        """Sends the query, runs the ring until there is an answer, and returns its records."""
        return self._administration._singles().run_one(self._encode()).records


@functools.lru_cache(maxsize=None)
def _component(attribute: int, name: str) -> int:
    """Returns the bits of a component in the mask. Raises KeyError for an unknown one."""
    bits = lib.madring_component(attribute, name.encode())
    if not bits:
        raise KeyError(f"{attributes.attribute_name(SA, attribute)} has no component {name}")
    return int(bits)


def _encode(attribute: Name, method: Name, modifier: int, timeout_ms: int,
            components: Mapping[str, Any]) -> _Encoded:
    number = attributes.attribute_number(SA, attribute)
    mask = 0
    for name in components:
        mask |= _component(number, name)
    return (number, attributes.method_number(method, _METHODS), modifier,
            attributes.pack(SA, number, components), mask, timeout_ms)


class Administration:
    """The SA of a subnet, which is followed when the subnet manager moves. It is Subnet.sa."""

    def __init__(self, subnet: "Subnet"):
        subnet._loop.check_usable()
        place = ffi.new("struct madring_sa **")
        check(lib.madring_sa_open(subnet._native, ffi.NULL, place))
        self._native = place[0]
        self._loop = subnet._loop
        self._one: Optional[_Questions] = None
        self._read_at = time.monotonic()

    @property
    def sm_lid(self) -> int:
        """The LID of the subnet manager; 0: there is none."""
        native = self._usable()
        self._refresh()
        state = ffi.new("struct madring_sa_state *")
        lib.madring_sa_get_state(native, state)
        return int(state.sm_lid)

    def query(self, attribute: Name, *, method: Name = "GetTable", modifier: int = 0,
              timeout_ms: int = 0, **components: Any) -> Query:
        """Asks for the records with these components: `await subnet.sa.query("PathRecord", SLID=1,
        DLID=2)`. The result is a list of dicts, of all records without components. Raises Error
        without an answer, StatusError if the SA refuses, and KeyError for an unknown component."""
        return Query(self, lambda: _encode(attribute, method, modifier, timeout_ms, components))

    def records(self, attribute: Name, *, method: Name = "GetTable", modifier: int = 0,
                timeout_ms: int = 0, **components: Any) -> Stream[Record]:
        """Asks as query() does, and yields one record after another: `async for path in
        subnet.sa.records("PathRecord", DLID=4)`. Each is decoded when its turn comes, so a long
        table takes less memory, and may be left early."""
        return Stream(self._loop, lambda: self._record_turns(
            _encode(attribute, method, modifier, timeout_ms, components)))

    def queries(self, attribute: Name, queries: Iterable[Mapping[str, Any]], *,
                method: Name = "GetTable", modifier: int = 0, timeout_ms: int = 0,
                most: int = 256) -> Stream[Answer]:
        """Sends many queries, and has their Answers as they come: `async for answer in
        subnet.sa.queries("PathRecord", ({"SLID": one, "DLID": other} for ...))`. @queries, which
        has the components of each, is read as there is room, so it may be a generator without end.
        @most: how many are in flight at once. An answer's .query is the item of @queries."""
        return Stream(self._loop, lambda: self._answer_turns(
            iter(queries), most,
            lambda components: _encode(attribute, method, modifier, timeout_ms, components)))

    def node_records(self) -> Query:
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
        """Closes the SA: queries in flight are canceled, and notices unsubscribed, which takes 1 s
        at most. Subnet.close() does it, too."""
        if not self._native:
            return
        self._loop.check_usable()
        for each in tuple(self._loop.activities):
            if isinstance(each, (Listener, _Questions)):
                each.close()
        native, self._native = self._native, None
        check(lib.madring_sa_close(native))

    def _usable(self) -> Any:
        self._loop.check_usable()
        if not self._native:
            raise Error(errno.ESHUTDOWN, "subnet administration is closed")
        return self._native

    def _refresh(self) -> None:
        check(lib.madring_sa_refresh(self._native))
        self._read_at = time.monotonic()

    def _fresh(self) -> Any:
        """Returns the SA. The ring reads the port's attributes each second while it runs; before a
        query, they may be older, or there may be an SM by now."""
        native = self._usable()
        if time.monotonic() >= self._read_at + _FRESH_SECONDS or not self._has_manager():
            self._refresh()
        return native

    def _has_manager(self) -> bool:
        state = ffi.new("struct madring_sa_state *")
        lib.madring_sa_get_state(self._native, state)
        return bool(state.sm_lid)

    def _singles(self) -> _Questions:
        native = self._fresh()
        if self._one is None or self._one.is_stopped:
            self._one = _Questions(self._loop, native)
        return self._one

    def _record_turns(self, encoded: _Encoded) -> Generator[Any, None, None]:
        for turn in self._answer_turns(iter([{}]), 1, lambda _: encoded):
            if isinstance(turn, list):
                for answer in turn:
                    yield answer
            else:
                yield turn

    def _answer_turns(self, queries: Iterator[Mapping[str, Any]], most: int,
                      encode: Callable[[Mapping[str, Any]], _Encoded]
                      ) -> Generator[Any, None, None]:
        """Yields answers, many at a time, and the queries where they have to be waited for."""
        if most < 1:
            raise ValueError(f"most is {most}: at least 1 query has to be in flight")
        stream = _Stream(self._loop, self._fresh(), most)
        is_at_end = False
        try:
            while True:
                # As many wait as are in flight, so that Python is not on their way.
                while not is_at_end and stream.outstanding < 2 * most:
                    query = next(queries, None)
                    if query is None:
                        is_at_end = True
                    else:
                        stream.submit(encode(query), query)
                if not stream.outstanding and not lib.questions_answered(stream.native):
                    return
                stream.enough = min(stream.outstanding // 4 + 1, 256)
                yield stream
                yield [answer for _, answer in stream.take()]
        finally:
            stream.close()
