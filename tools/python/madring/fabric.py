# SPDX-License-Identifier: BSD-2-Clause
"""The graph of a fabric: nodes, ports and links, as a sweep found them."""
from __future__ import annotations

import errno
import os
import tempfile
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple, Union

from madring._native import ffi, lib
from madring import _arguments, _output
from madring.errors import check, make_error

_TYPES = {1: "ca", 2: "switch", 3: "router"}


def _text(pointer: Any) -> str:
    return str(ffi.string(pointer).decode(errors="replace"))


def _text_if_any(pointer: Any) -> Optional[str]:
    return _text(pointer) if pointer else None


class FoundNode(NamedTuple):
    """A node that has just answered a sweep that still goes on. Fabric.node() has more of it."""

    guid: int
    port_guid: int
    type: str
    port_count: int
    path: bytes


class Problem(NamedTuple):
    """What a sweep could not find out."""

    path: bytes
    text: str
    errno: int  # 0, or why nothing was answered
    status: int  # of the reply


class Counts(NamedTuple):
    """What a fabric has."""

    nodes: int
    switches: int
    cas: int
    routers: int
    ports: int
    links: int
    hops: int


class SwitchInfo(NamedTuple):
    """The SwitchInfo of a switch (IBA 14.2.5.4), as the switch sent it: a top may exceed its cap,
    and a port may not exist."""

    linear_fdb_cap: int
    random_fdb_cap: int
    multicast_fdb_cap: int
    linear_fdb_top: int
    default_port: int
    default_multicast_primary_port: int
    default_multicast_not_primary_port: int
    life_time_value: int
    port_state_change: int
    optimized_sl_to_vl_mapping: int
    lids_per_port: int
    partition_enforcement_cap: int
    inbound_enforcement_cap: int
    outbound_enforcement_cap: int
    filter_raw_inbound_cap: int
    filter_raw_outbound_cap: int
    enhanced_port0: int
    multicast_fdb_top: int


class Node:
    """A node of a fabric."""

    __slots__ = ("fabric", "_node")

    def __init__(self, fabric: "Fabric", node: Any):
        self.fabric = fabric
        self._node = node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and other._node == self._node

    def __hash__(self) -> int:
        return hash(self._node)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _node_of, (self.fabric, self.path)

    def __repr__(self) -> str:
        return f"<madring.Node {self.type} 0x{self.guid:016x} {self.description!r}>"

    @property
    def guid(self) -> int:
        return int(self._node.guid)

    @property
    def system_guid(self) -> int:
        return int(self._node.system_guid)

    @property
    def port_guid(self) -> int:
        """The GUID of the port by which the node was reached first."""
        return int(self._node.port_guid)

    @property
    def description(self) -> str:
        return _text(self._node.description)

    @property
    def type(self) -> str:
        """ "ca", "switch" or "router"."""
        return _TYPES.get(lib.explore_node_type(self._node), "unknown")

    @property
    def is_switch(self) -> bool:
        return self.type == "switch"

    @property
    def vendor_id(self) -> int:
        return int(self._node.vendor_id)

    @property
    def device_id(self) -> int:
        return int(self._node.device_id)

    @property
    def port_count(self) -> int:
        return int(self._node.port_count)

    @property
    def path(self) -> bytes:
        """The directed route from the local port; path[0] is 0."""
        return bytes(ffi.buffer(self._node.path, self._node.hops + 1))

    @property
    def lid(self) -> int:
        """The LID of the port that answers for the node; 0 without one."""
        port = lib.madring_node_end_port(self._node)
        return int(port.lid if port else 0)

    @property
    def switch_info(self) -> Optional[SwitchInfo]:
        """The SwitchInfo of a switch; None of other nodes, and if it is not known."""
        info = ffi.new("struct madring_switch_info *")
        if lib.madring_node_get_switch_info(self._node, info):
            return None
        return SwitchInfo(*(getattr(info, name) for name in SwitchInfo._fields))

    def port(self, number: int) -> "Port":
        """Returns a port by its number. Raises IndexError if the node has none."""
        _arguments.number("the number of a port", number, 0, 255)
        port = lib.madring_node_port_by_number(self._node, number)
        if not port:
            raise IndexError(f"the node has no port {number}")
        return Port(self.fabric, port)

    @property
    def ports(self) -> List["Port"]:
        """The ports that were found, in the order of their numbers."""
        every = (lib.madring_node_port_by_number(self._node, number)
                 for number in range(self.port_count + 1))
        return [Port(self.fabric, port) for port in every if port and port.found]


class Port:
    """A port of a node."""

    __slots__ = ("fabric", "_port")

    def __init__(self, fabric: "Fabric", port: Any):
        self.fabric = fabric
        self._port = port

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Port) and other._port == self._port

    def __hash__(self) -> int:
        return hash(self._port)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _port_of, (self.fabric, self.path, self.number)

    def __repr__(self) -> str:
        return f"<madring.Port {self.node.description!r} {self.number}>"

    @property
    def node(self) -> Node:
        return Node(self.fabric, self._port.node)

    @property
    def number(self) -> int:
        return int(self._port.number)

    @property
    def peer(self) -> Optional["Port"]:
        """The other end of the link."""
        return Port(self.fabric, self._port.peer) if self._port.peer else None

    @property
    def guid(self) -> int:
        return int(self._port.guid)

    @property
    def lid(self) -> int:
        """The LID of MADs to the port. A switch has one for all its ports."""
        return int(self._port.lid)

    @property
    def lmc(self) -> int:
        return int(self._port.lmc)

    @property
    def path(self) -> bytes:
        """The directed route to the node of the port."""
        return self.node.path

    @property
    def known(self) -> bool:
        """Whether its PortInfo came."""
        return bool(self._port.known)

    @property
    def state(self) -> int:
        """PortState: 1 down, 2 initialize, 3 armed, 4 active."""
        return int(self._port.state)

    @property
    def physical_state(self) -> int:
        """PortPhysicalState: 2 polling, 3 disabled, 5 link up."""
        return int(self._port.physical_state)

    @property
    def width(self) -> str:
        """LinkWidthActive, such as "4x"."""
        return _text(lib.madring_link_width_text(self._port.width))

    @property
    def speed(self) -> str:
        """The active speed, such as "HDR"."""
        return _text(lib.madring_link_speed_text(self._port))

    @property
    def is_slow(self) -> bool:
        """Whether the link works with less than both its ends support: fewer lanes, or a lower
        speed. False in a fabric of load(), which does not tell what ports support."""
        return bool(lib.madring_link_is_slow(self._port))

    @property
    def capability_mask(self) -> int:
        return int(self._port.capability_mask)


class Difference(NamedTuple):
    """A difference of two fabrics; str() tells it in words."""

    #: "node_gone", "node_added", "node_changed", "port_changed", "link_gone" or "link_added".
    kind: str
    #: What of a node or a port has changed, such as "width", and its text in the old fabric and in
    #: the new one, such as "4x" and "1x". None with the other kinds.
    change: Optional[str]
    old_value: Optional[str]
    value: Optional[str]
    #: The node in the old fabric and in the new one; None where it is not. Of a link, the node of
    #: the port below.
    old_node: Optional[Node]
    node: Optional[Node]
    #: The port in the old fabric and in the new one. Of a link, one of its ends.
    old_port: Optional[Port]
    port: Optional[Port]
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def link(self) -> Optional[Tuple[Port, Port]]:
        """Both ends of a link that is gone or was added; None with the other kinds."""
        end = {"link_gone": self.old_port, "link_added": self.port}.get(self.kind)
        return (end, end.peer) if end and end.peer else None


class _Comparison:
    """The differences of two fabrics, as the library finds them."""

    def __init__(self, old: "Fabric", now: "Fabric"):
        self.old = old
        self.now = now
        self.found: List[Difference] = []
        self.error: Optional[BaseException] = None
        self.space = ffi.new("char[]", lib.MADRING_DIFFERENCE_TEXT_BYTES)

    def run(self) -> List[Difference]:
        handle = ffi.new_handle(self)
        result = lib.madring_fabric_compare(self.old._fabric, self.now._fabric,
                                            lib.see_difference, handle)
        if self.error:
            raise self.error
        check(result)
        return self.found

    def add(self, difference: Any) -> None:
        self.found.append(Difference(
            _text(lib.madring_difference_name(difference.kind)),
            _text_if_any(difference.change_name),
            _text_if_any(difference.old_value),
            _text_if_any(difference.value),
            Node(self.old, difference.old_node) if difference.old_node else None,
            Node(self.now, difference.node) if difference.node else None,
            Port(self.old, difference.old_port) if difference.old_port else None,
            Port(self.now, difference.port) if difference.port else None,
            _text(lib.madring_difference_text(difference, self.space))))


@ffi.def_extern()  # type: ignore[misc]
def see_difference(user: Any, difference: Any) -> int:
    """Takes a difference. An exception, such as that of a signal, ends the comparison."""
    comparison = ffi.from_handle(user)
    try:
        comparison.add(difference)
    except BaseException as error:  # pylint: disable=broad-except
        comparison.error = error
        return -errno.ECANCELED
    return 0


class Fabric:
    """The graph of a fabric. Get it from Subnet.sweep() or load()."""

    def __init__(self, native: Any):
        self._fabric = ffi.gc(native, lib.madring_fabric_free)

    def __repr__(self) -> str:
        return f"<madring.Fabric: {len(self)} nodes>"

    def __len__(self) -> int:
        """The number of nodes."""
        return int(lib.madring_fabric_node_count(self._fabric))

    def __iter__(self) -> Iterator[Node]:
        """Goes through the nodes in canonical order: breadth first, by port number."""
        for place in range(len(self)):
            yield Node(self, lib.madring_fabric_node(self._fabric, place))

    @property
    def nodes(self) -> List[Node]:
        return list(self)

    @property
    def switches(self) -> List[Node]:
        return [node for node in self if node.is_switch]

    @property
    def ports(self) -> List[Port]:
        """All ports that were found."""
        return list(self._each(lib.madring_fabric_port))

    @property
    def links(self) -> List[Tuple[Port, Port]]:
        """All links, each once."""
        return [(port, Port(self, port._port.peer))
                for port in self._each(lib.madring_fabric_link)]

    def _each(self, after: Any) -> Iterator[Port]:
        port = after(self._fabric, ffi.NULL)
        while port:
            yield Port(self, port)
            port = after(self._fabric, port)

    def counts(self) -> Counts:
        counts = ffi.new("struct madring_fabric_counts *")
        lib.madring_fabric_get_counts(self._fabric, counts)
        return Counts(*(getattr(counts, name) for name in Counts._fields))

    def node(self, which: Union[int, str]) -> Node:
        """Returns a node by its GUID, by its description, or by a route such as "0,1,3". Raises
        KeyError."""
        if not isinstance(which, str):
            guid = _arguments.unsigned("a node, by GUID, description or route,", which, 64)
            node = lib.madring_fabric_node_by_guid(self._fabric, guid)
        else:
            node = (lib.madring_fabric_node_by_name(self._fabric, which.encode())
                    or lib.madring_fabric_node_by_route(self._fabric, which.encode()))
        if not node:
            name = which if isinstance(which, str) else f"0x{which:016x}"
            raise KeyError(f"the fabric has no node {name!r}")
        return Node(self, node)

    def port_by_lid(self, lid: int) -> Port:
        """Returns the port with a LID, which of a switch is port 0. Raises KeyError."""
        _arguments.unsigned("a LID", lid, 16)
        return self._found(lib.madring_fabric_port_by_lid(self._fabric, lid), f"LID {lid}")

    def port_by_guid(self, guid: int) -> Port:
        """Returns the port with a GUID, which of a switch is port 0. Raises KeyError."""
        _arguments.unsigned("a GUID", guid, 64)
        return self._found(lib.madring_fabric_port_by_guid(self._fabric, guid),
                           f"GUID 0x{guid:016x}")

    def _found(self, port: Any, what: str) -> Port:
        if not port:
            raise KeyError(f"the fabric has no port with {what}")
        return Port(self, port)

    @property
    def local_port(self) -> Optional[Port]:
        """The port from which the fabric was discovered."""
        port = lib.madring_fabric_local_port(self._fabric)
        return Port(self, port) if port else None

    @property
    def is_complete(self) -> bool:
        """Whether the sweep has found everything."""
        return bool(lib.madring_fabric_is_complete(self._fabric))

    @property
    def recalled(self) -> int:
        """How many requests Subnet.update() answered from the earlier fabric; 0 after a sweep."""
        return int(lib.explore_recalled(self._fabric))

    @property
    def problems(self) -> List[Problem]:
        """What the sweep could not find out, such as nodes that did not answer."""
        text = ffi.new("char[]", lib.MADRING_PROBLEM_TEXT_BYTES)
        found = []
        for place in range(lib.madring_fabric_problem_count(self._fabric)):
            problem = lib.madring_fabric_problem(self._fabric, place)
            lib.madring_problem_text(problem, text)
            found.append(Problem(bytes(ffi.buffer(problem.path, problem.hops + 1)), _text(text),
                                 -problem.error, problem.status))
        return found

    def differences_since(self, old: "Fabric") -> List[Difference]:
        """Returns what has changed since an older sweep: `now.differences_since(old)`. The order is
        always the same: nodes that are gone or have changed, each with its ports; nodes that were
        added; links that are gone; links that were added. Routes are not compared. What an
        incomplete fabric lacks counts as gone or added: see is_complete."""
        return _Comparison(_arguments.instance("the older fabric", old, Fabric, "a Fabric"),
                           self).run()

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the fabric to a file, for load(). A failure leaves an old file as it was."""
        try:
            with _output.replaced(os.fsdecode(path)) as written:
                error = lib.explore_save(self._fabric, os.fsencode(written))
                if error:
                    raise OSError(-error, os.strerror(-error))
        except OSError as failure:
            number = failure.errno or errno.EIO
            raise make_error(number, os.strerror(number), os.fspath(path)) from failure

    def __reduce__(self) -> Tuple[Any, ...]:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "fabric")
            self.save(path)
            with open(path, "rb") as file:
                return _fabric_of, (file.read(),)


def _fabric_of(saved: bytes) -> Fabric:
    """Returns the fabric that Fabric.__reduce__() saved."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "fabric")
        with open(path, "wb") as file:
            file.write(saved)
        return load(path)


def _node_of(fabric: Fabric, path: bytes) -> Node:
    return fabric.node(",".join(map(str, path)))


def _port_of(fabric: Fabric, path: bytes, number: int) -> Port:
    return _node_of(fabric, path).port(number)


def load(path: Union[str, "os.PathLike[str]"]) -> Fabric:
    """Reads a fabric that Fabric.save() or madring-sweep --json wrote."""
    place = ffi.new("struct madring_fabric **")
    text = ffi.new("char[]", lib.MADRING_LOAD_TEXT_BYTES)
    error = lib.madring_fabric_load(os.fsencode(path), place, text)
    if error:
        why = _text(text) or os.strerror(-error)
        raise make_error(-error, why, os.fspath(path))
    return Fabric(place[0])
