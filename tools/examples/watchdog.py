#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: watchdog.py SECONDS: sweeps once in so many seconds, and prints what has changed."""
import sys
import time
import madring

with madring.open() as subnet:
    before = subnet.sweep().result()
    print(f"{len(before)} nodes", flush=True)
    while True:
        time.sleep(float(sys.argv[1]))
        now = subnet.sweep().result()
        for difference in now.differences_since(before):
            print(difference, flush=True)
        before = now
