# SPDX-License-Identifier: BSD-2-Clause
"""The part of bench/peers about discovery: libibnetdisc and madring discover whole fabrics of
madring-sim's."""
import json

from common import BenchError, median_of, note, run

FABRIC = "fat-tree:leafs=30,spines=30,hosts=30"
# The profiles of madring-sim.
PROFILES = {
    "ideal": "where the fabric takes no time",
    "modelled": "where links and nodes take theirs",
}
SMPS = [1, 2, 8, 64]
# The row of madring with no limit but its own windows.
OWN = "own"
PROGRAMS = {"libibnetdisc": "discover-ibnetdisc", "madring": "discover-madring"}
COLUMNS = [
    ("wall ms", "wall_ms", "{:,.1f}"),
    ("CPU ms", "cpu_ms", "{:,.1f}"),
    ("calls", "syscalls", "{:,.0f}"),
    ("SMPs", "smps", "{:,.0f}"),
]


def points():
    """Yields the profile, the row and the client of each measurement."""
    for profile in PROFILES:
        for smps in SMPS:
            for client in PROGRAMS:
                yield profile, str(smps), client
        yield profile, OWN, "madring"


def figures_of(counted):
    """Returns the figures of one discovery, the mean of those that were counted."""
    discoveries = counted["discoveries"]
    return {
        "wall_ms": counted["wall_ns"] / discoveries / 1e6,
        "cpu_ms": counted["cpu_ns"] / discoveries / 1e6,
        "syscalls": counted["syscalls"] / discoveries,
        "smps": counted["smps"] / discoveries,
    }


class Discovery:
    def __init__(self, simulator, programs, smps):
        """The simulator, what the programs' paths begin with, and the least SMPs a run."""
        self.simulator = simulator
        self.programs = programs
        self.smps = smps
        self.nodes = None
        self.rounds = {}

    def run(self, profile, row, client):
        limit = "--own-windows" if row == OWN else "--in-flight=" + row
        return json.loads(run([
            self.simulator, "--generate", FABRIC, "--profile", profile, "--",
            self.programs + PROGRAMS[client], limit, "--mads=%d" % self.smps,
        ]))

    def measure(self, profile, row, client):
        counted = self.run(profile, row, client)
        if self.nodes is None:
            self.nodes = counted["nodes"]
        if not counted["nodes"] or counted["nodes"] != self.nodes:
            raise BenchError(
                "%s found %d nodes, where %d were found before"
                % (client, counted["nodes"], self.nodes)
            )
        return figures_of(counted)

    def round(self, number):
        for point in points():
            note("round %d: discovery, profile %s, %s in flight, %s" % (number, *point))
            self.rounds.setdefault(point, []).append(self.measure(*point))

    def report(self):
        """Returns what was discovered, and the figures by profile, row and client."""
        found = {}
        for (profile, row, client), rounds in self.rounds.items():
            row = found.setdefault(profile, {}).setdefault(row, {})
            row[client] = dict(median_of(rounds), rounds=rounds)
        return {"discovered": {"fabric": FABRIC, "nodes": self.nodes}, "discovery": found}


def print_tables(report, rounds):
    for profile, rows in report["discovery"].items():
        print(
            "\nDiscovery of %s, %s, all %d nodes, median of %d:"
            % (report["discovered"]["fabric"], PROFILES[profile], report["discovered"]["nodes"],
               rounds)
        )
        print("  %9s  %-18s" % ("in flight", "client")
              + "".join(" %11s" % name for name, *_ in COLUMNS))
        for row, clients in rows.items():
            for client, figures in clients.items():
                print(
                    "  %9s  %-18s" % (row, client)
                    + "".join(" %11s" % form.format(figures[key]) for _, key, form in COLUMNS)
                )


def chart(report):
    import pygal

    drawn = pygal.Line(
        js=[], truncate_legend=-1, logarithmic=True, x_title="SMPs in flight", y_title="ms",
        title="Time to discover %(nodes)d nodes" % report["discovered"],
    )
    drawn.x_labels = [*map(str, SMPS), OWN]
    for profile, rows in report["discovery"].items():
        for client in PROGRAMS:
            found = [rows[row].get(client) for row in drawn.x_labels]
            drawn.add(
                "%s, %s" % (client, profile),
                [figures and round(figures["wall_ms"], 1) for figures in found],
            )
    return drawn
