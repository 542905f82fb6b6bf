#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: rates.py [SECONDS]: prints what each port sends and receives in bytes per second, as CSV,
from two readings of the counters."""
import sys
import time
import madring

with madring.open() as subnet:
    fabric = subnet.sweep().result()
    before = subnet.counter_array(fabric).result()
    start = time.monotonic()
    time.sleep(float(sys.argv[1]) if len(sys.argv) > 1 else 1)
    after = subnet.counter_array(fabric).result()
    seconds = time.monotonic() - start
for one, two in zip(before, after):
    if not one["errno"] and not two["errno"]:
        sent, received = (4 * (int(two[name]) - int(one[name])) / seconds
                          for name in ("PortXmitData", "PortRcvData"))
        print(f"{two['node_guid']:016x},{two['port']},{sent:.0f},{received:.0f}")
