# SPDX-License-Identifier: BSD-2-Clause
"""Draws what bench/fabric has measured."""
import os
import re

from charts import draw_below

OWN = "madring-sweep"
BOUND = "lower bound"
HEIGHT = 460
# A line of madring-times --trace: the time, and numbers with their names.
TRACE_LINE = re.compile(r"^ *([\d.]+) ms  (.*)$", re.MULTILINE)
TRACE_NUMBER = re.compile(r"([a-z]+(?: [a-z]+)*) +([\d.]+)")
# The title, the unit, the curves by their names in the trace, and whether the trace has their sums
# since the start. Of these, the chart shows what each of so many steps adds.
SWEEP_CHARTS = [
    ("requests", "requests", ["window", "in flight"], False),
    ("round trip, mean", "us", ["round trip"], False),
    ("MADs dropped in each {:g} ms", "MADs", ["full", "lost", "local"], True),
]
STEPS = 120
STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
SWEEP_HEIGHT = 290


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


def round_numbers(least, most):
    """Returns 1, 2 and 5 times powers of ten, from one below the least to one above the most."""
    numbers = [mantissa * 10 ** power for power in range(-3, 8) for mantissa in (1, 2, 5)]
    first = max(number for number in numbers if number < least)
    last = min(number for number in numbers if number > most)
    return [number for number in numbers if first <= number <= last]


def draw_losses(path, cases):
    """Draws the time of a sweep by the share of packets that are lost."""
    lossy = [dict(case, loss_percent=case["loss_percent"] or 0)
             for name, case in cases.items() if name == "healthy" or case["loss_percent"]]
    lossy.sort(key=lambda case: case["loss_percent"])
    if len(lossy) < 2:
        return
    times = [one["sweep_ms"] for case in lossy for one in case["programs"].values()]
    drawn = line(
        logarithmic=True, x_title="packets lost, %", y_title="ms",
        y_labels=round_numbers(min(case["bound_ms"] for case in lossy), max(times)),
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
    bounds = [[per_mad(case, case["bound_ms"]) for case in sized if case["size"] == size]
              for size in sizes]
    drawn.add(BOUND + ", of the shape with the highest", [max(values) for values in bounds])
    drawn.render_to_file(path)


def per_mad(case, ms):
    return round(ms * 1e3 / case["mads"], 2)


def least_time(case, programs):
    """Returns the shortest time for each MAD that any of the programs took, in us."""
    times = [time_of(case, name) for name in programs]
    times = [time for time in times if time is not None]
    return per_mad(case, min(times)) if times else None


def samples_of(trace):
    """Returns the samples of a trace: the time in ms, and the numbers by their names."""
    return [(float(ms), {name: float(number) for name, number in TRACE_NUMBER.findall(numbers)})
            for ms, numbers in TRACE_LINE.findall(trace)]


def added(points, step_ms):
    """Returns what is added to a sum in each step of time, from points that have the sum."""
    sums = {int(ms / step_ms): value for ms, value in points}
    steps = range(max(sums, default=-1) + 1)
    before = 0
    values = []
    for step in steps:
        value = sums.get(step, before)
        values.append((step * step_ms, value - before))
        before = value
    return values


def draw_sweep(path, title, trace):
    """Draws what the pace does during a sweep, from a trace of madring-times."""
    import pygal

    samples = samples_of(trace)
    if not samples:
        return
    end = samples[-1][0]
    step_ms = next(step for step in STEPS_MS if end / step < STEPS or step == STEPS_MS[-1])
    charts = []
    for what, unit, names, is_sum in SWEEP_CHARTS:
        # Where no reply came, there is no round trip.
        curves = {name: [(ms, numbers[name]) for ms, numbers in samples
                         if name in numbers and (numbers[name] or name != "round trip")]
                  for name in names}
        if not any(curves.values()):
            continue
        chart = pygal.XY(js=[], truncate_legend=-1, show_dots=False, height=SWEEP_HEIGHT,
                         xrange=(0, end), x_title="ms", y_title=unit,
                         title="%s: %s" % (title, what.format(step_ms)))
        for name, points in curves.items():
            chart.add(name, added(points, step_ms) if is_sum else points)
        charts.append(chart)
    draw_below(path, charts)


def draw(folder, cases):
    """Draws what is in a report's cases; without enough of them, a picture is left out."""
    os.makedirs(folder, exist_ok=True)
    draw_losses(os.path.join(folder, "loss.svg"), cases)
    draw_sizes(os.path.join(folder, "sizes.svg"), cases)
