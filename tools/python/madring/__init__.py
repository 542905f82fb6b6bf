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
try:
    from madring._native import ffi as _ffi, lib as _lib
except ImportError as error:
    raise ImportError(f"{error}: madring needs its libraries, at the version that it was built "
                      "with: install libmadring and run ldconfig, or name their folder in "
                      "LD_LIBRARY_PATH", name=error.name, path=error.path) from error
from madring.administration import Administration, Answer, Query
from madring.agent import (GET, GET_TABLE, SET, Agent, Array, Call, Grh, Once, Reply, Request,
                           Requests, Stream)
from madring.attributes import (Field, attribute_name, attribute_number, class_number, fields,
                                pack, unpack)
from madring.capture import Capture, CaptureState
from madring.errors import Error, MemoryError, StatusError, TimeoutError
from madring.fabric import (Counts, Difference, Fabric, FoundNode, Node, Port, Problem, SwitchInfo,
                            load)
from madring.notices import Notice, NoticeDetails, Notices, SubscriptionEvent
from madring.received import ReceivedRequest
from madring.stats import Stats
from madring.subnet import PerformanceAgent, Subnet, Sweep, open
from madring.tables import LinearTable, MulticastTable

__version__ = _ffi.string(_lib.madring_version()).decode()

__all__ = [
    "Administration", "Agent", "Answer", "Array", "Call", "Capture", "CaptureState", "Counts",
    "Difference", "Error", "Fabric", "Field", "FoundNode", "GET", "GET_TABLE", "Grh",
    "LinearTable", "MemoryError", "MulticastTable", "Node", "Notice", "NoticeDetails", "Notices",
    "Once", "PerformanceAgent", "Port", "Problem", "Query", "ReceivedRequest", "Reply", "Request",
    "Requests", "SET", "Stats", "StatusError", "Stream", "Subnet", "SubscriptionEvent", "Sweep",
    "SwitchInfo", "TimeoutError", "attribute_name", "attribute_number", "class_number", "fields",
    "load", "open", "pack", "unpack",
]
