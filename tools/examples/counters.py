#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: counters.py: prints the bytes that each port has sent and received, as CSV."""
import madring

with madring.open() as subnet:
    for port, counters in subnet.counters(subnet.sweep().result()):
        if counters:
            print(port.node.description, port.number, 4 * counters["PortXmitData"],
                  4 * counters["PortRcvData"], sep=",")
