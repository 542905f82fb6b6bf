#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: responder.py: answers the Gets of a vendor's class with the data that they bring."""
import asyncio
import madring


async def main() -> None:
    async with madring.open() as subnet:
        async for request in subnet.agent(0x32, oui=0x001405).requests(["Get"]):
            print(f"LID {request.lid} asks for attribute 0x{request.attribute:04x}", flush=True)
            request.answer()

asyncio.run(main())
