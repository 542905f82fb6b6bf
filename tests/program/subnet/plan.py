# SPDX-License-Identifier: BSD-2-Clause
"""The commands of infiniband-diags that look at a fabric, one by one.

Each has a name, in which nodes stand by their description, whatever their LIDs are.
"""
import re

import fabrics
from fabrics import check, output_of

FEW = 8  # nodes; of more, only some are asked everything


class Port:
    """An end port: a host's or router's, or a switch's port 0."""

    def __init__(self, kind, lid, number, guid, name):
        self.kind, self.lid, self.number, self.guid, self.name = kind, lid, number, guid, name
        self.peers = {}  # names, by the number of a switch's port, or of this one
        self.cabled = []

    def __str__(self):
        return f"'{self.name}':{self.number}"


def discover():
    """Returns the end ports of the subnet that have LIDs, as ibnetdiscover finds them, in order."""
    ports = {}
    for line in output_of("ibnetdiscover", "--ports").splitlines():
        found = re.match(r"(CA|SW|RT)\s+(\d+)\s+(\d+)\s+0x(\w+) \w+ \w+"
                         r"(?: - .*\( '(.*)' - '(.*)' \))?(?:\s+'(.*)')?", line)
        check(found, f"ibnetdiscover --ports: {line}")
        kind, lid, number, guid, name, peer, alone = found.groups()
        if kind != "SW" and not peer:
            continue
        key = (kind, int(lid), 0 if kind == "SW" else int(number))
        port = ports.setdefault(key, Port(*key, guid, name or alone))
        if peer:
            port.peers[int(number)] = peer
            port.cabled = sorted(port.peers)
    return sorted(ports.values(), key=lambda port: (port.name, port.number))


def some_of(ports, local):
    """Returns all ports of a small fabric; else this one, and the first and last of each kind."""
    if len(ports) <= FEW:
        return ports
    chosen = {str(local): local}
    for kind in ("CA", "SW", "RT"):
        of_kind = [port for port in ports if port.kind == kind]
        for port in of_kind[:1] + of_kind[-1:]:
            chosen[str(port)] = port
    return list(chosen.values())


def smpquery(port):
    lid = str(port.lid)
    numbers = [port.number] if port.number else [0, port.cabled[0], port.cabled[-1]]
    for operation in ("nodeinfo", "nodedesc", "guidinfo"):
        yield f"smpquery {operation} {port}", ["smpquery", operation, lid]
    for number in sorted(set(numbers)):
        for operation in ("portinfo", "portinfoextended", "pkeys", "sl2vl", "vlarb", "mepi"):
            yield (f"smpquery {operation} {port} {number}",
                   ["smpquery", operation, lid, str(number)])
    if port.kind == "SW":
        yield f"smpquery switchinfo {port}", ["smpquery", "switchinfo", lid]
        yield (f"smpquery by combined route, beyond {port}",
               ["smpquery", "-c", "nodedesc", lid, f"0,{port.cabled[0]}"])
    yield f"smpquery by GUID {port}", ["smpquery", "-G", "nodedesc", f"0x{port.guid}"]


def perfquery(port):
    lid = str(port.lid)
    number = str(port.cabled[0])
    for options in ("", "-x", "-r", "-x -r", "-R"):
        yield (f"perfquery {options} {port} {number}",
               ["perfquery", *options.split(), lid, number])
    for options in ("-a", "-a -l", "-a -r", "-a -l -x"):
        yield f"perfquery {options} {port}", ["perfquery", *options.split(), lid]
    for options in ("-D", "-E"):
        yield f"perfquery {options} {port} {number}", ["perfquery", options, lid, number]


def saquery(ports, local):
    other = ports[-1] if ports[0] is local else ports[0]
    for options in ("-N", "-p", "-g", "-m", "-s", "-I", "-c", "-x", "-S", "-D"):
        yield f"saquery {options}", ["saquery", options]
    yield "saquery -P", ["saquery", "-P", str(local.number), "-N"]
    yield f"saquery -L {local}", ["saquery", "-L", local.name]
    yield f"saquery -G {local}", ["saquery", "-G", local.name]
    yield f"saquery -O {local}", ["saquery", "-O", str(local.lid)]
    yield f"saquery -U {local}", ["saquery", "-U", f"0x{local.guid}"]
    yield (f"saquery --src-to-dst {local} {other}",
           ["saquery", "--src-to-dst", f"{local.lid}:{other.lid}"])
    for record in ("CPI", "NR", "PIR", "SL2VL", "VLAR", "IIR", "LR", "SR", "PR", "MCMR", "LFTR",
                   "MFTR", "SWIR", "SMIR", "GIR"):
        yield f"saquery {record}", ["saquery", record]
    # opensm shows these only to a client that knows the SM_Key, which is 1 by default.
    yield "saquery PKTR", ["saquery", "--smkey", "1", "PKTR"]


def commands(ports, local):
    """Yields the (name, command) of each, for a fabric whose end ports are these."""
    for name in ("ibnetdiscover", "iblinkinfo", "ibhosts", "ibswitches", "sminfo"):
        yield name, [name]
    chosen = some_of(ports, local)
    for port in chosen:
        yield from smpquery(port)
    for port in chosen:
        if port.kind == "SW":
            yield f"ibroute {port}", ["ibroute", str(port.lid)]
            yield f"ibroute -M {port}", ["ibroute", "-M", str(port.lid)]
        for other in chosen:
            if port is not other:
                yield f"ibtracert {port} {other}", ["ibtracert", str(port.lid), str(other.lid)]
    for port in chosen:
        yield from perfquery(port)
    yield "ibqueryerrors", ["ibqueryerrors"]
    yield from saquery(ports, local)
    yield from port_states(ports, local)


def port_states(ports, local):
    """Yields the (name, command) of each; the port is active again when the last has been done."""
    hosts = {port.name for port in ports if port.kind != "SW"} - {local.name}
    port, number = next((port, number) for port in ports if port.kind == "SW"
                        for number in port.cabled if port.peers[number] in hosts)
    words = ["ibportstate", str(port.lid), str(number)]

    def is_active():
        output = output_of("smpquery", "portinfo", *words[1:])
        return re.search(r"^LinkState:\.*Active$", output, re.M)

    yield "ibportstate query", [*words, "query"]
    yield "ibportstate disable", [*words, "disable"]
    yield "ibportstate query while disabled", [*words, "query"]
    yield "ibportstate enable", [*words, "enable"]
    fabrics.wait_until("the enabled port to be active", is_active)
    yield "ibportstate query while enabled", [*words, "query"]
    yield "ibportstate reset", [*words, "reset"]
    fabrics.wait_until("the port that was reset to be active", is_active)
    yield "ibportstate query after reset", [*words, "query"]


def find_local(ports):
    """Returns the port that the programs run on."""
    lid = int(re.search(r"^# Port info: Lid (\d+)|^Lid:\.*(\d+)$",
                        output_of("smpquery", "-D", "portinfo", "0"), re.M).group(2))
    return next(port for port in ports if port.lid == lid)


def look(report):
    """Carries all of them out; the name and what @report makes of (command, result) of each."""
    ports = discover()
    local = find_local(ports)
    return {name: report(command, fabrics.run(*command))
            for name, command in commands(ports, local)}
