#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: hosts_gone.py FILE: prints the hosts of a saved sweep (madring-sweep --json) that are
gone."""
import sys
import madring

old = madring.load(sys.argv[1])
with madring.open() as subnet:
    found = {node.guid for node in subnet.sweep().result()}
gone = [node for node in old if node.type == "ca" and node.guid not in found]
for node in gone:
    print(f"{node.guid:016x} {node.description}")
sys.exit(bool(gone))
