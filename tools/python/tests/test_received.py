# SPDX-License-Identifier: BSD-2-Clause
"""Requests that an agent receives, counts of the ring, and captures."""
import asyncio
import dataclasses
import errno

import pytest

import madring

TREE = "fat-tree:leafs=2,spines=1,hosts=2"
PATIENCE = 120  # seconds; nothing takes as long unless it hangs
VENDOR, OUI = 0x32, 0x001405
ATTRIBUTE = 0x0042
ONCE = {"timeout_ms": PATIENCE * 1000, "retries": -1}


def local_lid(subnet):
    return subnet.sweep().result().local_port.lid


async def serve(server, seen, count):
    """Answers requests: each with its own data turned round, or with a status."""
    requests = server.agent(VENDOR, oui=OUI).requests(["Get", "Set"])
    async for request in requests:
        seen.append((request.method, request.attribute, request.modifier, request.data[:3],
                     request.lid))
        if request.modifier == 7:
            request.answer(status=0x000c)
        else:
            request.answer(request.data[2::-1])
        if len(seen) == count:
            break
    assert requests.dropped == 0


async def answered():
    seen = []
    async with madring.open() as server, madring.open() as client:
        fabric = await client.sweep()
        lid = fabric.local_port.lid
        serving = asyncio.ensure_future(serve(server, seen, 3))
        agent = client.agent(VENDOR, oui=OUI)
        reply = await agent.get(lid, ATTRIBUTE, 1, b"abc", **ONCE)
        changed = await agent.set(lid, ATTRIBUTE, 2, b"xyz", **ONCE)
        refused = await agent.request(lid, ATTRIBUTE, 7, **ONCE)
        await asyncio.wait_for(serving, PATIENCE)
        assert server.stats.requests == 3
        assert not server._loop.activities
        # The kernel knows of no agent any more.
        assert not await agent.request(lid, ATTRIBUTE, timeout_ms=20, retries=-1)
    assert seen == [(madring.GET, ATTRIBUTE, 1, b"abc", lid),
                    (madring.SET, ATTRIBUTE, 2, b"xyz", lid),
                    (madring.GET, ATTRIBUTE, 7, b"\0\0\0", lid)]
    return reply.data[:4], changed.data[:4], refused.status


def run_answered():
    return asyncio.run(asyncio.wait_for(answered(), PATIENCE))


def test_requests_are_answered(simulated_fabric):
    expected = b"cba\0", b"zyx\0", 0x000c
    assert simulated_fabric(TREE).call(run_answered) == expected


def crowded():
    """More requests come than the queue has room for. Returns how many were lost."""
    async def run():
        async with madring.open() as server, madring.open() as client:
            lid = (await client.sweep()).local_port.lid
            requests = server.agent(VENDOR, oui=OUI).requests(["Get"], limit=1)
            turns = requests.__aiter__()
            first = asyncio.ensure_future(turns.__anext__())
            await asyncio.sleep(0)
            agent = client.agent(VENDOR, oui=OUI)
            asking = [asyncio.ensure_future(agent.request(lid, ATTRIBUTE, number, timeout_ms=50,
                                                          retries=-1)) for number in range(8)]
            await asyncio.wait(asking)
            await first
            last = asyncio.ensure_future(agent.request(lid, ATTRIBUTE, 8, timeout_ms=50,
                                                       retries=-1))
            await turns.__anext__()
            await last
            await turns.aclose()
            return requests.dropped, server.stats.requests
    return asyncio.run(asyncio.wait_for(run(), PATIENCE))


def test_too_many_requests(simulated_fabric):
    dropped, received = simulated_fabric(TREE).call(crowded)
    # Two were taken, and one may have waited.
    assert received == 9 and 6 <= dropped <= 7


def refused():
    with madring.open() as subnet, madring.open() as other:
        agent = subnet.agent(VENDOR, oui=OUI)
        for methods in [], [0], ["Got"], [0x81]:
            with pytest.raises(ValueError):
                agent.requests(methods)
        with pytest.raises(ValueError):
            agent.requests(limit=0)

        async def taken_twice():
            first = agent.requests(["Get"]).__aiter__()
            waiting = asyncio.ensure_future(first.__anext__())
            await asyncio.sleep(0.01)
            with pytest.raises(madring.Error) as caught:
                await other.agent(VENDOR, oui=OUI).requests(["Get"]).__aiter__().__anext__()
            subnet.close()
            with pytest.raises(madring.Error) as closed:
                await waiting
            return caught.value.errno, closed.value.errno
        return asyncio.run(taken_twice())


def test_refused(simulated_fabric):
    assert simulated_fabric(TREE).call(refused) == (errno.EADDRINUSE, errno.ESHUTDOWN)


def left():
    """A request is answered after its loop was left."""
    async def run():
        async with madring.open() as server, madring.open() as client:
            lid = (await client.sweep()).local_port.lid
            asking = asyncio.ensure_future(client.agent(VENDOR, oui=OUI).request(
                lid, ATTRIBUTE, timeout_ms=100, retries=-1))
            async for request in server.agent(VENDOR, oui=OUI).requests():
                with pytest.raises(ValueError):
                    request.answer(b"\0" * 217)
                with pytest.raises(TypeError):
                    request.answer(7)
                with pytest.raises(ValueError):
                    request.answer(status=0x8000)
                break
            await asking
            with pytest.raises(madring.Error) as caught:
                request.answer()
            return caught.value.errno, repr(request)
    return asyncio.run(run())


def test_answers_after_the_loop(simulated_fabric):
    number, text = simulated_fabric(TREE).call(left)
    assert number == errno.ESHUTDOWN and "0x0042" in text


def counted():
    with madring.open() as subnet:
        before = subnet.stats
        subnet.sweep().result()
        after = subnet.stats
    assert after.sent > before.sent == 0 and after.completed == after.accepted
    assert after.rtt_min_ns <= after.rtt_p50_ns <= after.rtt_max_ns
    with pytest.raises(dataclasses.FrozenInstanceError):
        after.sent = 0
    with pytest.raises(madring.Error):
        subnet.stats
    return after


def test_stats(simulated_fabric):
    stats = simulated_fabric(TREE).call(counted)
    assert stats.timed_out == 0 and isinstance(stats.multishot, bool)
    assert dataclasses.asdict(stats)["sent"] == stats.sent


def captured(path):
    with madring.open() as subnet:
        with subnet.capture(path) as capture:
            with pytest.raises(madring.Error) as twice:
                subnet.capture(path + "2")
            assert twice.value.errno == errno.EALREADY
            subnet.sweep().result()
            state = capture.state
            stats = subnet.stats
        capture.close()
        with pytest.raises(madring.Error) as closed:
            capture.state
        assert closed.value.errno == errno.ENOENT
        with pytest.raises(madring.Error) as missing:
            subnet.capture("/nowhere/file")
        assert missing.value.errno == errno.ENOENT and missing.value.filename == "/nowhere/file"
        with pytest.raises(ValueError):
            subnet.capture(path, max_bytes=-1)
        last = subnet.capture(path, mad_bytes=256)
    # Closing the subnet has ended it.
    last.close()
    return state.captured, state.missed, state.errno, stats.sent + stats.received


def test_capture(simulated_fabric, tmp_path):
    path = tmp_path / "mads.pcapng"
    count, missed, error, moved = simulated_fabric(TREE).call(captured, str(path))
    assert (count, missed, error) == (moved, 0, 0)
    assert path.read_bytes()[:4] == b"\x0a\x0d\x0d\x0a"
    assert path.stat().st_mode & 0o777 == 0o600
