# SPDX-License-Identifier: BSD-2-Clause
"""The forwarding tables of switches."""
from __future__ import annotations

import errno
import typing
from typing import (Any, Dict, FrozenSet, Generator, Iterator, List, Optional, Tuple, Type,
                    Union)

from madring import _arguments
from madring._loop import Activity
from madring._native import ffi, lib
from madring.errors import Error, check, error_of
from madring.fabric import Node

if typing.TYPE_CHECKING:
    from madring.subnet import Subnet

_FIRST_MULTICAST_LID = 0xC000


class _Table:
    """What both kinds of tables have."""

    def __init__(self, node: Node, native: Any):
        self.node = node  # the switch
        self._table = native

    def __repr__(self) -> str:
        return f"<madring.{type(self).__name__} of {self.node.description!r}>"

    def __reduce__(self) -> Tuple[Any, ...]:
        raise TypeError("a table of a switch cannot be pickled: pickle dict(table.items())")

    @property
    def error(self) -> Optional[Error]:
        """None if all of the table arrived, or else why a part of it did not."""
        error = lib.madring_table_error(self._table)
        return error_of(error) if error else None

    @property
    def last_lid(self) -> int:
        """The highest LID that the table has an entry for; 0 if it has none."""
        return int(lib.madring_table_last_lid(self._table))

    @property
    def missing(self) -> Dict[Tuple[int, int], Error]:
        """The blocks that did not arrive, by their numbers and positions, and why. A block is 64
        LIDs of a linear table, and 32 of a multicast one; a position is 16 ports of the latter."""
        found = {}
        for block in range(lib.madring_table_block_count(self._table)):
            for position in range(lib.madring_table_position_count(self._table)):
                error = lib.madring_table_block_error(self._table, block, position)
                if error:
                    found[block, position] = error_of(error)
        return found


class LinearTable(_Table):
    """The port by which a switch forwards packets to each unicast LID: table.port(lid)."""

    def port(self, lid: int) -> Optional[int]:
        """Returns the number of the port, 0 for the switch itself, or None if the switch drops
        packets to the LID. Raises Error if that part of the table did not arrive (ENODATA), or if
        the switch names a port that it does not have (EBADMSG)."""
        _arguments.unsigned("a LID", lid, 16)
        port = lib.madring_table_port(self._table, lid)
        return None if port == -errno.ENOENT else check(port)

    def items(self) -> Iterator[Tuple[int, int]]:
        """Goes through the LIDs that have a port, and their ports. What did not arrive is left
        out."""
        for lid in range(self.last_lid + 1):
            port = lib.madring_table_port(self._table, lid)
            if port >= 0:
                yield lid, port


class MulticastTable(_Table):
    """The ports by which a switch forwards packets to each multicast LID: table.ports(lid)."""

    def ports(self, lid: int) -> FrozenSet[int]:
        """Returns the numbers of the ports. Raises Error if a part of them did not arrive
        (ENODATA)."""
        _arguments.unsigned("a LID", lid, 16)
        mask = ffi.new("uint8_t[]", lib.MADRING_PORT_MASK_BYTES)
        error = lib.madring_table_ports(self._table, lid, mask)
        if error != -errno.ENOENT:
            check(error)
        return frozenset(port for port in range(255) if mask[port // 8] >> port % 8 & 1)

    def items(self) -> Iterator[Tuple[int, FrozenSet[int]]]:
        """Goes through the LIDs that have ports, and their ports. What did not arrive is left
        out."""
        for lid in range(_FIRST_MULTICAST_LID, self.last_lid + 1):
            try:
                ports = self.ports(lid)
            except Error:
                continue
            if ports:
                yield lid, ports


Table = Union[LinearTable, MulticastTable]


class _Reading(Activity):
    """Tables that are being read."""

    def __init__(self, subnet: "Subnet", nodes: List[Node], kind: int, options: Dict[str, int]):
        subnet._loop.check_usable()
        self.nodes = {node._node: node for node in nodes}
        self.natives: List[Any] = []
        self.kind: Union[Type[LinearTable], Type[MulticastTable]] = (
            LinearTable if kind == lib.MADRING_TABLE_LINEAR else MulticastTable)
        self.loop = subnet._loop
        self._handle = ffi.new_handle(self)
        self._array = ffi.new("const struct madring_node *[]", [node._node for node in nodes])
        config = ffi.new("struct madring_ask_tables_config *", options)
        config.kind = kind
        config.nodes = self._array
        config.node_count = len(nodes)
        config.done = lib.take_table
        config.user = self._handle
        place = ffi.new("struct madring_reading **")
        check(lib.madring_ask_tables_start(subnet._native, ffi.NULL, config, place))
        self.native = place[0]
        self.loop.add(self)

    def state(self) -> Any:
        state = ffi.new("struct madring_batch_state *")
        lib.madring_batch_get_state(lib.madring_ask_tables_requests(self.native), state)
        return state

    def is_ready(self) -> bool:
        if not self.native:
            raise Error(errno.ESHUTDOWN, "the subnet was closed")
        return bool(self.natives) or bool(self.state().done)

    def run(self, timeout_ms: int) -> int:
        return min(int(lib.madring_run(self.loop.ring, timeout_ms)), 0)

    def take(self) -> List[Table]:
        natives, self.natives = self.natives, []
        return [self.kind(self.nodes[lib.madring_table_node(each)],
                          ffi.gc(each, lib.madring_table_free)) for each in natives]

    def close(self) -> None:
        native, self.native = self.native, None
        if native and self.loop.ring:
            self.loop.remove(self)
            lib.madring_ask_tables_end(native)
        for each in self.natives:
            lib.madring_table_free(each)
        self.natives = []


@ffi.def_extern()  # type: ignore[misc]
def take_table(user: Any, table: Any) -> None:
    """Keeps a table until Python takes it."""
    ffi.from_handle(user).natives.append(table)


def table_turns(subnet: "Subnet", nodes: List[Node], kind: int,
                options: Dict[str, int]) -> Generator[Any, None, None]:
    """Yields tables, as they come, and the reading where they have to be waited for."""
    if not nodes:
        return
    reading = _Reading(subnet, nodes, kind, options)
    try:
        while True:
            yield reading
            # What is done has no more tables than those that are there now.
            state = reading.state()
            yield reading.take()
            if state.done:
                check(state.error)
                return
    finally:
        reading.close()
