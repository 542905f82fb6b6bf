# SPDX-License-Identifier: BSD-2-Clause
"""Runs the diagnostic tools on the host, for the guest to compare its own output with theirs."""
import os
import shutil
import subprocess

from harness.say import Failed, run

# Debian has the tools in folders that are not in everybody's path.
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
SECONDS = 300


def expect(lists, build, top, folder):
    """Carries out the lists of commands in tests/kernel/guest/diagnostics that have these names;
    what each prints is then in a file of its name in the folder, and beside it the fabric's
    LIDs."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name in sorted(lists):
        print(f"Diagnosing a fabric on the host: {name}", flush=True)
        try:
            run([f"{top}/tests/kernel/host/expected", f"{build}/tools/madring-sim/madring-sim",
                 f"{top}/tests/kernel/guest/diagnostics/{name}", os.path.join(folder, name)],
                f"diagnosing {name}", env=dict(os.environ, PATH=PATH), timeout=SECONDS)
        except subprocess.TimeoutExpired as expired:
            raise Failed(f"diagnosing {name}: not done in {SECONDS} s") from expired
