# SPDX-License-Identifier: BSD-2-Clause
"""The functions of madring-ping's checks that run inside a simulated fabric, as its programs."""
import contextlib
import json
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from checks import check

PING = os.environ["MADRING_PING"]
# MADRING_SIM is the simulator's own word to its programs.
SIM = os.environ["SIM_PROGRAM"]
PATIENCE = 120  # seconds; nothing takes as long unless it hangs


def on(host):
    """Returns the environment of a program on a host."""
    return dict(os.environ, SIM_HOST=host)


def run(command, host="host1", expect=0, text=None):
    """Runs a program on a host. Returns its output and standard error."""
    done = subprocess.run(command, env=on(host), input=text, capture_output=True, text=True,
                          timeout=PATIENCE)
    check(done.returncode == expect, command, "exit status", done.returncode, done.stdout,
          done.stderr)
    return done.stdout, done.stderr


def ping(*arguments, host="host1", expect=0):
    """Returns what madring-ping says. Without -t its timeout is long enough for a busy machine."""
    patience = [] if "-t" in arguments else ["-t", "30000"]
    return run([PING, *patience, *(str(argument) for argument in arguments)], host, expect)[0]


def measure(*arguments, host="host1", expect=0):
    """Returns what madring-ping says as JSON, which has to be consistent."""
    found = json.loads(ping("--json", *arguments, host=host, expect=expect))
    ended = sum(found[name] for name in ("answered", "refused", "lost", "failed", "abandoned"))
    check(found["sent"] == ended, "sent, and not ended:", found)
    check(found["delay"]["count"] == found["answered"], found)
    order = [found["delay"][name] for name in ("min_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns",
                                               "max_ns")]
    # The least one is exact, and percentiles are rounded up.
    check(order == sorted(order), "percentiles that fall:", found)
    return found


def control(*command):
    """Runs madring-sim ctl for the simulator that this runs under."""
    return run([SIM, "ctl", *command])[0]


def lid(host):
    """Returns the LID of a host's first port."""
    said = run(["ibstat", "simib0", "1"], host)[0]
    return int(said.split("Base lid:")[1].split()[0])


@contextlib.contextmanager
def program(command, host="host1"):
    """Starts a program with pipes to read. Ends it by SIGTERM if it still runs after the block."""
    with subprocess.Popen(command, env=on(host), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)


def figure(name, ns, decimals=1):
    print(f"figure: {name}: {ns / 1000:.{decimals}f} us")
