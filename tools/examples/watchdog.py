#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: watchdog.py SECONDS: sweeps once in so many seconds, and prints the nodes that come and
go."""
import sys
import time
import madring

with madring.open() as subnet:
    before = {node.guid: node.description for node in subnet.sweep().result()}
    print(f"{len(before)} nodes", flush=True)
    while True:
        time.sleep(float(sys.argv[1]))
        now = {node.guid: node.description for node in subnet.sweep().result()}
        for guid in before.keys() ^ now.keys():
            is_new = guid in now
            print("new" if is_new else "gone", (now if is_new else before)[guid], flush=True)
        before = now
