# SPDX-License-Identifier: BSD-2-Clause
"""Allocations of the package's native part, or of the libraries, fail: that is a MemoryError."""
import os
import subprocess
import sys

import pytest

from opensm import PATIENCE

TREE = "fat-tree:leafs=2,spines=1,hosts=2"
SANITY = 5  # a library that allocates less than this was not counted
MOST = 24  # runs; of more allocations, only some fail

PROGRAM = """
import asyncio, errno, sys
import madring

VENDOR = {"mgmt_class": 0x32, "oui": 0x001405}

async def respond(subnet, client, lid):
    agent = client.agent(**VENDOR)
    turns = subnet.agent(**VENDOR).requests(["Get"]).__aiter__()
    waiting = asyncio.ensure_future(turns.__anext__())
    await asyncio.sleep(0)
    asking = asyncio.ensure_future(agent.get(lid, 1, timeout_ms=100000))
    done, _ = await asyncio.wait([waiting, asking], return_when=asyncio.FIRST_COMPLETED)
    try:
        if waiting in done:
            waiting.result().answer()
            await asking
        else:
            asking.result()
    finally:
        waiting.cancel()
        asking.cancel()
        await asyncio.gather(waiting, asking, return_exceptions=True)
        await turns.aclose()

def use(path):
    with madring.open() as subnet, madring.open() as client:
        with subnet.capture(path + ".pcapng"):
            fabric = subnet.sweep().result()
        assert len(fabric) == 7 and len(list(subnet.sweep())) == 7
        for _, reply in subnet.counters(fabric):
            reply.check()
        for table in subnet.linear_tables(fabric).result():
            if table.error:
                raise table.error
        fabric.save(path)
        assert not madring.load(path).differences_since(fabric)
        asyncio.run(respond(subnet, client, fabric.local_port.lid))
        # There is no subnet manager.
        assert not next(iter(subnet.sa.notices()))
        try:
            subnet.sa.query("PathRecord", DLID=1).result()
        except madring.Error as error:
            if error.errno == errno.ENOMEM:
                raise
        assert subnet.stats.sent

try:
    use(sys.argv[1])
except MemoryError as error:
    assert error.errno == errno.ENOMEM
    print("memory")
else:
    print("good")
"""


def run(fabric, folder, library, number=0):
    """Runs the program; from an allocation on, all of the library fail. Returns its output, and how
    many allocations there were."""
    count = folder / "count"
    environment = dict(fabric.environment, FAIL_PROGRAM=os.path.basename(sys.executable),
                       FAIL_LIBRARY=library, FAIL_COUNT=str(count), FAIL_ON="1")
    environment["LD_PRELOAD"] = ":".join(filter(None, [fabric.environment.get("LD_PRELOAD"),
                                                       os.environ["FAIL_PRELOAD"]]))
    if number:
        environment["FAIL_ALLOCATION"] = str(number)
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(folder / "saved")],
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, ""), f"allocation {number} of {library}"
    return done.stdout, int(count.read_text())


@pytest.mark.skipif("FAIL_PRELOAD" not in os.environ, reason="needs the library of a build")
@pytest.mark.parametrize("library", ["/_native.", "/libmadring"])
def test_allocations_fail(simulated_fabric, tmp_path, library):
    fabric = simulated_fabric(TREE)
    text, count = run(fabric, tmp_path, library)
    assert text == "good\n" and count > SANITY
    for number in range(1, count + 1, count // MOST + 1):
        text, _ = run(fabric, tmp_path, library, number)
        # A subscription that the library has no memory for is lost, and tried again.
        assert text == "memory\n" or library != "/_native." and text == "good\n", \
            f"allocation {number} of {library}: {text}"
