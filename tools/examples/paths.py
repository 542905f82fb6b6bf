#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: paths.py: prints the paths from the local port to all hosts, as the subnet manager has
them."""
import asyncio
import madring


async def main() -> None:
    async with madring.open() as subnet:
        local = (await subnet.sweep()).local_port
        assert local
        hosts = [node for node in await subnet.sa.node_records() if node["NodeType"] == 1]
        for paths in await asyncio.gather(*(subnet.sa.query("PathRecord", SLID=local.lid,
                                                            DLID=h["LID"]) for h in hosts)):
            for path in paths:
                print(path["SLID"], path["DLID"], path["SL"], path["Mtu"], path["Rate"])

asyncio.run(main())
