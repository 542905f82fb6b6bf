#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: who_is_sm.py: prints the subnet managers, and on which nodes they run."""
import madring

STATES = ["not active", "discovering", "standby", "master"]

with madring.open() as subnet:
    for manager in subnet.sa.query("SMInfoRecord").result():
        node, = subnet.sa.query("NodeRecord", LID=manager["LID"]).result()
        print(f"LID {manager['LID']}, {node['NodeString']}: {STATES[manager['SMState']]}, "
              f"priority {manager['Priority']}")
