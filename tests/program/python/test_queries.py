# SPDX-License-Identifier: BSD-2-Clause
"""Queries of subnet administration: alone, many at once, and as streams of records."""
import asyncio
import time

import pytest

import madring
from madring import administration
from opensm import opensm

TREE = "fat-tree:leafs=4,spines=2,hosts=4"


class Counted:
    """The native part, with the calls of some functions counted."""

    def __init__(self, lib):
        self.lib = lib
        self.counts = {}

    def __getattr__(self, name):
        self.counts[name] = self.counts.get(name, 0) + 1
        return getattr(self.lib, name)


async def many():
    """What a query costs depends neither on sysfs nor on how many others wait."""
    counted = administration.lib = Counted(administration.lib)
    async with madring.open() as subnet:
        lids = [node["LID"] for node in await subnet.sa.node_records()]
        counted.counts.clear()
        began = time.monotonic()
        waiting = [asyncio.create_task(subnet.sa.query("PathRecord", SLID=one, DLID=other))
                   for one in lids for other in lids]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not subnet._loop.waiters and len(subnet._loop.activities) == 1
        found = await asyncio.gather(*waiting)
        seconds = time.monotonic() - began
        assert all(paths[0]["SL"] == 0 for paths in found) and len(found) == len(lids) ** 2
        assert counted.counts["questions_add"] == len(found)
        assert counted.counts.get("madring_sa_refresh", 0) <= seconds + 1
        # The answers are taken as they come; each turn of the ring looks for them once.
        assert counted.counts["questions_take"] <= 2 * len(found) + counted.counts[
            "questions_settle"]


async def streams():
    async with madring.open() as subnet:
        sa = subnet.sa
        nodes = await sa.node_records()
        assert [record async for record in sa.records("NodeRecord")] == nodes
        paths = await sa.query("PathRecord", DLID=nodes[0]["LID"])
        assert await sa.records("PathRecord", DLID=nodes[0]["LID"]) == paths
        async for record in sa.records("NodeRecord"):
            assert record == nodes[0]
            break

        pairs = [{"SLID": one["LID"], "DLID": other["LID"], "NumbPath": 1}
                 for one in nodes for other in nodes]
        most = 0
        seen = []
        async for answer in sa.queries("PathRecord", pairs, most=10):
            assert answer and len(answer) == 1
            seen.append((answer.query["SLID"], answer.query["DLID"]))
            assert answer.records[0]["DLID"] == answer.query["DLID"]
            stream, = [each for each in subnet._loop.activities
                       if isinstance(each, administration._Stream)]
            most = max(most, stream.outstanding)
        assert sorted(seen) == sorted((pair["SLID"], pair["DLID"]) for pair in pairs)
        assert most <= 20

        # An answer that is none is a result like others.
        answers = await sa.queries("NodeRecord", [{"LID": nodes[0]["LID"]}, {"LID": 0xB000}],
                                   method="Get")
        good, = [answer for answer in answers if answer]
        bad, = [answer for answer in answers if not answer]
        assert good.records == [nodes[0]] and bad.query == {"LID": 0xB000}
        assert bad.status == 0x0300 and isinstance(bad.error, madring.StatusError)
        with pytest.raises(madring.StatusError):
            bad.records
        assert not [each for each in subnet._loop.activities
                    if isinstance(each, administration._Stream)]


async def canceled():
    async with madring.open() as subnet:
        await subnet.sa.node_records()
        lid = subnet.sa.sm_lid
        for _ in range(100):
            waiting = asyncio.create_task(subnet.sa.query("NodeRecord", LID=lid))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        assert len(await subnet.sa.query("NodeRecord", LID=lid)) == 1
        questions = subnet.sa._one
        assert not questions.futures and not questions.outcomes and not questions.asked


def plain():
    with madring.open() as subnet:
        nodes = subnet.sa.node_records().result()
        assert list(subnet.sa.records("NodeRecord")) == nodes
        answers = list(subnet.sa.queries("NodeRecord", ({"LID": each["LID"]} for each in nodes)))
        assert sorted(each.records[0]["LID"] for each in answers) == sorted(
            each["LID"] for each in nodes)


def run(function):
    if asyncio.iscoroutinefunction(function):
        asyncio.run(function())
    else:
        function()


@pytest.mark.parametrize("function", [many, streams, canceled, plain],
                         ids=lambda function: function.__name__)
def test_queries(simulated_fabric, tmp_path, function):
    fabric = simulated_fabric(TREE, routed=False)
    with opensm(fabric, tmp_path):
        fabric.call(run, function)
