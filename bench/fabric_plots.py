# SPDX-License-Identifier: BSD-2-Clause
"""Draws what bench/fabric has measured."""
import os

OWN = "madring-sweep"
BOUND = "lower bound"
HEIGHT = 460


def line(**options):
    import pygal

    return pygal.Line(js=[], truncate_legend=-1, height=HEIGHT, **options)


def programs_of(cases):
    """Returns the names of the programs that any of the cases has, in their order."""
    return list(dict.fromkeys(name for case in cases for name in case["programs"]))


def time_of(case, program):
    """Returns the time of a program's sweep in ms, or None when it was given up."""
    figures = case["programs"].get(program)
    if not figures or figures["given_up"]:
        return None
    return round(figures["sweep_ms"], 1)


def draw_losses(path, cases):
    """Draws the time of a sweep by the share of packets that are lost."""
    lossy = [dict(case, loss_percent=case["loss_percent"] or 0)
             for name, case in cases.items() if name == "healthy" or case["loss_percent"]]
    lossy.sort(key=lambda case: case["loss_percent"])
    if len(lossy) < 2:
        return
    drawn = line(
        logarithmic=True, x_title="packets lost, %", y_title="ms",
        title="Time of a sweep of {:,} nodes by loss".format(lossy[0]["nodes"]))
    drawn.x_labels = ["%g" % case["loss_percent"] for case in lossy]
    for program in programs_of(lossy):
        drawn.add(program, [time_of(case, program) for case in lossy])
    drawn.add(BOUND, [round(case["bound_ms"], 1) for case in lossy], show_dots=False)
    drawn.render_to_file(path)


def draw_sizes(path, cases):
    """Draws the time of a sweep for each MAD that it needs, by the size of the fabric."""
    sized = [case for case in cases.values() if case["shape"]]
    if not sized:
        return
    sizes = sorted({case["size"] for case in sized})
    drawn = line(
        x_title="nodes, about", y_title="us", range=(0, None),
        title="Time of a sweep for each MAD that it needs, by the size of the fabric")
    drawn.x_labels = ["{:,}".format(size) for size in sizes]
    for shape in dict.fromkeys(case["shape"] for case in sized):
        by_size = {case["size"]: case for case in sized if case["shape"] == shape}
        of_shape = [by_size.get(size) for size in sizes]
        others = [name for name in programs_of(by_size.values()) if name != OWN]
        for label, programs in ((OWN, [OWN]), ("best of the others", others)):
            times = [case and least_time(case, programs) for case in of_shape]
            if any(times):
                drawn.add("%s, %s" % (label, shape), times)
        drawn.add("%s, %s" % (BOUND, shape),
                  [case and per_mad(case, case["bound_ms"]) for case in of_shape])
    drawn.render_to_file(path)


def per_mad(case, ms):
    return round(ms * 1e3 / case["mads"], 2)


def least_time(case, programs):
    """Returns the shortest time for each MAD that any of the programs took, in us."""
    times = [time_of(case, name) for name in programs]
    times = [time for time in times if time is not None]
    return per_mad(case, min(times)) if times else None


def draw(folder, result):
    os.makedirs(folder, exist_ok=True)
    draw_losses(os.path.join(folder, "loss.svg"), result["cases"])
    draw_sizes(os.path.join(folder, "sizes.svg"), result["cases"])
