# SPDX-License-Identifier: BSD-2-Clause
"""Subscriptions on a fabric without a subnet manager. tests/program/python has those with one."""
import asyncio
import errno
import ipaddress

import pytest

import madring
from madring import notices as decoding
from madring._native import ffi, lib

TREE = "fat-tree:leafs=2,spines=1,hosts=2"
PATIENCE = 120  # seconds; nothing takes as long unless it hangs


def call(simulated_fabric, function):
    return simulated_fabric(TREE, routed=False).call(function)


def error_of(function):
    with pytest.raises(madring.Error) as caught:
        function()
    return caught.value.errno


def first(notices):
    return next(iter(notices))


def lost():
    with madring.open() as subnet:
        event = first(subnet.sa.notices())
        assert not event and event.kind == "lost" and event.error.errno == errno.ENETUNREACH
        # Leaving a loop leaves nothing behind.
        for _ in subnet.sa.notices():
            break
        return str(event), len(subnet._loop.activities)


def test_lost(simulated_fabric):
    expected = "lost: the subnet has no subnet manager", 0
    assert call(simulated_fabric, lost) == expected


def refused():
    with madring.open() as subnet, madring.open() as other:
        for options in {"trap_number": 128, "vendor": True}, {"producer": 1, "device_id": 1}, {
                "producer": "host"}, {"gid": "fe80"}:
            with pytest.raises(ValueError):
                subnet.sa.notices(**options)
        with pytest.raises(ValueError):
            subnet.sa.notices(lids=(1,))
        for options in {"trap_class": "SA"}, {"lids": (2, 1)}, {"limit": 0}:
            assert error_of(lambda: first(subnet.sa.notices(**options))) == errno.EINVAL
        # The kernel gives the Reports of a port, or the Traps of a class, to one agent.
        first(subnet.sa.notices())
        assert error_of(lambda: first(other.sa.notices())) == errno.EADDRINUSE
        return len(subnet._loop.activities + other._loop.activities)


def test_refused(simulated_fabric):
    assert call(simulated_fabric, refused) == 0


async def closed():
    """Returns how a subscription ends that is waited for while the subnet, or the SA, is closed."""
    ended = []
    for close in madring.Subnet.close, lambda subnet: subnet.sa.close():
        async with madring.open() as subnet:
            sa = subnet.sa
            notices = sa.notices().__aiter__()
            assert (await notices.__anext__()).kind == "lost"
            waiting = asyncio.ensure_future(notices.__anext__())
            await asyncio.sleep(0)
            close(subnet)
            with pytest.raises(madring.Error) as caught:
                await asyncio.wait_for(waiting, PATIENCE)
            ended.append(caught.value.errno)
            ended.append(error_of(lambda: first(sa.notices())))
            ended.append(error_of(lambda: sa.node_records().result()))
            ended.append(error_of(lambda: sa.sm_lid))
    return ended


def run_closed():
    return asyncio.run(closed())


def test_closed(simulated_fabric):
    assert call(simulated_fabric, run_closed) == [errno.ESHUTDOWN] * 8


async def ended():
    """Ends subscriptions by canceling what waits, by aclose(), and by leaving the loop."""
    async with madring.open() as subnet:
        async def listen(started):
            async for _ in subnet.sa.notices():
                started.set()

        started = asyncio.Event()
        task = asyncio.ensure_future(listen(started))
        await started.wait()
        assert len(subnet._loop.activities) == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not subnet._loop.activities

        notices = subnet.sa.notices().__aiter__()
        await notices.__anext__()
        await notices.aclose()
        assert not subnet._loop.activities

        async for _ in subnet.sa.notices():
            break
        # asyncio closes the iterator in one of its next turns.
        for _ in range(1000):
            await asyncio.sleep(0)
        return len(subnet._loop.activities)


def run_ended():
    return asyncio.run(ended())


def test_ended(simulated_fabric):
    assert call(simulated_fabric, run_ended) == 0


def heard(kind, **values):
    """Returns what the native part has heard of a notice, and of the subscription."""
    result = ffi.new("struct heard *", {"kind": kind, "lid": 9})
    for name, value in values.items():
        setattr(result.notice if hasattr(result.notice, name) else result, name, value)
    return result


def test_vendor():
    notice = decoding._heard_of(heard(
        lib.MADRING_NOTIFICATION_NOTICE, type=0, producer_type=0x0002C9, trap_number=0x1234,
        issuer_lid=7, data=bytes(range(54)), issuer_gid={"raw": b"\xfe\x80" + bytes(14)}))
    assert notice == madring.Notice(False, "fatal", "", 0, 0x0002C9, 0x1234, 7,
                                    ipaddress.IPv6Address("fe80::"), 9, bytes(range(54)), None)


def test_details():
    def notice(trap_number, **values):
        return decoding._heard_of(heard(
            lib.MADRING_NOTIFICATION_NOTICE, is_generic=1, producer_type=1, trap_number=trap_number,
            **values))

    assert notice(999).details is None and notice(999, type=99).type == "unknown"
    assert notice(131).producer == "ca" and notice(131).issuer_gid is None
    # Trap 131: a LID behind 2 bytes, and a port.
    details = notice(131, data=bytes([0, 0, 0, 5, 3]) + bytes(49)).details
    assert (details.lid, details.port) == (5, 3)
    assert details._replace(lid=0, port=0) == notice(131).details


def test_why_lost():
    refusal = decoding._heard_of(heard(lib.MADRING_NOTIFICATION_LOST, status=-errno.EREMOTEIO,
                                       mad_status=0x0200))
    assert isinstance(refusal.error, madring.StatusError) and refusal.error.status == 0x0200
    silence = decoding._heard_of(heard(lib.MADRING_NOTIFICATION_LOST, status=-errno.ETIMEDOUT))
    assert silence.error.errno == errno.ETIMEDOUT and str(silence).startswith("lost: ")
