#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: tables.py: prints the linear forwarding tables of all switches, as CSV: the GUID of the
switch, the LID, and the port by which it forwards packets to that LID."""
import sys
import madring

with madring.open() as subnet:
    for table in subnet.linear_tables(subnet.sweep().result()):
        if table.error:
            print(f"{table.node.description}: {table.error}", file=sys.stderr)
        for lid, port in table.items():
            print(f"0x{table.node.guid:016x},{lid},{port}")
