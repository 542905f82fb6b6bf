# SPDX-License-Identifier: BSD-2-Clause
"""The parts that the runner's files share: an error that says what to do, and running programs."""
import subprocess


class Failed(Exception):
    """The run cannot go on; the text says why, and what to do."""


def run(command, what, **options):
    """Runs a command; its output. When it fails: what was to be done, and what it said."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, check=False, **options)
    except FileNotFoundError as error:
        raise Failed(f"{what}: {error.filename}: no such program: "
                     "tools/install-packages build test kernel") from error
    text = done.stdout.decode(errors="replace")
    if done.returncode:
        tail = "\n".join(text.splitlines()[-40:])
        raise Failed(f"{what}: {command[0]} failed, status {done.returncode}:\n{tail}")
    return text
