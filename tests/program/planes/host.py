# SPDX-License-Identifier: BSD-2-Clause
"""The host with four planes that the checks of this folder run programs on."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "sweep"))
import simulated
from checks import check  # simulated adds its folder to the path

FOLDER = os.path.dirname(os.path.abspath(__file__))
NETLIST = os.path.join(FOLDER, "data", "planes.net")
PERF = os.environ["MADRING_PERF"]
PING = os.environ["MADRING_PING"]
SWEEP = simulated.SWEEP
PLANES = 4


def run(*command, changes=()):
    """Runs a command on the host. Returns its exit status, output and standard error."""
    options = [word for change in changes for word in ("--do", change)]
    return simulated.under_sim(NETLIST, list(command), "--planes", str(PLANES), "--routed",
                               *options)


def output(*command, changes=(), statuses=(0,)):
    """Returns the output of a command that must have one of these statuses, and not complain."""
    status, text, errors = run(*command, changes=changes)
    check(status in statuses and not errors, f"{' '.join(command)}: status {status}: {errors}")
    return text
