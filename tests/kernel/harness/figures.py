# SPDX-License-Identifier: BSD-2-Clause
"""The figures in lines "figure: NAME: VALUE" of the tests' output, and the table of them."""
import re

FIGURE = re.compile(r"figure: (.+?): +(.+)")
TEST = re.compile(r"==> (\S+)")


def figures_of(output):
    """Returns the values by test and name; a figure that is given again has all its values."""
    test, found = "", {}
    for line in output.splitlines():
        heading, figure = TEST.fullmatch(line), FIGURE.fullmatch(line)
        if heading:
            test = heading.group(1)
        elif figure:
            found.setdefault((test, figure.group(1)), []).append(figure.group(2).strip())
    return {key: ", ".join(values) for key, values in found.items()}


def merged(by_kernel):
    """Returns all kernels' keys; one that a later kernel alone has follows the one before it."""
    rows = []
    for figures in by_kernel:
        at = 0
        for key in figures:
            if key in rows:
                at = rows.index(key) + 1
            else:
                rows.insert(at, key)
                at += 1
    return rows


def table(by_kernel):
    """Returns the lines of the table. `by_kernel` has what figures_of() found, by kernel."""
    rows = merged(by_kernel.values())
    if not rows:
        return []
    width = max(2 + len(name) for _, name in rows)
    widths = [max([len("kernel " + kernel), *map(len, figures.values())])
              for kernel, figures in by_kernel.items()]
    heads = ("kernel " + kernel for kernel in by_kernel)
    lines = [row("figures", heads, width, widths)]
    last = None
    for test, name in rows:
        if test != last:
            lines.append(test)
            last = test
        values = (figures.get((test, name), "-") for figures in by_kernel.values())
        lines.append(row("  " + name, values, width, widths))
    return lines


def row(name, cells, width, widths):
    padded = (f"{cell:>{cell_width}}" for cell, cell_width in zip(cells, widths))
    return f"{name:{width}}  " + "  ".join(padded)
