# SPDX-License-Identifier: BSD-2-Clause
"""Notices that opensm reports when links of a simulated fabric go down and up."""
import asyncio
import ipaddress
import subprocess
import time

import pytest

import madring
from madring import simulation
from madring._native import lib
from opensm import PATIENCE, opensm

TREE = "fat-tree:leafs=4,spines=2,hosts=4"
HOST = "host-01-01"
PREFIX = 0xFE80 << 112
INFORM_INFO_RECORD = 0x00F3


class Links:
    """Takes the host's link down and puts it up, from a program on the fabric."""

    def __init__(self, simulator):
        # On the fabric, MADRING_SIM is not the path of the simulator any more.
        self.simulator = simulator

    def set(self, state):
        subprocess.run([self.simulator, "ctl", "link", f"{HOST}:1", state], check=True)


async def take(notices):
    return await asyncio.wait_for(notices.__anext__(), PATIENCE)


async def next_of(notices, trap_number):
    """Returns the results up to the next notice with this number."""
    heard = []
    while not heard or not heard[-1] or heard[-1].trap_number != trap_number:
        heard.append(await take(notices))
    return heard


async def subscribe(subnet, *arguments, **options):
    notices = subnet.sa.notices(*arguments, **options).__aiter__()
    event = await take(notices)
    assert not event and (str(event), event.error, event.dropped) == ("subscribed", None, 0)
    return notices


async def wait_until(holds):
    """Waits in asyncio, where madring does what it has to do by itself."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


async def subscriptions(subnet, count):
    """Waits until the SA has so many subscriptions."""
    end = time.monotonic() + PATIENCE
    while len(await subnet.sa.query(INFORM_INFO_RECORD)) != count:
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


async def hear(links):
    async with madring.open() as subnet:
        fabric = await subnet.sweep()
        host = fabric.node(HOST).port(1)
        gid = ipaddress.IPv6Address(PREFIX | host.guid)
        notices = await subscribe(subnet)
        links.set("down")
        # The switch sees that the link is down; the SM, that the host is out of service.
        heard = await next_of(notices, 65)
        gone = heard[-1]
        down = next(notice for notice in heard if notice and notice.trap_number == 128)
        switch = host.peer.node
        assert down and down[:6] == (True, "urgent", "switch", 128, 0, 0)
        assert down.issuer_lid == down.details.lid == switch.lid
        assert down.lid == subnet.sa.sm_lid
        assert down.issuer_gid == ipaddress.IPv6Address(PREFIX | switch.port_guid)
        assert len(down.data) == 54 and down.data[:2] == switch.lid.to_bytes(2, "big")
        assert down.details._replace(lid=0) == gone.details._replace(gid=down.details.gid)
        assert gone.is_generic and gone.type == "subnet management"
        assert (gone.details.gid, gone.details.lid, gone.issuer_lid) == (gid, 0, down.lid)
        links.set("up")
        back = (await next_of(notices, 64))[-1]
        assert back.details == gone.details


async def select(links):
    """Hears by subscriptions that select notices, and that are not waited for meanwhile."""
    async with madring.open() as subnet:
        host = (await subnet.sweep()).node(HOST).port(1)
        gid, manager = ipaddress.IPv6Address(PREFIX | host.guid), subnet.sa.sm_lid
        every = await subscribe(subnet)
        of_gid = await subscribe(subnet, gid=str(gid))
        of_manager = await subscribe(subnet, lids=(manager, manager))
        of_switches = await subscribe(subnet, 128, producer="switch")
        few = await subscribe(subnet, limit=1)
        links.set("down")
        heard = await next_of(every, 65)
        links.set("up")
        heard += await next_of(every, 64)

        # Each Report goes to all that select its notice, and waits there in the same order.
        for notices, expected in (
                (of_gid, [each for each in heard if each and each.details.gid == gid]),
                (of_manager, [each for each in heard if each and each.issuer_lid == manager]),
                (of_switches, [each for each in heard if each and each.trap_number == 128])):
            assert expected and expected == [await take(notices) for _ in expected]
        assert await take(few) == heard[0]
        dropped = await take(few)
        assert not dropped and dropped.kind == "dropped" and dropped.dropped >= len(heard) - 1
        assert str(dropped) == f"dropped: {dropped.dropped} notices"


async def do_other_things(links):
    """The ring runs, and notices come, while the program waits for something else."""
    async with madring.open() as subnet:
        notices = await subscribe(subnet)
        listener, = subnet._loop.activities
        links.set("down")
        await wait_until(listener.is_ready)
        assert await take(notices)
        links.set("up")


async def unsubscribe(links):
    async with madring.open() as subnet:
        await subscriptions(subnet, 0)
        notices = await subscribe(subnet)
        await subscriptions(subnet, 1)
        await notices.aclose()
        await wait_until(lambda: not lib.madring_outstanding(subnet._loop.ring))
        await subscriptions(subnet, 0)

        notices = await subscribe(subnet)
        await subscriptions(subnet, 1)
        task = asyncio.ensure_future(notices.__anext__())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await subscriptions(subnet, 0)

        await subscribe(subnet)
        await subscriptions(subnet, 0)  # it was left at once
        notices = await subscribe(subnet)
        await subscriptions(subnet, 1)
    async with madring.open() as subnet:
        await subscriptions(subnet, 0)


def plain(links):
    """Hears without asyncio."""
    with madring.open() as subnet:
        for notice in subnet.sa.notices(65):
            if notice:
                break
            assert notice.kind == "subscribed"
            links.set("down")
        links.set("up")
        end = time.monotonic() + PATIENCE
        while subnet.sa.query(INFORM_INFO_RECORD).result():
            assert time.monotonic() < end
        return notice.trap_number


def run(function, simulator):
    if asyncio.iscoroutinefunction(function):
        return asyncio.run(function(Links(simulator)))
    return function(Links(simulator))


@pytest.mark.parametrize("function", [hear, select, do_other_things, unsubscribe, plain],
                         ids=lambda function: function.__name__)
def test_subscriptions(simulated_fabric, tmp_path, function):
    fabric = simulated_fabric(TREE, routed=False)
    with opensm(fabric, tmp_path):
        assert fabric.call(run, function, simulation.simulator()) == (
            65 if function is plain else None)
