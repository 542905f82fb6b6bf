# SPDX-License-Identifier: BSD-2-Clause
"""Runs functions and programs on a simulated fabric (madring-sim)."""
from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
from typing import Any, Callable, Dict, List, Sequence, TypeVar

T = TypeVar("T")

# The child finds the function by its module, or by the file of a module that is not importable,
# such as a test.
_CHILD = """
import importlib.util, pickle, sys
sys.path[:] = pickle.loads(bytes.fromhex(sys.argv[1]))
name, file, function, arguments, keywords = pickle.load(sys.stdin.buffer)
try:
    if file and name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    call = __import__("operator").attrgetter(function)(importlib.import_module(name))
    answer = True, call(*pickle.loads(arguments), **pickle.loads(keywords))
except Exception as error:
    import traceback
    answer = False, (error, traceback.format_exc())
try:
    text = pickle.dumps(answer)
except Exception as error:
    text = pickle.dumps((False, (RuntimeError(f"the result cannot be pickled: {error}"), "")))
with open(int(sys.argv[2]), "wb") as out:
    out.write(text)
"""


def simulator() -> str:
    """Returns the path of madring-sim: $MADRING_SIM, or where PATH has it."""
    path = os.environ.get("MADRING_SIM") or shutil.which("madring-sim")
    if not path:
        raise FileNotFoundError("madring-sim is not in PATH; or set MADRING_SIM to its path")
    return path


def options_of(topology: str) -> List[str]:
    """Returns madring-sim's options for a topology file, or for the specification of a generated
    fabric, such as "fat-tree:leafs=4,spines=2,hosts=4"."""
    return ["--topology" if os.path.exists(topology) else "--generate", topology]


class SimulatedFabric:
    """A simulated fabric, as long as the `with` statement lasts. Programs and functions that it
    runs see it as the local device; this process does not."""

    def __init__(self, topology: str, *options: str, routed: bool = True):
        command = [simulator(), *options_of(topology), *(["--routed"] if routed else []), *options]
        # The simulator preloads a library into what it starts, which the environment names.
        self.process = subprocess.Popen(
            [*command, "--", "sh", "-c", "env -0; echo; exec sleep 86400"],
            stdout=subprocess.PIPE, start_new_session=True)
        assert self.process.stdout
        line = self.process.stdout.readline()
        self.environment: Dict[str, str] = dict(
            pair.split("=", 1) for pair in os.fsdecode(line).split("\0") if "=" in pair)
        if not self.environment:
            self.close()
            raise RuntimeError(f"madring-sim did not start: {' '.join(command)}")

    def __enter__(self) -> "SimulatedFabric":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the simulator and what runs on it."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    def run(self, command: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[str]":
        """Runs a program on the fabric, as subprocess.run() does."""
        return subprocess.run(command, env=self.environment, text=True, check=False, **options)

    def control(self, *command: str) -> str:
        """Changes or asks the fabric, such as control("node", "switch1", "dead"); see
        madring-sim-scenario(5)."""
        done = self.run([simulator(), "ctl", *command], stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return done.stdout

    def call(self, function: Callable[..., T], *arguments: Any, **keywords: Any) -> T:
        """Calls a function in a child process on the fabric, and returns its result or raises its
        exception. The function belongs to a module; arguments and result can be pickled."""
        if "<locals>" in function.__qualname__:
            raise ValueError(f"{function.__qualname__} is local: define it in the module")
        module = sys.modules[function.__module__]
        # The child must not take __main__ for its own.
        name = "madring_caller" if module.__name__ == "__main__" else module.__name__
        job = pickle.dumps((name, getattr(module, "__file__", None), function.__qualname__,
                            pickle.dumps(arguments), pickle.dumps(keywords)))
        receive, send = os.pipe()
        try:
            child = subprocess.Popen(
                [sys.executable, "-c", _CHILD, pickle.dumps(sys.path).hex(), str(send)],
                env=self.environment, stdin=subprocess.PIPE, pass_fds=[send])
        finally:
            os.close(send)
        with child, open(receive, "rb") as answers:
            assert child.stdin
            child.stdin.write(job)
            child.stdin.close()
            answer = answers.read()
        if not answer:
            raise RuntimeError(f"the child ended with {child.returncode}")
        is_good, result = pickle.loads(answer)
        if is_good:
            returned: T = result
            return returned
        error, trace = result
        raise error from RuntimeError(f"in the child:\n{trace}")
