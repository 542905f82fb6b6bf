# SPDX-License-Identifier: BSD-2-Clause
"""InfiniBand management datagrams (MADs) in batches.

Sweep a subnet, and read the counters of all ports:

    import madring

    with madring.open() as subnet:
        fabric = subnet.sweep().result()
        for port, counters in subnet.counters(fabric):
            if counters:
                print(port.node.description, port.number, counters["PortXmitData"])

What is long, such as a sweep, is an object that is awaited in asyncio, or has result() elsewhere;
what has many results is iterated over with `async for` or `for`. A request without a reply is a
result like others in what has many, and an Error in what has one.

A subnet and everything opened with it belong to one thread. Other threads run while it waits.
"""
from madring._native import ffi as _ffi, lib as _lib
from madring.administration import Administration
from madring.agent import Agent, Array, Call, Once, Reply, Request, Stream
from madring.attributes import (Field, attribute_name, attribute_number, class_number, fields,
                                pack, unpack)
from madring.errors import Error, StatusError
from madring.fabric import Counts, Difference, Fabric, FoundNode, Node, Port, Problem, load
from madring.notices import Notice, NoticeDetails, Notices, SubscriptionEvent
from madring.subnet import PerformanceAgent, Subnet, Sweep, open

__version__ = _ffi.string(_lib.madring_version()).decode()

__all__ = [
    "Administration", "Agent", "Array", "Call", "Counts", "Difference", "Error", "Fabric", "Field",
    "FoundNode", "Node", "Notice", "NoticeDetails", "Notices", "Once", "PerformanceAgent", "Port",
    "Problem", "Reply", "Request", "StatusError", "Stream", "Subnet", "SubscriptionEvent", "Sweep",
    "attribute_name", "attribute_number", "class_number", "fields", "load", "open", "pack",
    "unpack",
]
