# SPDX-License-Identifier: BSD-2-Clause
"""The package on simulated fabrics. Functions without test_ run in a child process there."""
import asyncio
import errno
import os
import signal
import threading

import pytest

import madring

TREE = "fat-tree:leafs=4,spines=2,hosts=4"
PORTS = 2 * (4 * 2 + 4 * 4)
NOBODY = 0xBFFF


def sweep_and_count():
    with madring.open() as subnet:
        fabric = subnet.sweep().result()
        replies = list(subnet.counters(fabric))
        assert all(reply["PortXmitData"] >= 0 for _, reply in replies)
        return len(fabric), len(fabric.links), len(replies), fabric.is_complete


def test_sweep_and_counters(simulated_fabric):
    assert simulated_fabric(TREE).call(sweep_and_count) == (22, PORTS // 2, PORTS, True)


def thousand_nodes():
    with madring.open() as subnet:
        return len(subnet.sweep().result())


def test_thousand_nodes(simulated_fabric):
    fabric = simulated_fabric("fat-tree:leafs=32,spines=32,hosts=30")
    assert fabric.call(thousand_nodes) == 32 + 32 + 32 * 30


async def with_asyncio():
    async with madring.open() as subnet:
        found = [node.guid async for node in subnet.sweep()]
        fabric = await subnet.sweep()
        counters = [(port.node.guid, port.number)
                    async for port, reply in subnet.counters(fabric) if reply]
        lids = [port.lid for port in fabric.ports if port.number]
        infos = await asyncio.gather(*(subnet.smp.get(lid, "NodeInfo") for lid in lids))
        guids = {info["NodeGUID"] for info in infos}
    return sorted(found) == sorted(guids) == sorted(n.guid for n in fabric), len(set(counters))


def run_asyncio():
    return asyncio.run(with_asyncio())


def test_asyncio(simulated_fabric):
    assert simulated_fabric(TREE).call(run_asyncio) == (True, PORTS)


def graph(path):
    with madring.open() as subnet:
        fabric = subnet.sweep().result()
        for node in fabric:
            assert fabric.node(node.guid) == node
            assert fabric.node(",".join(map(str, node.path))) == node
            assert subnet.directed.get(node, "NodeInfo").result()["NodeGUID"] == node.guid
        for one, other in fabric.links:
            assert one.peer == other and other.peer == one
        with pytest.raises(KeyError):
            fabric.node(1)
        with pytest.raises(IndexError):
            fabric.nodes[0].port(255)
        fabric.save(path)
    again = madring.load(path)
    assert [node.guid for node in again] == [node.guid for node in fabric]
    with pytest.raises(madring.Error) as caught:
        madring.load("/dev/null")
    assert caught.value.errno == errno.EINVAL


def test_graph(simulated_fabric, tmp_path):
    simulated_fabric(TREE).call(graph, str(tmp_path / "fabric.json"))


def update(path):
    """Returns what has changed since a sweep that was saved, as an update and a sweep find it."""
    before = madring.load(path)
    with madring.open() as subnet:
        leaf = before.node("leaf-00")
        sweep = subnet.update(before, [leaf])
        found = {node.guid for node in sweep}
        updated = sweep.fabric
        assert found == {node.guid for node in updated} and updated.recalled > 0
        assert asyncio_run(subnet.update, before).recalled > 0
        now = subnet.sweep().result()
        assert now.recalled == 0
        with pytest.raises(ValueError, match="another fabric"):
            subnet.update(now, [leaf]).result()
        # A change at another node is not seen.
        other = subnet.update(before, [before.node("leaf-01")]).result()
        assert len(other) == len(before)
    return [[str(difference) for difference in fabric.differences_since(before)]
            for fabric in (updated, now)]


def asyncio_run(function, *arguments):
    async def run():
        return await function(*arguments)
    return asyncio.run(run())


def save_sweep(path):
    with madring.open() as subnet:
        subnet.sweep().result().save(path)


def test_update(simulated_fabric, tmp_path):
    path = str(tmp_path / "fabric.json")
    fabric = simulated_fabric(TREE)
    fabric.call(save_sweep, path)
    fabric.control("link", "host-00-01:1", "down")
    updated, swept = fabric.call(update, path)
    assert updated == swept and any('"host-00-01" is gone' in line for line in swept)


def swept(path):
    with madring.open() as subnet:
        subnet.sweep().result().save(path)


def test_differences(simulated_fabric, tmp_path):
    fabric = simulated_fabric(TREE)
    fabric.call(swept, str(tmp_path / "before"))
    fabric.control("link", "host-01-01:1", "down")
    fabric.call(swept, str(tmp_path / "after"))
    before, after = madring.load(tmp_path / "before"), madring.load(tmp_path / "after")
    assert before.differences_since(before) == []

    *changes, gone, link = after.differences_since(before)
    host = before.node("host-01-01")
    old_port = host.port(1).peer
    port = after.node(old_port.node.guid).port(old_port.number)
    assert gone[:-1] == ("node_gone", None, None, None, host, None, None, None)
    assert str(gone) == f'ca 0x{host.guid:016x} "{host.description}" is gone'
    assert {each.change: (each.old_value, each.value)
            for each in changes}["state"] == ("active", "down")
    for each in changes:
        assert (each.kind, each.old_node, each.node, each.old_port, each.port, each.link) == (
            "port_changed", old_port.node, port.node, old_port, port, None)
        assert str(each).endswith(f": {each.change} {each.value}, was {each.old_value}")
    assert link.kind == "link_gone" and set(link.link) == {old_port, host.port(1)}
    assert str(link).startswith("link from ") and str(link).endswith(" is gone")
    assert link.port is None and gone.link is None

    *changed_back, added, new_link = before.differences_since(after)
    assert len(changed_back) == len(changes)
    assert (added.kind, added.node, added.old_node) == ("node_added", host, None)
    assert new_link.kind == "link_added" and set(new_link.link) == {old_port, host.port(1)}


def outcomes():
    with madring.open() as subnet:
        lid = subnet.sweep().result().local_port.lid
        with pytest.raises(madring.Error) as caught:
            subnet.pma.get(NOBODY, "PortCounters", timeout_ms=10, retries=-1).result()
        assert caught.value.errno == errno.ETIMEDOUT
        with pytest.raises(madring.StatusError) as caught:
            subnet.pma.get(lid, 0x7777).result()
        assert caught.value.status == 0x000C
        reply = subnet.pma.request(NOBODY, "PortCounters", timeout_ms=10, retries=-1).result()
        assert not reply and reply.error.errno == errno.ETIMEDOUT
        with pytest.raises(KeyError):
            subnet.pma.counters(lid, 1).result()["NoSuchField"]
        # A request without a reply is a result like others.
        replies = subnet.smp.stream(
            madring.Request(to, "NodeInfo", timeout_ms=50, retries=-1, tag=to)
            for to in [lid, NOBODY, lid]).result()
        assert sorted((reply.request.tag, bool(reply)) for reply in replies) == sorted(
            [(lid, True), (lid, True), (NOBODY, False)])
        with pytest.raises(KeyError, match="NoSuchClass"):
            subnet.agent("NoSuchClass")
    with pytest.raises(madring.Error) as caught:
        subnet.pma.counters(lid, 1).result()
    assert caught.value.errno == errno.ESHUTDOWN


def test_outcomes(simulated_fabric):
    simulated_fabric(TREE).call(outcomes)


def arrays():
    with madring.open() as subnet:
        fabric = subnet.sweep().result()
        array = subnet.counter_array(fabric).result()
        expected = {(port.node.guid, port.number): reply.fields()
                    for port, reply in subnet.counters(fabric)}
        for row in array:
            fields = expected[int(row["node_guid"]), int(row["port"])]
            assert row["errno"] == 0 and row["PortSelect"] == fields["PortSelect"] == row["port"]
        assert len(array) == len(expected) == PORTS
        silent = subnet.pma.array([NOBODY, array["lid"][0]], "PortCountersExtended",
                                  fields={"PortSelect": 1}, timeout_ms=50, retries=-1).result()
        return silent["errno"].tolist()


def test_arrays(simulated_fabric):
    pytest.importorskip("numpy")
    assert simulated_fabric(TREE).call(arrays) == [errno.ETIMEDOUT, 0]


async def canceled():
    async with madring.open() as subnet:
        silent = subnet.pma.get(NOBODY, "PortCounters", timeout_ms=3600000)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(silent, 0.01)
        lids = [madring.Request(NOBODY, "PortCounters", timeout_ms=3600000)] * 10

        async def forever():
            async for _ in subnet.pma.stream(lids):
                pass

        task = asyncio.ensure_future(forever())
        waiting = asyncio.create_task(silent)
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    # Closing the subnet ends what still waits.
    with pytest.raises(madring.Error) as caught:
        await waiting
    return caught.value.errno


def run_canceled():
    return asyncio.run(canceled())


def test_canceled(simulated_fabric):
    assert simulated_fabric(TREE).call(run_canceled) == errno.ECANCELED


def interrupted():
    """Another thread runs while the ring does, and its signal ends the wait."""
    with madring.open() as subnet:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            subnet.pma.get(NOBODY, "PortCounters", timeout_ms=3600000).result()
        return len(subnet.sweep().result())


def test_keyboard_interrupt(simulated_fabric):
    assert simulated_fabric(TREE).call(interrupted) == 22


def left_open():
    subnet = madring.open()
    globals()["kept"] = subnet
    return subnet.ca_name


def test_closed_at_exit(simulated_fabric):
    assert simulated_fabric(TREE).call(left_open) == "simib0"


def test_pack_and_unpack():
    data = madring.pack(4, 0x12, {"PortSelect": 7})
    assert madring.unpack(4, 0x12, data)["PortSelect"] == 7
    assert madring.pack("PMA", "PortCounters", {"PortSelect": 7}) == data
    with pytest.raises(ValueError, match="PortSelect has to be 0 to 255"):
        madring.pack(4, 0x12, {"PortSelect": 256})
    with pytest.raises(KeyError):
        madring.pack(4, 0x12, {"NoSuchField": 1})


def test_version():
    from importlib import metadata

    assert madring.__version__ == metadata.version("madring")
