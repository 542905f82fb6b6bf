# SPDX-License-Identifier: BSD-2-Clause
"""SwitchInfo and the forwarding tables of switches."""
import asyncio
import errno

import pytest

import madring

TREE = "fat-tree:leafs=4,spines=2,hosts=4"


def route(fabric, tables, start, lid):
    """Returns the node that packets to a LID come to, by the tables of the switches."""
    port = start.peer
    for _ in range(8):
        if not port.node.is_switch:
            return port.node
        number = tables[port.node].port(lid)
        if not number:
            return port.node
        port = port.node.port(number).peer
    raise AssertionError(f"LID {lid} is in a loop")


def read_tables():
    with madring.open() as subnet:
        fabric = subnet.sweep().result()
        tables = {table.node: table for table in subnet.linear_tables(fabric)}
        again = {table.node: dict(table.items())
                 for table in subnet.linear_tables(fabric.switches[:2], directed=True)}
        assert set(tables) == set(fabric.switches)
        assert again == {node: dict(tables[node].items()) for node in fabric.switches[:2]}
        for node in fabric:
            table = tables.get(node)
            assert route(fabric, tables, fabric.local_port, node.lid) == node
            assert (node.switch_info is None) == (table is None)
            if table:
                assert table.error is None and not table.missing
                assert table.last_lid == node.switch_info.linear_fdb_top
                assert table.port(node.lid) == 0 and table.port(0xBFFF) is None
        assert asyncio.run(collect(subnet.multicast_tables(fabric))) == 6
        with pytest.raises(ValueError):
            subnet.linear_tables([fabric.local_port.node])
        with pytest.raises(TypeError):
            subnet.linear_tables(fabric, hops=1)
        assert subnet.linear_tables([]).result() == []
        # Leaving the loop leaves nothing behind.
        for table in subnet.linear_tables(fabric):
            break
        assert not subnet._loop.activities
    with pytest.raises(madring.Error):
        subnet.linear_tables(fabric).result()
    return sorted(again.values(), key=str) != []


async def collect(tables):
    found = await tables
    for table in found:
        assert table.error is None and table.ports(0xC000) == frozenset()
        assert not list(table.items())
        with pytest.raises(ValueError):
            table.ports(-1)
    return len(found)


def test_tables(simulated_fabric):
    assert simulated_fabric(TREE).call(read_tables)


def save(path):
    with madring.open() as subnet:
        subnet.sweep().result().save(path)


def read_dead(path):
    fabric = madring.load(path)
    with madring.open() as subnet:
        tables = subnet.linear_tables(fabric, timeout_ms=50, retries=-1).result()
        expired = subnet.linear_tables(fabric, timeout_ms=-1, deadline_ms=200).result()
    assert len(tables) == len(expired) == 6
    errors = {table.node.description: table.error.errno for table in tables if table.error}
    for table in tables:
        assert table.node.switch_info.linear_fdb_cap > 0
        assert not table.error or table.last_lid == 0 and table.port(1) is None
    late = {table.node.description: table.error.errno for table in expired if table.error}
    return errors, late


def test_dead_switch(simulated_fabric, tmp_path):
    path = str(tmp_path / "fabric.json")
    simulated_fabric(TREE).call(save, path)
    errors, late = simulated_fabric(TREE, "--dead", "leaf-03").call(read_dead, path)
    assert errors == {"leaf-03": errno.ETIMEDOUT}
    assert late == {"leaf-03": errno.ECANCELED}
