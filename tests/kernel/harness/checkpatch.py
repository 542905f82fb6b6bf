# SPDX-License-Identifier: BSD-2-Clause
"""The kernel's own check of style, as Debian's package of the kernel's sources has it."""
import os

from harness.lock import alone_in
from harness.packages import SUITES, Apt, files_of
from harness.say import run

PACKAGE = "linux-source-6.1"
FILES = ["checkpatch.pl", "spelling.txt", "const_structs.checkpatch"]
# The module is for several kernels, not for the one that it would be merged into.
IGNORED = "LINUX_VERSION_CODE,CONSTANT_COMPARISON"

# The command unpacks only these few files of a long archive inside the package.
EXTRACT = """set -o pipefail
dpkg-deb --fsys-tarfile "$1" | tar -xO "./usr/src/$2.tar.xz" |
    tar -xJ -C "$3" --strip-components=2 "${@:4}"
"""


def fetch(folder):
    print(f"Fetching checkpatch into {folder}", flush=True)
    apt = Apt(SUITES["6.1"], folder)
    apt.update()
    deb = files_of(apt.download({PACKAGE: apt.version(PACKAGE)}))[0]
    run(["bash", "-c", EXTRACT, "-", deb, PACKAGE, folder,
         *(f"{PACKAGE}/scripts/{name}" for name in FILES)], "unpacking checkpatch")
    apt.remove()


def program(cache):
    """Its path, from the cache where it is there."""
    folder = os.path.join(os.path.abspath(cache), "checkpatch")
    with alone_in(folder):
        if not all(os.path.exists(os.path.join(folder, name)) for name in FILES):
            fetch(folder)
    return os.path.join(folder, FILES[0])


def check(cache, sources):
    run(["perl", program(cache), "--no-tree", "--strict", "--terse", f"--ignore={IGNORED}",
         "--file", *sources], "checkpatch, of the module")
