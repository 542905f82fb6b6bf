# SPDX-License-Identifier: BSD-2-Clause
"""The sweeps of bench/fabric: runs them on madring-sim, and reads what they found and what it took.

A graph has the nodes and cables that a sweep found. Its text is madring-sweep's JSON, or
ibnetdiscover's topology file.
"""

import collections
import json
import os
import re
import struct
import sys

from common import TOP, BenchError, run

IN_SIM = os.path.join(TOP, "bench", "fabric-in-sim")
# Switches take time with each MAD that passes them, and no queue drops one.
UNLIMITED = ["set queue 0"]
# A reference sweep sends each request once, and waits far longer than any reply takes. Dead nodes
# cost that time.
REFERENCE_OPTIONS = ["-o", "4096", "--retries", "0", "-t"]
REFERENCE_TIMEOUT_MS = "10000"
DEAD_TIMEOUT_MS = "3000"
REFERENCE_PATIENCE_S = 600
# What madring-sim calls the drops at the sweeper's own HCA begins with this.
LOCAL = "local"
RECORD = struct.Struct("=QQ256s")  # struct record of bench/picture/picture_record.c
SEED = 1

NODE_LINE = re.compile(r'^(?:Switch|Ca|Rt)\t\d+ "([SHR])-([0-9a-f]+)"\s*# "(.*?)"', re.MULTILINE)
PORT_LINE = re.compile(r'^\[(\d+)\](?:\([0-9a-f]+\))?\s*"[SHR]-([0-9a-f]+)"\[(\d+)\]')
KINDS = {"S": "switch", "H": "ca", "R": "router"}

Node = collections.namedtuple("Node", "kind name")


class Graph:
    def __init__(self):
        self.nodes = {}  # by GUID
        self.cables = set()

    def add_cable(self, guid, port, peer, peer_port):
        self.cables.add(min((guid, port, peer, peer_port), (peer, peer_port, guid, port)))

    def both_ways(self):
        """Yields both ends of each cable, from either end."""
        for guid, port, peer, peer_port in self.cables:
            yield guid, port, peer, peer_port
            yield peer, peer_port, guid, port

    def differences(self, other):
        """Returns the numbers of nodes and of cables that one of both graphs lacks."""
        return len(self.nodes.keys() ^ other.nodes.keys()), len(self.cables ^ other.cables)


def graph_of_json(found):
    graph = Graph()
    for node in found["nodes"]:
        guid = int(node["guid"], 16)
        graph.nodes[guid] = Node(node["type"], node["description"])
        for port in node["ports"]:
            if port["peer"]:
                graph.add_cable(guid, port["port"], int(port["peer"]["node_guid"], 16),
                                port["peer"]["port"])
    return graph


def graph_of_topology(text):
    graph = Graph()
    guid = None
    for line in text.splitlines():
        node = NODE_LINE.match(line)
        port = PORT_LINE.match(line)
        if node:
            guid = int(node[2], 16)
            graph.nodes[guid] = Node(KINDS[node[1]], node[3])
        elif port and guid is not None:
            graph.add_cable(guid, int(port[1]), int(port[2], 16), int(port[3]))
    return graph


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def recorded_ms(path):
    """Returns the time from the first MAD that record.c recorded to the last."""
    with open(path, "rb") as file:
        first = file.read(RECORD.size)
        if len(first) < RECORD.size:
            raise BenchError("%s: no MAD was recorded" % path)
        file.seek(-RECORD.size, os.SEEK_END)
        last = file.read(RECORD.size)
    return (RECORD.unpack(last)[0] - RECORD.unpack(first)[0]) / 1e6


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it says nothing"


class Program:
    """A command that sweeps, and how its output is understood."""

    def __init__(self, name, command):
        self.name = name
        self.command = command

    def take(self, sweep, result):
        """Returns the graph of a sweep that has ended, its time in ms and its retries."""
        raise NotImplementedError


class Madring(Program):
    def take(self, sweep, result):
        try:
            found = json.loads(read(sweep["output"]))
        except ValueError as error:
            raise BenchError("%s: exit status %d: %s" % (
                self.name, result["status"], last_line(read(sweep["complaints"])))) from error
        stats = found["stats"]
        return graph_of_json(found), stats["elapsed_ns"] / 1e6, stats["retried"]


class Ibnetdiscover(Program):
    def __init__(self, name, command, recorder):
        super().__init__(name, command)
        self.recorder = recorder

    def take(self, sweep, result):
        graph = graph_of_topology(read(sweep["output"]))
        # The device retries; the simulator counts that.
        return graph, recorded_ms(sweep["environment"]["MADRING_RECORD"]), 0


class Reference:
    """What a case's sweep finds, and the lower bound of its time."""

    def __init__(self, found, counted):
        self.graph = graph_of_json(found)
        local = int(found["local"]["node_guid"], 16)
        self.local = self.graph.nodes[local].name
        self.missing = len(found["missing"])
        self.retries = found["stats"]["retried"]
        self.bound_ms = counted["lower_bound"]["ns"] / 1e6
        self.busiest = counted["lower_bound"]["busiest"]["name"]
        self.mads = counted["fabric"]["sent"]


class Simulator:
    """Runs sweeps on simulated fabrics, with files in a folder of its own."""

    def __init__(self, directory, folder, patience, priority=()):
        """The build's folder, the one for files, the seconds until a sweep is given up, and what
        commands begin with."""
        tools = os.path.join(directory, "tools")
        self.program = os.path.join(tools, "madring-sim", "madring-sim")
        self.sweep = os.path.join(tools, "madring-sweep", "madring-sweep")
        self.recorder = os.path.join(directory, "bench", "picture", "librecord.so")
        self.folder = folder
        self.patience = patience
        self.priority = priority

    def path(self, name):
        return os.path.join(self.folder, name)

    def madring(self, *options):
        name = " ".join(("madring-sweep", *options))
        return Madring(name, [self.sweep, "--json", "--stats", *options])

    def ibnetdiscover(self, *options):
        name = " ".join(("ibnetdiscover", *options))
        return Ibnetdiscover(name, ["ibnetdiscover", *options], self.recorder)

    def job_of(self, program, number, host):
        sweep = {
            "command": program.command,
            "environment": {"SIM_HOST": host} if host else {},
            "output": self.path("output-%d" % number),
            "complaints": self.path("complaints-%d" % number),
        }
        if isinstance(program, Ibnetdiscover):
            sweep["preload"] = program.recorder
            sweep["environment"]["MADRING_RECORD"] = self.path("record-%d" % number)
        return sweep

    def simulate(self, spec, commands, job, seed=SEED):
        """Returns the results of a job's sweeps, and what the simulator counted."""
        with open(self.path("scenario"), "w", encoding="utf-8") as file:
            file.writelines(command + "\n" for command in commands)
        counted, report = self.path("counted"), self.path("report")
        job = dict(job, simulator=self.program, report=report)
        run([*self.priority, self.program, "--generate", spec, "--profile", "modelled",
             "--scenario", self.path("scenario"), "--seed", str(seed), "--stats", counted, "--",
             sys.executable, IN_SIM, json.dumps(job)], timeout=2 * job["patience"] + 60)
        return json.loads(read(report)), json.loads(read(counted))

    def reference(self, case, plan):
        """Sweeps without loss, each request once. Without a plan, nothing is wrong with the
        fabric."""
        changes = case.changes(plan) if plan else []
        timeout_ms = DEAD_TIMEOUT_MS if plan and case.dead else REFERENCE_TIMEOUT_MS
        program = self.madring(*REFERENCE_OPTIONS, timeout_ms)
        sweep = self.job_of(program, 0, None)
        job = {"events": [], "patience": REFERENCE_PATIENCE_S, "sweeps": [sweep]}
        results, counted = self.simulate(case.spec, UNLIMITED + changes, job)
        if results[0]["given_up"]:
            raise BenchError("%s: no sweep is done after %d s" % (case.spec, REFERENCE_PATIENCE_S))
        reference = Reference(json.loads(read(sweep["output"])), counted)
        if reference.retries or reference.missing != (case.dead if plan else 0):
            raise BenchError("%s: the reference sweep lacks replies to %d requests" % (
                case.name, reference.missing))
        return reference

    def measure(self, case, plan, reference, program, seed):
        """Returns the figures of one run of a program in a case."""
        hosts = [None, plan.other_host()] if case.sweeps > 1 else [None]
        sweeps = [self.job_of(program, number, host) for number, host in enumerate(hosts)]
        job = {"events": case.events(plan), "patience": self.patience, "sweeps": sweeps}
        commands = case.changes(plan) + case.setting_commands()
        results, counted = self.simulate(case.spec, commands, job, seed)
        figures = figures_of(program, sweeps, results, reference, self.patience)
        figures.update(drops_in(counted))
        figures["retries"] += counted["mads"]["retried"]
        return figures


def drops_in(counted):
    dropped = counted["fabric"]["dropped"]
    local = sum(count for cause, count in dropped.items() if cause.startswith(LOCAL))
    return {
        "mads": counted["fabric"]["sent"],
        "queue_full": dropped["queue_full"],
        "lost": dropped["lost"],
        "local_drops": local + counted["mads"]["overflowed"],
    }


def figures_of(program, sweeps, results, reference, patience):
    """Returns the figures of sweeps that ran at once: the times of the one that took longest."""
    times = []
    figures = {
        "in_all_ms": max(result["in_all_ms"] for result in results),
        "cpu_ms": sum(result["cpu_ms"] for result in results),
        "retries": 0, "nodes_apart": 0, "cables_apart": 0,
        "given_up": int(any(result["given_up"] for result in results)),
    }
    if figures["given_up"]:
        return dict(figures, sweep_ms=patience * 1e3, slowest_to_fastest=1,
                    nodes_apart=len(reference.graph.nodes),
                    cables_apart=len(reference.graph.cables))
    for sweep, result in zip(sweeps, results):
        graph, elapsed_ms, retries = program.take(sweep, result)
        nodes, cables = graph.differences(reference.graph)
        times.append(elapsed_ms)
        figures["nodes_apart"] += nodes
        figures["cables_apart"] += cables
        figures["retries"] += retries
    return dict(figures, sweep_ms=max(times), slowest_to_fastest=max(times) / min(times))
