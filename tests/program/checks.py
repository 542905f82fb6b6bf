# SPDX-License-Identifier: BSD-2-Clause
"""Checks of programs, which tell what did not hold."""
import sys


class Failed(Exception):
    """A check did not hold."""


def check(holds, *what):
    if not holds:
        raise Failed(" ".join(str(part) for part in what))


def main(checks):
    """Runs checks, each a function; tells of each, and ends the program."""
    failed = 0
    for function in checks:
        try:
            function()
            print(f"ok      {function.__name__}", flush=True)
        except Failed as failure:
            failed += 1
            print(f"FAILED  {function.__name__}: {failure}", flush=True)
    sys.exit(1 if failed else 0)
