# SPDX-License-Identifier: BSD-2-Clause
"""The functions that the benchmark commands share: programs, builds, medians, progress."""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A command that takes longer than that hangs.
TIMEOUT_S = 900


class BenchError(Exception):
    pass


def positive(text):
    """A number above 0 on the command line."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("not above 0: " + text)
    return value


def parser_of(program, description, rounds=5):
    """Returns a parser with the options that most of the commands have."""
    parser = argparse.ArgumentParser(
        prog=program, description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write all figures to FILE")
    parser.add_argument("--rounds", type=positive, default=rounds,
                        help="%(default)s when not given")
    parser.add_argument("--build", metavar="DIRECTORY", help="programs that are built already")
    return parser


def run(command, timeout=TIMEOUT_S, with_complaints=False):
    """Runs a command and returns what it printed, and its complaints if they are wanted; raises
    BenchError with them when it fails."""
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    except OSError as error:
        raise BenchError("%s: %s" % (command[0], error.strerror)) from error
    with process:
        try:
            output, complaints = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired as error:
            process.terminate()
            raise BenchError("%s: not done after %d s" % (command[0], timeout)) from error
        except KeyboardInterrupt:
            # Whoever interrupts by kill(1), and not by a terminal, does not reach the command.
            process.terminate()
            process.wait()
            raise
    if process.returncode:
        raise BenchError(
            "%s: exit status %d\n%s" % (" ".join(command), process.returncode, output + complaints)
        )
    return output + complaints if with_complaints else output


def build(name, packages, options, targets=()):
    """Makes a release build in the folder of that name, and returns the folder."""
    directory = os.path.join(TOP, name)
    run([os.path.join(TOP, "tools", "install-packages"), *packages])
    if not os.path.exists(os.path.join(directory, "build.ninja")):
        run(["meson", "setup", "--buildtype=release", "-Db_lto=true", *options, directory, TOP])
    run(["ninja", "-C", directory, *targets])
    return directory


def built(arguments, targets):
    """Returns the folder of --build, or builds the targets for a benchmark without the tests."""
    return os.path.abspath(arguments.build or build(
        "build-bench", ["build", "bench"], ["-Dbench=true"], targets))


def note(text):
    """Says what is being done, where somebody watches."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K" + text)
        sys.stderr.flush()


def median_of(rounds):
    """Returns the median of each figure in a list of dictionaries with the same keys."""
    return {key: statistics.median(figures[key] for figures in rounds) for key in rounds[0]}


def rates_of(counted):
    """Returns the figures of an end-to-end client's report."""
    if not counted["mads"]:
        raise BenchError("%s: too few MADs to be measured" % counted["client"])
    return {
        "mads_per_s": counted["mads"] * 1e9 / counted["wall_ns"],
        "cpu_ns_per_mad": counted["cpu_ns"] / counted["mads"],
        "syscalls_per_mad": counted["syscalls"] / counted["mads"],
    }


def check_writable(path):
    """Fails before anything is measured when the report could not be written."""
    with open(path, "a", encoding="ascii"):
        pass


def write_json(path, result):
    with open(path, "w", encoding="ascii") as file:
        json.dump(result, file, indent=2)
        file.write("\n")


def machine():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        model = re.search(r"^model name\s*:\s*(.*)$", file.read(), re.MULTILINE)
    return {
        "processor": model.group(1) if model else os.uname().machine,
        "processors": len(os.sched_getaffinity(0)),
        "kernel": os.uname().release,
        "load_before": os.getloadavg()[0],
    }


def measure_and_report(parser, key, measure):
    """Is all that a command with such a parser does: measure() gets the arguments and a temporary
    folder, prints figures, and returns them for the file of --json."""
    arguments = parser.parse_args()
    try:
        if arguments.json:
            check_writable(arguments.json)
        before = machine()
        with tempfile.TemporaryDirectory() as folder:
            figures = measure(arguments, folder)
        if arguments.json:
            write_json(arguments.json, {"machine": before, "rounds": arguments.rounds,
                                        key: figures})
    except (BenchError, OSError) as error:
        sys.exit(f"{parser.prog}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
