#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: slow_links.py: prints the links that have another width or speed than most links."""
import collections
import madring

with madring.open() as subnet:
    links = subnet.sweep().result().links
kinds = collections.Counter((port.width, port.speed) for port, _ in links)
for port, peer in links:
    if (port.width, port.speed) != kinds.most_common(1)[0][0]:
        print(f"{port.node.description} port {port.number} - {peer.node.description} "
              f"port {peer.number}: {port.width} {port.speed}")
