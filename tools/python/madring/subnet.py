# SPDX-License-Identifier: BSD-2-Clause
"""The way to a subnet: a ring, the local port, and an agent for each management class."""
from __future__ import annotations

import atexit
import errno
import functools
import os
import threading
import warnings
import weakref
from types import TracebackType
from typing import (Any, AsyncIterator, Callable, Dict, Generator, Iterable, Iterator, List,
                    Mapping, Optional, Sequence, Tuple, Type, Union)

from madring import _arguments, attributes
from madring._loop import Activity, Loop, drive, drive_async
from madring._native import ffi, lib
from madring._waiting import Result
from madring.administration import Administration
from madring.capture import Capture
from madring.agent import Agent, Array, Call, Reply, Request, Stream, To, import_numpy
from madring.attributes import Name
from madring.errors import Error, check, error_of, make_error
from madring.fabric import Fabric, FoundNode, Node, Port
from madring.stats import Stats, stats_of
from madring.tables import LinearTable, MulticastTable, table_turns

_LINK_UP = 5

_open: "weakref.WeakSet[Subnet]" = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for subnet in tuple(_open):
        if subnet._loop.thread == threading.get_ident():
            subnet.close()


class PerformanceAgent(Agent):
    """Sends requests of performance management."""

    def counters(self, to: To, port: int, attribute: Name = "PortCountersExtended",
                 **options: Any) -> Call[Reply]:
        """Gets counters of a port: `await subnet.pma.counters(lid, 1)`."""
        return self.get(to, attribute, 0, {"PortSelect": port}, **options)


class _Exploration(Activity):
    """A sweep that goes on: the Python side of native/explore.h."""

    def __init__(self, subnet: "Subnet", config: Any):
        subnet._loop.check_usable()
        place = ffi.new("struct exploration **")
        check(lib.explore_open(subnet._native, config, place))
        self.native = place[0]
        self.loop = subnet._loop
        self.enough = 1
        self.loop.add(self)

    def is_ready(self) -> bool:
        if not self.native:
            raise Error(errno.ESHUTDOWN, "the subnet was closed")
        return bool(lib.explore_count(self.native) >= self.enough
                    or lib.explore_is_done(self.native))

    def run(self, timeout_ms: int) -> int:
        return int(lib.explore_run(self.native, self.enough, timeout_ms))

    def take(self) -> List[FoundNode]:
        nodes = lib.explore_nodes(self.native)
        types = {1: "ca", 2: "switch", 3: "router"}
        found = [FoundNode(node.guid, node.port_guid, types.get(node.type, "unknown"),
                           node.port_count, bytes(ffi.buffer(node.path, node.hops + 1)))
                 for node in nodes[0:lib.explore_count(self.native)]] if nodes else []
        lib.explore_taken(self.native)
        return found

    def finish(self) -> Fabric:
        """Ends the sweep, and returns what it found."""
        place = ffi.new("struct madring_fabric **")
        native, self.native = self.native, None
        self.loop.remove(self)
        error = lib.explore_close(native, place)
        if not place[0]:
            raise error_of(error)
        fabric = Fabric(place[0])
        check(error)
        return fabric

    def close(self) -> None:
        native, self.native = self.native, None
        if native and self.loop.ring:
            self.loop.remove(self)
            lib.explore_close(native, ffi.NULL)


class Sweep(Result[Fabric]):
    """A sweep: await it or call result() for the Fabric, or iterate with `for` or `async for` over
    the nodes as they answer; .fabric is set afterwards. Each way sweeps once."""

    def __init__(self, subnet: "Subnet", options: Mapping[str, int],
                 earlier: Optional[Fabric] = None, look_at: Optional[Sequence[Node]] = None):
        _arguments.unsigned("m_key", options.get("m_key", 0), 64)
        _arguments.number("deadline_ms (0: none)", options.get("deadline_ms", 0), 0, (1 << 31) - 1)
        for node in look_at or ():
            _arguments.instance("a node to look at", node, Node, "a Node of the earlier fabric")
            if node.fabric is not earlier:
                raise ValueError(f"{node!r} is of another fabric than the earlier one")
        self._subnet = subnet
        self._options = options
        self._earlier = earlier
        self._look_at = look_at
        self.fabric: Optional[Fabric] = None

    def _turns(self, enough: int) -> Generator[Any, None, None]:
        config = ffi.new("struct madring_sweep_config *", self._options)
        nodes = ffi.new("const struct madring_node *[]",
                        [node._node for node in self._look_at or ()])
        if self._earlier:
            config.earlier = self._earlier._fabric
            config.look_at = ffi.NULL if self._look_at is None else nodes
            config.look_at_count = len(nodes)
        is_doubtful = yield from self._explore(config, enough)
        if is_doubtful:
            yield from self._explore(ffi.new("struct madring_sweep_config *", self._options),
                                     enough)

    def _explore(self, config: Any, enough: int) -> Generator[Any, None, bool]:
        """Sweeps, and sets .fabric. Returns True if the whole fabric has to be discovered."""
        exploration = _Exploration(self._subnet, config)
        exploration.enough = enough
        try:
            while True:
                yield exploration
                yield exploration.take()
                if lib.explore_is_done(exploration.native):
                    is_doubtful = lib.explore_is_doubtful(exploration.native)
                    error = lib.explore_error(exploration.native)
                    self.fabric = exploration.finish()
                    check(error)
                    return bool(is_doubtful)
        finally:
            exploration.close()

    def __iter__(self) -> Iterator[FoundNode]:
        return self._iterate(1)

    def _iterate(self, enough: int) -> Iterator[FoundNode]:
        turns = self._turns(enough)
        try:
            yield from drive(self._subnet._loop, turns)
        finally:
            turns.close()

    def __aiter__(self) -> AsyncIterator[FoundNode]:
        return self._iterate_async(1)

    async def _iterate_async(self, enough: int) -> AsyncIterator[FoundNode]:
        turns = self._turns(enough)
        try:
            async for node in drive_async(self._subnet._loop, turns):
                yield node
        finally:
            turns.close()

    async def _wait(self) -> Fabric:
        async for _ in self._iterate_async(1 << 40):
            pass
        assert self.fabric
        return self.fabric

    def result(self) -> Fabric:
        """Sweeps, and returns the fabric."""
        for _ in self._iterate(1 << 40):
            pass
        assert self.fabric
        return self.fabric


class Subnet:
    """The way to a subnet, which madring.open() opens. A context manager of both kinds."""

    def __init__(self, ca_name: Optional[str] = None, port: int = 0, *, pkey_index: int = 0,
                 timeout_ms: int = 0, retries: int = 0, in_flight: int = 0, queue_us: int = 0,
                 patience_ms: int = 0, window: int = 0, flow_window: int = 0):
        for what, value, bits in (
                ("pkey_index", pkey_index, 16), ("in_flight", in_flight, 32),
                ("queue_us", queue_us, 32), ("patience_ms", patience_ms, 32),
                ("window", window, 32), ("flow_window", flow_window, 32)):
            _arguments.unsigned(what, value, bits)
        _arguments.number("port (0: any)", port, 0, 255)
        _arguments.timing(timeout_ms, retries)
        if ca_name is not None:
            _arguments.text("ca_name, the name of a device,", ca_name)
        config = ffi.new("struct madring_subnet_config *")
        failure = ffi.new("struct madring_subnet_failure *")
        name = ffi.new("char[]", ca_name.encode()) if ca_name else ffi.NULL
        config.ca_name = name
        config.port = port
        config.pkey_index = pkey_index
        config.timeout_ms = timeout_ms
        config.retries = retries
        config.in_flight = in_flight
        config.queue_us = queue_us
        config.patience_ms = patience_ms
        config.window = window
        config.flow_window = flow_window
        config.failure = failure
        place = ffi.new("struct madring_subnet **")
        error = lib.madring_subnet_open(config, place)
        if error:
            text = ffi.string(failure.text).decode(errors="replace")
            raise make_error(-error, text) if text else error_of(error)
        self._native = place[0]
        self._loop = Loop(lib.madring_subnet_ring(self._native))
        self._agents: Dict[Tuple[int, int], Agent] = {}
        self._administration: Optional[Administration] = None
        self.pkey_index = pkey_index
        _open.add(self)

    def __enter__(self) -> "Subnet":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        self.close()

    async def __aenter__(self) -> "Subnet":
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                        traceback: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_native", None):
            warnings.warn(f"unclosed {self!r}", ResourceWarning, source=self)
            if self._loop.thread == threading.get_ident():
                self.close()

    def __reduce__(self) -> Tuple[Any, ...]:
        raise TypeError("a Subnet cannot be pickled: open one in each process")

    def __repr__(self) -> str:
        if not self._native:
            return "<madring.Subnet: closed>"
        return f"<madring.Subnet: {self.ca_name} port {self.port_number}>"

    def close(self) -> None:
        """Closes the subnet, and cancels what is outstanding. May be called again."""
        if not self._native:
            return
        self._loop.check_usable()
        if self._administration:
            self._administration.close()
        native, self._native = self._native, None
        _open.discard(self)
        self._agents.clear()
        self._loop.close()
        check(lib.madring_subnet_close(native))

    def _port(self) -> Any:
        self._loop.check_usable()
        return lib.madring_subnet_port(self._native, attributes.PMA)

    @property
    def ca_name(self) -> str:
        """The name of the local device."""
        return str(ffi.string(lib.madring_port_ca_name(self._port())).decode())

    @property
    def port_number(self) -> int:
        """The number of the local port."""
        return int(lib.madring_port_number(self._port()))

    @property
    def driver(self) -> str:
        """How the ring moves MADs: "io_uring", or "plain system calls" and why."""
        self._loop.check_usable()
        return str(ffi.string(lib.madring_driver_text(self._loop.ring)).decode())

    @property
    def stats(self) -> Stats:
        """What the ring has done so far."""
        self._loop.check_usable()
        return stats_of(self._loop.ring)

    def capture(self, path: Union[str, "os.PathLike[str]"], *, max_bytes: int = 0,
                rotate: bool = False, mad_bytes: int = 0) -> Capture:
        """Writes all MADs from now on to a file for Wireshark, which only its owner may read:
        `with subnet.capture("mads.pcapng"): ...`. @max_bytes: of the file, 64 MiB by default. A
        full file ends the capture, or with @rotate is renamed. @mad_bytes: the most of a MAD."""
        return Capture(self, path, max_bytes, rotate, mad_bytes)

    def agent(self, mgmt_class: Name, *, oui: int = 0) -> Agent:
        """Returns the agent for a management class, such as "SMP", "PMA" or 0x04. The vendor
        classes 0x30 to 0x4f are a vendor's by its OUI: agent(0x32, oui=0x001405)."""
        number = attributes.class_number(mgmt_class)
        _arguments.unsigned("oui", oui, 24)
        if (number in attributes.OUI_CLASSES) != bool(oui):
            raise ValueError(f"class 0x{number:02x} " + (
                "has no OUI" if oui else "needs the OUI of its vendor, such as oui=0x001405"))
        if (number, oui) not in self._agents:
            kind = PerformanceAgent if number == attributes.PMA else Agent
            self._agents[number, oui] = kind(self, number, oui)
        return self._agents[number, oui]

    @property
    def smp(self) -> Agent:
        """The agent for subnet management by LID."""
        return self.agent(attributes.SMP)

    @property
    def directed(self) -> Agent:
        """The agent for subnet management by directed routes."""
        return self.agent(attributes.SMP_DIRECTED)

    @property
    def pma(self) -> PerformanceAgent:
        """The agent for performance management."""
        agent = self.agent(attributes.PMA)
        assert isinstance(agent, PerformanceAgent)
        return agent

    @property
    def sa(self) -> Administration:
        """Subnet administration."""
        self._loop.check_usable()
        if not self._administration:
            self._administration = Administration(self)
        return self._administration

    def sweep(self, *, lid_routed: bool = False, m_key: int = 0, deadline_ms: int = 0) -> Sweep:
        """Discovers the fabric."""
        return Sweep(self, {"lid_routed": lid_routed, "m_key": m_key, "deadline_ms": deadline_ms})

    def update(self, earlier: Fabric, nodes: Optional[Iterable[Node]] = None, *, m_key: int = 0,
               deadline_ms: int = 0) -> Sweep:
        """Looks again at nodes of an earlier fabric, such as those that notices name, and takes all
        others from it: `fabric = await subnet.update(fabric, [node])`. This takes few requests.
        Without nodes, it looks at all switches. Changes elsewhere are not seen. If what it finds
        contradicts the earlier fabric, it discovers the whole one, and tells of its nodes again."""
        _arguments.instance("the earlier fabric", earlier, Fabric, "a Fabric")
        return Sweep(self, {"m_key": m_key, "deadline_ms": deadline_ms}, earlier,
                     None if nodes is None else list(nodes))

    def counters(self, ports: Union[Fabric, Iterable[Port]],
                 attribute: Name = "PortCountersExtended",
                 **options: int) -> Stream[Tuple[Port, Reply]]:
        """Gets the counters of ports: of those given, or of all of a fabric with a link. Iterate
        with `for` or `async for` over pairs of a port and its Reply, as they come."""
        return Stream(self._loop, functools.partial(self._counter_turns, ports, attribute, options))

    def _counter_turns(self, ports: Union[Fabric, Iterable[Port]], attribute: Name,
                       options: Mapping[str, Any]) -> Generator[Any, None, None]:
        select = functools.lru_cache(maxsize=None)(self._select)
        turns = self.pma._stream_turns(
            Request(port.lid, attribute, 0, select(attribute, port.number), tag=port, **options)
            for port in counted_ports(ports))
        try:
            for turn in turns:
                if isinstance(turn, list):
                    yield [(reply.request.tag, reply) for reply in turn]
                else:
                    yield turn
        finally:
            turns.close()

    def _select(self, attribute: Name, number: int) -> bytes:
        mgmt_class = attributes.PMA
        return attributes.pack(mgmt_class, attributes.attribute_number(mgmt_class, attribute),
                               {"PortSelect": number})

    def linear_tables(self, switches: Union[Fabric, Iterable[Node]],
                      **options: int) -> Stream[LinearTable]:
        """Reads the linear forwarding tables of switches: of those given, or of all of a fabric.
        Iterate with `for` or `async for` over tables as they come; a switch that does not answer
        has one, too, with an .error. Options: m_key (for switches that have none in the fabric),
        directed (by directed routes, and not by LID), timeout_ms, retries and deadline_ms."""
        return Stream(self._loop, self._table_turns(switches, lib.MADRING_TABLE_LINEAR, options))

    def multicast_tables(self, switches: Union[Fabric, Iterable[Node]],
                         **options: int) -> Stream[MulticastTable]:
        """Reads the multicast forwarding tables of switches in the same way."""
        return Stream(self._loop, self._table_turns(switches, lib.MADRING_TABLE_MULTICAST,
                                                    options))

    def _table_turns(self, switches: Union[Fabric, Iterable[Node]], kind: int,
                     options: Dict[str, int]) -> Callable[[], Generator[Any, None, None]]:
        _arguments.only("the reading of tables", options,
                        ("m_key", "directed", "timeout_ms", "retries", "deadline_ms"))
        _arguments.unsigned("m_key", options.get("m_key", 0), 64)
        _arguments.timing(options.get("timeout_ms", 0), options.get("retries", 0))
        _arguments.number("deadline_ms (0: none)", options.get("deadline_ms", 0), 0, (1 << 31) - 1)
        nodes = switches.switches if isinstance(switches, Fabric) else list(switches)
        for node in nodes:
            _arguments.instance("a switch", node, Node, "a Node of a Fabric")
            if not node.is_switch:
                raise ValueError(f"{node!r} is no switch, and has no forwarding table")
        return functools.partial(table_turns, self, nodes, kind, options)

    def counter_array(self, ports: Union[Fabric, Iterable[Port]],
                      attribute: Name = "PortCountersExtended", *, timeout_ms: int = 0,
                      retries: int = 0) -> Array:
        """Gets the same counters as a numpy structured array: await it, or call result(). Besides
        those of Agent.array(), it has the columns node_guid and port."""
        return Array(self._loop, functools.partial(self._counter_array_turns, ports, attribute,
                                                   timeout_ms, retries))

    def _counter_array_turns(self, ports: Union[Fabric, Iterable[Port]], attribute: Name,
                             timeout_ms: int, retries: int) -> Generator[Any, None, None]:
        numpy = import_numpy()

        chosen = [port._port for port in counted_ports(ports)]
        numbers = numpy.array([port.number for port in chosen], dtype=numpy.uint8)
        guids = numpy.array([port.node.guid for port in chosen], dtype=numpy.uint64)
        lids = numpy.array([port.lid for port in chosen], dtype=numpy.uint16)
        turns = self.pma._array_turns(lids, attribute, 0, {"PortSelect": numbers}, timeout_ms,
                                      retries)
        try:
            for turn in turns:
                if not isinstance(turn, list):
                    yield turn
                    continue
                values = turn[0]
                array = numpy.zeros(len(values), dtype=[("node_guid", "u8"), ("port", "u1"),
                                                        *values.dtype.descr])
                array["node_guid"] = guids
                array["port"] = numbers
                for name in values.dtype.names:
                    array[name] = values[name]
                yield [array]
        finally:
            turns.close()


def counted_ports(ports: Union[Fabric, Iterable[Port]]) -> Iterable[Port]:
    """Returns the ports whose counters say something: of a fabric, those with a link and a LID."""
    if not isinstance(ports, Fabric):
        return (_arguments.instance("a port", port, Port, "a Port of a Fabric") for port in ports)
    return [port for port in ports.ports
            if port.number and port.lid and port.physical_state == _LINK_UP]


#: Opens the way to a subnet: `with madring.open() as subnet` or `async with madring.open() as
#: subnet`. The default is the first active port.
open = Subnet  # pylint: disable=redefined-builtin
