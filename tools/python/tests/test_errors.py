# SPDX-License-Identifier: BSD-2-Clause
"""Errors: what they say, what they are, and how they go from one process to another."""
import asyncio
import copy
import errno
import os
import pathlib
import pickle
import subprocess
import sys

import pytest

import madring
from madring import errors

TREE = "fat-tree:leafs=2,spines=1,hosts=2"
NOBODY = 0xBFFF


def test_exceptions_are_pickled():
    for error in (madring.Error(5, "text"), madring.Error(5, "text", "file"),
                  madring.StatusError(4, 0x0C), madring.StatusError(3, 0x0300, "what"),
                  errors.error_of(-errno.ETIMEDOUT), errors.error_of(-errno.EIO, "what")):
        for again in pickle.loads(pickle.dumps(error)), copy.copy(error):
            assert type(again) is type(error) and str(again) == str(error)
            assert (again.args, again.filename, again.__dict__) == (
                error.args, error.filename, error.__dict__)
    assert madring.StatusError(4, 0x0C).mgmt_class == 4


def test_no_reply_in_time_is_a_timeout():
    error = errors.error_of(-errno.ETIMEDOUT)
    assert isinstance(error, madring.TimeoutError) and isinstance(error, madring.Error)
    assert isinstance(error, TimeoutError) and isinstance(error, asyncio.TimeoutError)
    assert error.errno == errno.ETIMEDOUT
    assert not isinstance(errors.error_of(-errno.EIO), TimeoutError)


def records():
    """Returns what a program hands to another process."""
    with madring.open() as subnet:
        fabric = subnet.sweep().result()
        port = fabric.links[0][0]
        with pytest.raises(TypeError, match="in each process"):
            pickle.dumps(subnet)
        try:
            subnet.smp.get(port.lid, 0x99).result()
        except madring.StatusError as error:
            failure = error
        silent = subnet.smp.request(NOBODY, "NodeInfo", timeout_ms=10, retries=-1).result()
        replies = subnet.counters([port]).result()
        return (fabric, port, port.node, fabric.counts(), fabric.problems, replies, failure,
                silent, silent.error, madring.fields("PMA", "PortCounters"),
                fabric.differences_since(fabric))


def test_records_are_pickled(simulated_fabric):
    fabric, port, node, counts, problems, replies, failure, silent, error, fields, same = (
        simulated_fabric(TREE).call(records))
    assert len(fabric) == 7 and counts == fabric.counts() and problems == same == []
    assert port.node == node and port in fabric.ports and port.peer.peer == port
    (of, reply), = replies
    assert of == reply.request.tag and reply["PortSelect"] == of.number == port.number
    assert failure.status == 0x0C and not silent and error.errno == errno.ETIMEDOUT
    assert [each.name for each in fields] == [
        each.name for each in madring.fields(4, 0x12)]


WRONG = [
    (KeyError, "PortCounters", lambda s: s.pma.get(1, "PortCounter")),
    (KeyError, "PortSelect", lambda s: s.pma.get(1, "PortCounters", 0, {"PortSelct": 1})),
    (ValueError, "0 to 255", lambda s: s.pma.get(1, "PortCounters", 0, {"PortSelect": 256})),
    (TypeError, "int", lambda s: s.pma.get(1, "PortCounters", 0, {"PortSelect": "1"})),
    (TypeError, "bytes, or a mapping", lambda s: s.pma.get(1, "PortCounters", 0, "text")),
    (ValueError, "192", lambda s: s.pma.get(1, "PortCounters", 0, bytes(193))),
    (ValueError, "65535", lambda s: s.smp.get(65536, "NodeInfo")),
    (ValueError, "modifier", lambda s: s.smp.get(1, "NodeInfo", -1)),
    (TypeError, "LID", lambda s: s.smp.get(None, "NodeInfo")),
    (TypeError, "subnet.directed", lambda s: s.smp.get("0,1", "NodeInfo")),
    (TypeError, "route", lambda s: s.directed.get(1, "NodeInfo")),
    (ValueError, "no route", lambda s: s.directed.get("1,2", "NodeInfo")),
    (ValueError, "timeout_ms", lambda s: s.smp.get(1, "NodeInfo", timeout_ms=-5)),
    (TypeError, "timeout_ms", lambda s: s.smp.get(1, "NodeInfo", timeout_ms=1.5)),
    (ValueError, "retries", lambda s: s.smp.get(1, "NodeInfo", retries=255)),
    (TypeError, "madring.Request", lambda s: s.smp.stream([1])),
    (TypeError, "Port", lambda s: s.counters([1])),
    (ValueError, "GetTable", lambda s: s.sa.query("PathRecord", method="Foo")),
    (KeyError, "Foo", lambda s: s.sa.query("PathRecord", Foo=1)),
    (ValueError, "DGID", lambda s: s.sa.query("PathRecord", DGID="x")),
    (ValueError, "most", lambda s: s.sa.queries("PathRecord", [], most=0)),
]


def wrong_uses():
    for kind, text, use in WRONG:
        with madring.open() as subnet:
            with pytest.raises(kind, match=text):
                use(subnet).result()
    with madring.open() as subnet:
        for kind, text, use in (
                (KeyError, "NoSuchClass", lambda: subnet.agent("NoSuchClass")),
                (ValueError, "needs the OUI", lambda: subnet.agent(0x32)),
                (ValueError, "has no OUI", lambda: subnet.agent("PMA", oui=1)),
                (ValueError, "m_key", lambda: subnet.sweep(m_key=-1)),
                (ValueError, "deadline_ms", lambda: subnet.sweep(deadline_ms=-1)),
                (TypeError, "earlier", lambda: subnet.update(None)),
                (ValueError, "window", lambda: madring.open(window=-1)),
                (TypeError, "port", lambda: madring.open(port="1"))):
            with pytest.raises(kind, match=text):
                use()
        fabric = subnet.sweep().result()
        for kind, use in ((KeyError, lambda: fabric.node("nobody")),
                          (TypeError, lambda: fabric.node(None)),
                          (ValueError, lambda: fabric.port_by_lid(1 << 16)),
                          (TypeError, lambda: fabric.nodes[0].port("1")),
                          (FileNotFoundError, lambda: fabric.save("/nonexistent/file"))):
            with pytest.raises((kind, madring.Error)) as caught:
                use()
            assert isinstance(caught.value, kind) or caught.value.errno == errno.ENOENT


def test_wrong_uses(simulated_fabric):
    simulated_fabric(TREE).call(wrong_uses)


async def tasks():
    async with madring.open() as subnet:
        fabric = await asyncio.create_task(subnet.sweep())
        lid = fabric.local_port.lid
        info, counters = await asyncio.gather(
            asyncio.create_task(subnet.smp.get(lid, "NodeInfo")),
            asyncio.create_task(subnet.counters(fabric)))
        silent = asyncio.create_task(subnet.smp.get(NOBODY, "NodeInfo", timeout_ms=3600000))
        await asyncio.sleep(0)
        silent.cancel()
        with pytest.raises(asyncio.CancelledError):
            await silent
        with pytest.raises(TimeoutError):
            await subnet.smp.get(NOBODY, "NodeInfo", timeout_ms=10, retries=-1)
        return info["NodeGUID"] == fabric.local_port.node.guid, len(counters)


def run_tasks():
    return asyncio.run(tasks())


def test_tasks(simulated_fabric):
    assert simulated_fabric(TREE).call(run_tasks) == (True, 2 * (2 + 4))


def test_plugin_without_the_library(tmp_path):
    """pytest loads the plugin in the runs of other projects, too. Only its fixtures need more."""
    (tmp_path / "test_other.py").write_text(
        "def test_other():\n    assert True\n\ndef test_own(simulated_fabric):\n    pass\n")
    # A package that cannot be imported hides the installed one.
    (tmp_path / "madring").mkdir()
    (tmp_path / "madring" / "__init__.py").write_text(
        "raise ImportError('libmadring is missing')\n")
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_other.py"]
    environment = dict(os.environ, PYTHONPATH=str(tmp_path), PYTHONSAFEPATH="")
    done = subprocess.run(run, cwd=tmp_path, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 1 and "1 passed, 1 error" in done.stdout, done.stdout
    assert "libmadring is missing" in done.stdout
    done = subprocess.run([*run, "--madring-sim", TREE], cwd=tmp_path, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done.stdout
    assert "--madring-sim cannot be used: libmadring is missing" in done.stdout


def test_import_without_the_library():
    """The package says what to do."""
    package = pathlib.Path(madring.__file__).parent.parent
    code = "import sys; sys.modules['madring._native'] = None; import madring"
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, PYTHONPATH=str(package)), check=False)
    assert done.returncode and "install libmadring" in done.stderr


def test_memory_error():
    error = errors.error_of(-errno.ENOMEM)
    assert isinstance(error, madring.MemoryError) and isinstance(error, MemoryError)
    assert isinstance(error, madring.Error) and error.errno == errno.ENOMEM
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is madring.MemoryError and again.errno == errno.ENOMEM
