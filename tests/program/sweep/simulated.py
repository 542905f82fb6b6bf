# SPDX-License-Identifier: BSD-2-Clause
"""The functions of madring-sweep's checks: they run programs on a simulated fabric."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

SIM = os.environ.get("MADRING_SIM", "madring-sim")
SWEEP = os.environ.get("MADRING_SWEEP", "madring-sweep")
SKIPPED = 77
# For fabrics that lose packets: on a busy machine, other attempts end without a reply, too.
PATIENT = ["--retries", "20", "--patience", "60000"]


def fabric(topology):
    """Returns madring-sim's options for a file, or for the specification of a generated fabric."""
    if os.path.exists(topology):
        return ["--topology", topology]
    return ["--generate", topology]


def run(command, env=None):
    """Runs a command. Returns its exit status, output and standard error."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def under_sim(topology, command, *options):
    return run([SIM, *fabric(topology), *options, "--", *command])


def sweep(topology, *arguments, sim=()):
    return under_sim(topology, [SWEEP, *arguments], *sim)


def blocks(topology_file):
    """Returns the nodes of a topology file, each with its ports, and where it was started from."""
    head, *nodes = topology_file.rstrip("\n").split("\n\n")
    started = [line for line in head.split("\n") if line.startswith("# Initiated")]
    return sorted(started + nodes)


def lines(text):
    return sorted(text.splitlines())


def local_guid(topology_file):
    return re.search(r"^# Initiated from node ([0-9a-f]{16})", topology_file, re.M).group(1)
