# SPDX-License-Identifier: BSD-2-Clause
"""Runs that would get into each other's way wait for each other."""
import contextlib
import fcntl
import os


@contextlib.contextmanager
def alone_in(folder):
    """Keeps all other runs out of such a block of the folder until its end."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"Waiting for another run, which is in {folder}", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
