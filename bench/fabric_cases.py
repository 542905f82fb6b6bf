# SPDX-License-Identifier: BSD-2-Clause
"""The cases of bench/fabric: a simulated fabric each, and what is wrong with it."""
import re

from common import BenchError
from discovery import FABRIC

FAULTS = ["healthy", "queue-8", "loss-1", "loss-5", "slow-spine", "stalled-leaf", "dead-270",
          "dead-10", "local-vl15", "two-sweeps"]
SHAPES = ["fat-tree", "dragonfly", "torus"]
QUICK = ["healthy", "queue-8", "loss-1", "dead-10"]
SIZES = [1000, 10000, 50000]
SLOW = "1ms"
# The leaf stalls while a sweep of some tens of ms is under way.
STALL = "20ms"
STALL_BEGINS = "20ms"
LOCAL_VL15_BYTES = 8192


def nothing(_):
    return []


class Case:
    """A fabric and the commands of madring-sim that spoil it."""

    def __init__(self, name, title, spec, shape=None, size=None):
        self.name = name
        self.title = title
        self.spec = spec
        self.shape = shape  # of a fabric that was made for about so many nodes: its size
        self.size = size
        # Commands that change how many MADs a sweep needs, or how long these take at least.
        self.changes = nothing
        # Commands that take effect as each sweep starts.
        self.events = nothing
        # Numbers of the model, by their names: a reference sweep goes without them.
        self.settings = {}
        self.dead = 0
        self.loss = None  # in percent
        self.sweeps = 1

    def is_of_settings(self):
        """Says whether the model's numbers are all that differs from a healthy fabric."""
        return (self.changes is nothing and self.events is nothing and self.sweeps == 1
                and not self.shape)

    def setting_commands(self):
        return ["set %s %s" % setting for setting in self.settings.items()]


class Plan:
    """The names of a fabric's nodes, by what a case may do to them."""

    def __init__(self, graph, local):
        self.local = local
        self.hosts = sorted(node.name for node in graph.nodes.values()
                            if node.kind == "ca" and node.name != local)
        near = {guid for guid, _, peer, _ in graph.both_ways()
                if graph.nodes[peer].kind == "ca"}
        switches = {guid: node.name for guid, node in graph.nodes.items() if node.kind == "switch"}
        entry = {guid for guid, _, peer, _ in graph.both_ways()
                 if graph.nodes[peer].name == local}
        self.spines = sorted(name for guid, name in switches.items() if guid not in near)
        self.leafs = sorted(name for guid, name in switches.items()
                            if guid in near and guid not in entry)

    def other_host(self):
        """Returns the host that a second sweep starts from."""
        return one_of(self.hosts, "host", -1)

    def some_hosts(self, count):
        """Returns hosts all over the fabric. The last one is left alone, for a second sweep."""
        hosts = self.hosts[:-1]
        if count > len(hosts):
            raise BenchError("the fabric has no %d hosts to spare" % count)
        return [hosts[number * len(hosts) // count] for number in range(count)]


def one_of(names, kind, which):
    if not names:
        raise BenchError("the fabric has no %s that the case could change" % kind)
    return names[which]


def middle(names, kind):
    return one_of(names, kind, len(names) // 2)


def quoted(name):
    return '"%s"' % name


def fault_case(name, spec):
    """Returns the case of that name, or None. Numbers in names are free to choose."""
    kind, _, number = name.rpartition("-")
    if name == "healthy":
        return Case(name, "all well", spec)
    if kind == "queue" and re.fullmatch(r"[1-9]\d*", number):
        case = Case(name, "management queues of " + number, spec)
        case.settings = {"queue": number}
        return case
    if kind == "loss" and re.fullmatch(r"\d+(\.\d+)?", number) and float(number) < 100:
        case = Case(name, number + " % of packets lost", spec)
        case.settings = {"loss": "%g" % (float(number) / 100)}
        case.loss = float(number)
        return case
    if kind == "dead" and re.fullmatch(r"[1-9]\d*", number):
        case = Case(name, number + " dead hosts", spec)
        case.dead = int(number)
        case.changes = lambda plan: [
            "node %s dead" % quoted(host) for host in plan.some_hosts(case.dead)]
        return case
    return named_case(name, spec)


def named_case(name, spec):
    if name == "slow-spine":
        case = Case(name, "one spine takes %s" % SLOW, spec)
        case.changes = lambda plan: [
            "node %s service %s" % (quoted(middle(plan.spines, "spine")), SLOW)]
    elif name == "stalled-leaf":
        case = Case(name, "one leaf stalls for %s" % STALL, spec)
        case.events = lambda plan: [
            "at +%s node %s stall %s" % (STALL_BEGINS, quoted(middle(plan.leafs, "leaf")), STALL)]
    elif name == "local-vl15":
        case = Case(name, "local VL15 buffer of %d bytes" % LOCAL_VL15_BYTES, spec)
        case.settings = {"local-vl15": str(LOCAL_VL15_BYTES)}
    elif name == "two-sweeps":
        case = Case(name, "two sweeps at once, from two hosts", spec)
        case.sweeps = 2
    else:
        case = None
    return case


def fat_tree(size):
    """Returns the tree of three levels whose number of nodes is nearest to the size."""
    def nodes(radix):
        return radix ** 3 // 4 + 5 * radix ** 2 // 4
    radix = min(range(4, 254, 2), key=lambda radix: abs(nodes(radix) - size))
    return "fat-tree:radix=%d,levels=3" % radix


def dragonfly(size):
    """Returns a balanced dragonfly: groups of a switches, with a/2 hosts and global cables each."""
    def group(a):
        return a * (a // 2 + 1)
    a = next(a for a in range(4, 254, 2) if (a * a // 2 + 1) * group(a) >= size)
    return "dragonfly:a=%d,p=%d,h=%d,groups=%d" % (
        a, a // 2, a // 2, max(2, round(size / group(a))))


def torus(size):
    """Returns the cube of switches with a host each."""
    edge = max(2, round((size / 2) ** (1 / 3)))
    return "torus:%dx%dx%d" % (edge, edge, edge)


SPECS = {"fat-tree": fat_tree, "dragonfly": dragonfly, "torus": torus}


def cases_of(names, spec, sizes):
    """Yields the cases of these names. A shape is a case for each size."""
    for name in names:
        if name in SPECS:
            for size in sizes:
                yield Case("%s-%d" % (name, size), "about {:,} nodes, all well".format(size),
                           SPECS[name](size), name, size)
        else:
            yield fault_case(name, spec or FABRIC)


def is_case(name):
    return name in SPECS or fault_case(name, FABRIC) is not None
