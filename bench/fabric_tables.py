# SPDX-License-Identifier: BSD-2-Clause
"""The tables of bench/fabric."""
import sys

COLUMNS = [
    ("sweep ms", 10, lambda of, bound: "{:,.1f}".format(of["sweep_ms"])),
    ("/ bound", 8, lambda of, bound: "%.2f" % (of["sweep_ms"] / bound)),
    ("in all ms", 10, lambda of, bound: "{:,.1f}".format(of["in_all_ms"])),
    ("MADs", 10, lambda of, bound: "{:,.0f}".format(of["mads"])),
    ("retries", 9, lambda of, bound: "{:,.0f}".format(of["retries"])),
    ("full", 8, lambda of, bound: "{:,.0f}".format(of["queue_full"])),
    ("lost", 8, lambda of, bound: "{:,.0f}".format(of["lost"])),
    ("local", 7, lambda of, bound: "{:,.0f}".format(of["local_drops"])),
    ("complete", 9, lambda of, bound: complete(of)),
]
SLOWER = ("slower", 8, lambda of, bound: "%.2f" % of["slowest_to_fastest"])
OWN = "madring-sweep"


def complete_rounds(figures):
    return sum(not one["given_up"] and not one["nodes_apart"] and not one["cables_apart"]
               for one in figures["rounds"])


def complete(figures):
    """Says in how many rounds a sweep was complete."""
    whole, rounds = complete_rounds(figures), len(figures["rounds"])
    return "yes" if whole == rounds else "%d of %d" % (whole, rounds)


def print_case(case):
    print("\n%(title)s: %(fabric)s, %(nodes)d nodes, %(cables)d cables\n"
          "lower bound %(bound_ms).1f ms by %(busiest)s, %(mads)d MADs" % case)
    columns = COLUMNS + ([SLOWER] if case["sweeps"] > 1 else [])
    print("  %-22s" % "program" + "".join("%*s" % (width, head) for head, width, _ in columns))
    for program, figures in case["programs"].items():
        texts = [(form(figures, case["bound_ms"]), width) for _, width, form in columns]
        if figures["given_up"]:
            texts[0] = "> %.0f s" % (figures["sweep_ms"] / 1e3), COLUMNS[0][1]
        print("  %-22s" % program + "".join("%*s" % (width, text) for text, width in texts))
    sys.stdout.flush()


def best_of(case, beginning):
    """Returns the time of the best program whose name begins so, and its options, or None."""
    times = [(figures["sweep_ms"], name[len(beginning):])
             for name, figures in case["programs"].items()
             if name.startswith(beginning) and complete_rounds(figures) == len(figures["rounds"])]
    return min(times, default=None)


def print_summary(cases):
    row = "  %-18s %9s %14s %8s %8s %16s %11s %18s"
    print("\nAll cases, sweep ms:\n" + row % (
        "case", "bound ms", OWN, "/ bound", "full", "best fixed", "own / best", "ibnetdiscover"))
    for name, case in cases.items():
        own = case["programs"][OWN]
        best = {program: best_of(case, program + " ") for program in (OWN, "ibnetdiscover")}
        print(row % (
            name, "{:,.1f}".format(case["bound_ms"]), "{:,.1f}".format(own["sweep_ms"]),
            "%.2f" % (own["sweep_ms"] / case["bound_ms"]), "{:,.0f}".format(own["queue_full"]),
            *("{:,.1f} ({})".format(*best[OWN]) if best[OWN] else "",
              "%.2f" % (own["sweep_ms"] / best[OWN][0]) if best[OWN] else ""),
            "{:,.1f} ({})".format(*best["ibnetdiscover"]) if best["ibnetdiscover"] else ""))


def print_paces(paces):
    """Prints the virtual times of each case, and the MADs sent and dropped for want of room."""
    print("In virtual time:\n  %-22s" % "case"
          + "".join("%14s ms %8s %8s" % (name, "MADs", "full") for name in paces))
    for case in next(iter(paces.values())):
        figures = [pace[case] for pace in paces.values()]
        print("  %-22s" % case + "".join(
            "{:17,.1f} {:8,d} {:8,d}".format(one["ns"] / 1e6, one["sent"], one["dropped"]["full"])
            for one in figures) + ("" if all(one["complete"] for one in figures) else "  no"))
