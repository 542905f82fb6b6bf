# SPDX-License-Identifier: BSD-2-Clause
"""Runs opensm on a simulated fabric."""
import contextlib
import shutil
import signal
import subprocess
import time

import pytest

PATIENCE = 120  # seconds; nothing takes as long unless it hangs


@contextlib.contextmanager
def opensm(fabric, folder):
    """Runs opensm on the fabric, which is up on entry."""
    if not shutil.which("opensm"):
        pytest.skip("opensm is not installed")
    config, log = folder / "opensm.conf", folder / "log"
    config.write_text("force_log_flush TRUE\n")
    environment = dict(fabric.environment, OSM_TMP_DIR=str(folder), OSM_CACHE_DIR=str(folder))
    with subprocess.Popen(["opensm", "-F", str(config), "-f", str(log)], env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        try:
            end = time.monotonic() + PATIENCE
            while not log.exists() or "SUBNET UP" not in log.read_text(errors="replace"):
                assert process.poll() is None and time.monotonic() < end
                time.sleep(0.02)
            yield
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE)
            finally:
                process.kill()
