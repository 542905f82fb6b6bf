# SPDX-License-Identifier: BSD-2-Clause
"""Parts of tests that run inside a simulated fabric: that of madring-sim, or ibsim's.

A test calls a function there by under_sim() or under_ibsim(): the same program is started once
more, as a program of the fabric, and what the function returns comes back, by way of JSON.
"""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from checks import Failed, check

# Inside, MADRING_SIM is the simulator's own word to its programs.
SIM = os.environ.get("SIM_PROGRAM") or os.environ.get("MADRING_SIM", "madring-sim")
SWEEP = os.environ.get("MADRING_SWEEP", "madring-sweep")
SKIPPED = 77
PATIENCE = 90  # seconds; nothing takes as long unless it hangs

INSIDE = {}


def inside(function):
    """Marks a function that can be called inside a fabric."""
    INSIDE[function.__name__] = function
    return function


def need(*programs):
    """Ends the test as skipped when one is not installed."""
    for program in programs:
        if not shutil.which(program):
            print(f"{program} is not installed")
            sys.exit(SKIPPED)


def need_files(paths):
    for path in paths:
        if "/" in path and not os.path.exists(path):
            print(f"{path}: no such file; tests/run installs it")
            sys.exit(SKIPPED)


def _call(before, function, arguments, env=None):
    """Runs this program again, behind the words of @before; the function's result."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result")
        command = [*before, sys.executable, os.path.abspath(sys.argv[0]), "--inside",
                   function.__name__, json.dumps(arguments), path]
        env = dict(env or os.environ, SIM_PROGRAM=SIM)
        done = subprocess.run(command, env=env, stderr=subprocess.PIPE)
        errors = done.stderr.decode(errors="replace")
        check(os.path.exists(path), f"{function.__name__}: exit status {done.returncode}: {errors}")
        with open(path) as file:
            result = json.load(file)
    if "failed" in result:
        raise Failed(result["failed"])
    check(done.returncode == 0 and not errors, f"exit status {done.returncode}: {errors}")
    return result["returned"]


def _answer(name, arguments, path):
    try:
        result = {"returned": INSIDE[name](*json.loads(arguments))}
    except Failed as failure:
        result = {"failed": str(failure)}
    with open(path + ".new", "w") as file:
        json.dump(result, file)
    os.rename(path + ".new", path)


def topology_options(topology):
    """Returns madring-sim's options for a file, or for the specification of a generated fabric."""
    return ["--topology" if os.path.exists(topology) else "--generate", topology]


def under_sim(topology, function, *arguments, options=()):
    return _call([SIM, *topology_options(topology), *options, "--"], function, arguments)


@contextlib.contextmanager
def _ibsim(netlist):
    name = f"madring-subnet-{os.getpid()}"
    env = dict(os.environ, IBSIM_SOCKNAME=name)
    command = ["ibsim", "-s", "-n", "-N", "2000", "-S", "400", "-P", "40000", netlist]
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as server:
        try:
            while f"@{name}:ctl" not in open("/proc/net/unix").read():
                check(server.poll() is None, f"ibsim does not read {netlist}")
                time.sleep(0.01)
            yield env
        finally:
            server.kill()


def under_ibsim(netlist, host, function, *arguments):
    """The programs run on the node that is named @host in the netlist."""
    with _ibsim(netlist) as env:
        # The library is preloaded into the fabric's programs alone, not into what starts them.
        return _call([], function, arguments, dict(env, SIM_HOST=host, RUN_BY="ibsim-run"))


def _command(words):
    return os.environ.get("RUN_BY", "").split() + list(words)


def run(*words):
    """Runs a program of the fabric: its exit status, output and standard error."""
    try:
        done = subprocess.run(_command(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE)
    except subprocess.TimeoutExpired as expired:
        raise Failed(f"{' '.join(words)}: still running") from expired
    return (done.returncode, done.stdout.decode(errors="replace"),
            done.stderr.decode(errors="replace"))


def output_of(*words):
    """Runs a program that must succeed. Returns its output."""
    status, output, errors = run(*words)
    check(status == 0, f"{' '.join(words)}: exit status {status}: {output}{errors}")
    return output


def wait_until(what, holds):
    """Calls @holds until it returns something, and returns that."""
    end = time.monotonic() + PATIENCE
    while True:
        result = holds()
        if result:
            return result
        check(time.monotonic() < end, f"waited in vain: {what}")
        time.sleep(0.02)


class OpenSM:
    """A running opensm; it is ended with the block, and must end well."""

    # opensm writes its log at once.
    CONFIG = "force_log_flush TRUE\n"

    def __init__(self, *options, config="", env=None):
        self.options, self.config, self.env = options, self.CONFIG + config, env or {}

    def start(self):
        self.folder = tempfile.TemporaryDirectory()
        path = self.folder.name
        config = os.path.join(path, "opensm.conf")
        with open(config, "w") as file:
            file.write(self.config)
        self.log_file = os.path.join(path, "log")
        env = dict(os.environ, OSM_TMP_DIR=path, OSM_CACHE_DIR=path, **self.env)
        command = _command(["opensm", "-F", config, "-f", self.log_file, *self.options])
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        """Ends it; its exit status."""
        try:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGINT)
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failed("opensm does not end when it is told to") from None
        finally:
            self.folder.cleanup()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, value, traceback):
        if kind:
            print("".join(self.lines()[-40:]), file=sys.stderr)
        status = self.stop()
        # opensm crashes under ibsim when it closes its files.
        if not kind and "RUN_BY" not in os.environ:
            check(status == 0, f"opensm: exit status {status}")

    def lines(self):
        try:
            with open(self.log_file, errors="replace") as file:
                return file.readlines()
        except FileNotFoundError:
            return []

    def wait_for(self, pattern, after=0):
        """Waits for a line in the log behind so many; how many there are with it."""
        def found():
            check(self.process.poll() is None, f"opensm ended: {''.join(self.lines()[-20:])}")
            for number, line in enumerate(self.lines()[after:], after + 1):
                if re.search(pattern, line):
                    return number
            return 0
        return wait_until(f"{pattern} in opensm's log: {''.join(self.lines()[-20:])}", found)

    def errors(self):
        """Lines of its log at the level of errors; it tells of traps at that level too."""
        return [line.strip() for line in self.lines()
                if re.search(r"\] 0x01 -> (?!log_trap_info: Received Generic Notice)", line)]


def ctl(*words):
    return output_of(SIM, "ctl", *words)


def walk():
    """Returns what madring-sim finds in the forwarding tables."""
    return json.loads(run(SIM, "ctl", "--json", "walk")[1])


def main(test, programs):
    """Runs a test's function with the command line's arguments, or what is called inside."""
    if sys.argv[1:2] == ["--inside"]:
        _answer(*sys.argv[2:])
        return
    need(*programs)
    try:
        test(sys.argv[1:])
    except Failed as failure:
        sys.exit(f"FAILED: {failure}")
