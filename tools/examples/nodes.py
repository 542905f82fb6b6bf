#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: nodes.py: prints each node as soon as it answers, and what did not answer."""
import asyncio
import madring


async def main() -> None:
    async with madring.open() as subnet:
        sweep = subnet.sweep()
        async for node in sweep:
            print(f"{node.guid:016x} {node.type} {','.join(map(str, node.path))}")
        assert sweep.fabric
        for problem in sweep.fabric.problems:
            print(f"{','.join(map(str, problem.path))}: {problem.text}")

asyncio.run(main())
