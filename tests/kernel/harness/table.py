# SPDX-License-Identifier: BSD-2-Clause
"""The tables: what became of the tests, and what they measured, by kernel."""
from harness import figures


def cell(results, test):
    if test in results.failed():
        return "FAIL"
    return f"pass {results.seconds[test]:6.1f} s" if test in results.tests else ""


def table(all_results):
    """Returns the lines of both tables."""
    # A dictionary for the order and against doubles: each kernel has about the same ones.
    rows = dict.fromkeys(test for results in all_results
                         for test in [*results.tests, *results.failed()])
    width = max(map(len, rows), default=4)
    heads = (f"{'kernel ' + results.kernel.name:>14}" for results in all_results)
    lines = [" ".join([" " * width, *heads])]
    for test in rows:
        cells = (f"{cell(results, test):>14}" for results in all_results)
        lines.append(" ".join([f"{test:{width}}", *cells]))
    lines += figures.table({results.kernel.name: results.figures for results in all_results})
    failed = sum(len(results.failed()) for results in all_results)
    passed = sum(len(results.passed()) for results in all_results)
    again = [f"{results.kernel.name}: {test}: passed at the second try; at the first: {why}"
             for results in all_results for test, why in results.second_try.items()]
    return lines + again + [f"{passed} passed, {failed} failed"]
