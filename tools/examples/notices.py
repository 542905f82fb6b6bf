#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: notices.py: prints each notice of the subnet, and what it is about. Ends on SIGINT."""
import asyncio
import madring


async def main() -> None:
    async with madring.open() as subnet:
        async for notice in subnet.sa.notices():
            if notice and notice.details:
                print(f"trap {notice.trap_number} lid {notice.details.lid} "
                      f"gid {notice.details.gid} from {notice.issuer_lid}", flush=True)
            else:
                print(notice, flush=True)  # such as "subscribed", or "lost" and why

try:
    asyncio.run(main())
except KeyboardInterrupt:
    pass
