# SPDX-License-Identifier: BSD-2-Clause
"""The Python examples on simulated fabrics, and subnet administration with opensm there."""
import asyncio
import errno
import pathlib
import signal
import subprocess
import sys

import pytest

import madring
from opensm import PATIENCE, opensm

TOP = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = TOP / "tools" / "examples"
MIXED = TOP / "tests" / "program" / "sweep" / "data" / "mixed.topology"
TREE = "fat-tree:leafs=4,spines=2,hosts=4"


def run(fabric, name, *arguments, status=0):
    """Runs an example. Returns the lines that it prints."""
    done = fabric.run([sys.executable, str(EXAMPLES / name), *arguments], stdout=subprocess.PIPE,
                      stderr=subprocess.PIPE, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (status, ""), done.stdout
    return done.stdout.splitlines()


def test_length():
    examples = {path.name: len(path.read_text().splitlines()) for path in EXAMPLES.glob("*.py")}
    assert examples.pop("counters.py") <= 12
    assert len(examples) == 10 and max(examples.values()) <= 20


def test_counters(simulated_fabric):
    lines = run(simulated_fabric(TREE), "counters.py")
    assert len(lines) == 2 * (4 * 2 + 4 * 4)
    assert len({tuple(line.split(",")[:2]) for line in lines}) == len(lines)


def test_slow_links(simulated_fabric):
    assert not run(simulated_fabric(TREE), "slow_links.py")
    lines = run(simulated_fabric(str(MIXED)), "slow_links.py")
    assert "MF0;leaf:SB7800/U1 port 2 - host2 mlx5_0 port 1: 1x QDR" in lines


def test_hosts_gone(simulated_fabric, tmp_path):
    fabric = simulated_fabric(TREE)
    fabric.call(save, str(tmp_path / "saved"))
    assert not run(fabric, "hosts_gone.py", str(tmp_path / "saved"))
    fabric.control("link", "host-01-01:1", "down")
    gone, = run(fabric, "hosts_gone.py", str(tmp_path / "saved"), status=1)
    assert "host-01-01" in gone


def save(path):
    with madring.open() as subnet:
        subnet.sweep().result().save(path)


def test_nodes(simulated_fabric):
    lines = run(simulated_fabric(TREE), "nodes.py")
    assert len(lines) == 22 and lines[0].split()[1:] == ["ca", "0"]


def test_tables(simulated_fabric):
    lines = run(simulated_fabric(TREE), "tables.py")
    # Each of 6 switches has a port for each of 22 LIDs.
    assert len(lines) == len(set(lines)) == 6 * 22


def ask_responder():
    with madring.open() as subnet:
        lid = subnet.sweep().result().local_port.lid
        agent = subnet.agent(0x32, oui=0x001405)
        return agent.get(lid, 0x0042, 0, b"abc", timeout_ms=200,
                         retries=254).result().data[:4]


def test_responder(simulated_fabric):
    fabric = simulated_fabric(TREE)
    with subprocess.Popen([sys.executable, str(EXAMPLES / "responder.py")],
                          env=fabric.environment, stdout=subprocess.PIPE,
                          text=True) as responder:
        try:
            assert fabric.call(ask_responder) == b"abc\0"
            assert responder.stdout.readline().endswith("asks for attribute 0x0042\n")
        finally:
            responder.kill()


def test_rates(simulated_fabric):
    pytest.importorskip("numpy")
    lines = run(simulated_fabric(TREE), "rates.py", "0.1")
    assert len(lines) == 2 * (4 * 2 + 4 * 4)
    assert all(float(number) >= 0 for line in lines for number in line.split(",")[1:])


def test_watchdog(simulated_fabric):
    fabric = simulated_fabric(TREE)
    command = [sys.executable, str(EXAMPLES / "watchdog.py"), "0.05"]
    with subprocess.Popen(command, env=fabric.environment, stdout=subprocess.PIPE,
                          text=True) as watchdog:
        try:
            assert watchdog.stdout.readline() == "22 nodes\n"
            fabric.control("link", "host-01-01:1", "down")
            assert any(line.endswith('"host-01-01" is gone\n') for line in watchdog.stdout)
            fabric.control("link", "host-01-01:1", "up")
            assert any(line.endswith('"host-01-01" is new\n') for line in watchdog.stdout)
        finally:
            watchdog.kill()


def test_notices(simulated_fabric, tmp_path):
    fabric = simulated_fabric(TREE, routed=False)
    command = [sys.executable, str(EXAMPLES / "notices.py")]
    with subprocess.Popen(command, env=fabric.environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as notices:
        try:
            assert notices.stdout.readline() == "lost: the subnet has no subnet manager\n"
            with opensm(fabric, tmp_path):
                assert "subscribed\n" in notices.stdout
                fabric.control("link", "host-01-01:1", "down")
                assert any(line.startswith("trap 128 lid ") for line in notices.stdout)
                notices.send_signal(signal.SIGINT)
                assert (notices.wait(PATIENCE), notices.stderr.read()) == (0, "")
        finally:
            notices.kill()


def test_paths_and_managers(simulated_fabric, tmp_path):
    fabric = simulated_fabric(TREE, routed=False)
    with opensm(fabric, tmp_path):
        paths = [line.split() for line in run(fabric, "paths.py")]
        assert len({path[1] for path in paths}) == len(paths) == 4 * 4
        manager, = run(fabric, "who_is_sm.py")
        assert ": master, priority" in manager
        assert fabric.call(administration) == 22


async def ask():
    async with madring.open() as subnet:
        nodes = await subnet.sa.node_records()
        lids = {node["LID"] for node in nodes}
        assert subnet.sa.sm_lid in lids
        one, = await subnet.sa.query("NodeRecord", method="Get", LID=subnet.sa.sm_lid)
        assert one in nodes
        # A record that there is not: a table has none, and a single one is an error.
        assert await subnet.sa.query("NodeRecord", LID=max(lids) + 1) == []
        with pytest.raises(madring.StatusError) as caught:
            await subnet.sa.query("NodeRecord", method="Get", LID=max(lids) + 1)
        assert caught.value.status == 0x0300
        with pytest.raises(KeyError):
            await subnet.sa.query("NodeRecord", NoSuchField=1)
        waiting = asyncio.create_task(subnet.sa.node_records())
        await asyncio.sleep(0)
    with pytest.raises(madring.Error):
        await waiting
    return len(lids)


def administration():
    return asyncio.run(ask())


def without_manager():
    with madring.open() as subnet:
        with pytest.raises(madring.Error) as caught:
            subnet.sa.node_records().result()
        return caught.value.errno, subnet.sa.sm_lid


def test_without_manager(simulated_fabric):
    assert simulated_fabric(TREE, routed=False).call(without_manager) == (errno.ENETUNREACH, 0)
