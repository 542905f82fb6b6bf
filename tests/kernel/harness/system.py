# SPDX-License-Identifier: BSD-2-Clause
"""A small Debian 13 in a folder, in which modules are built for kernels that are too new for the
machine.

The tools that come with such a kernel's headers need a newer C library than Debian 12 has, and its
headers need a newer compiler. Nothing of this Debian is configured or started: it is unpacked, and
entered with chroot.
"""
import os
import shutil

from harness.lock import alone_in
from harness.packages import MIRROR, Apt, unpack
from harness.say import Failed, run

KERNELS = {"7.3"}
SUITES = [("trixie", MIRROR, ["trixie"])]
PACKAGES = ["base-files", "binutils", "coreutils", "dash", "findutils", "gcc-14", "grep",
            "libelf1t64", "libssl3t64", "make", "mawk", "perl-base", "sed", "zlib1g"]

# The command shows the folders inside under their own names, and then runs there what is left of
# its arguments. The namespace of its mounts is its own, and ends with it.
ENTER = """
root=$1
for path in /dev /proc "$2" "$3"; do
    mkdir -p "$root$path"
    mount --rbind "$path" "$root$path"
done
shift 3
exec chroot "$root" /usr/bin/env -i PATH=/usr/bin LC_ALL=C "$@"
"""


def stamp_text():
    return "".join(f"{package}\n" for package in PACKAGES)


def is_whole(stamp):
    try:
        with open(stamp, encoding="utf-8") as file:
            return file.read() == stamp_text()
    except FileNotFoundError:
        return False


def fetch(folder, stamp):
    print(f"Fetching a small Debian 13 into {folder}, to build modules in", flush=True)
    apt = Apt(SUITES, folder)
    apt.update()
    debs = apt.download_with_dependencies(PACKAGES)
    if os.path.exists(stamp):
        os.unlink(stamp)
    root = os.path.join(folder, "root")
    unpack(debs, root)
    # Alternatives are links that only an installation makes.
    if not os.path.exists(f"{root}/usr/bin/awk"):
        os.symlink("mawk", f"{root}/usr/bin/awk")
    # The stamp comes last, so that a run that was stopped is not taken for a whole one.
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(stamp_text())
    apt.remove()


def root_of(cache):
    """Returns the folder that it is in, from the cache if it is there."""
    folder = os.path.join(os.path.abspath(cache), "trixie")
    stamp = os.path.join(folder, "unpacked")
    with alone_in(folder):
        if not is_whole(stamp):
            fetch(folder, stamp)
    return os.path.join(folder, "root")


def around(kernel, cache, folder):
    """Returns the words before a command that let it run where modules are built for the kernel:
    none on this machine itself. `folder` is what the command may write to."""
    if kernel.name not in KERNELS:
        return []
    if not shutil.which("unshare"):
        raise Failed("unshare: no such program: tools/install-packages kernel")
    # Whoever is not root is root in a user namespace.
    mapped = [] if os.geteuid() == 0 else ["--map-root-user"]
    words = ["unshare", *mapped, "--mount", "sh", "-euc", ENTER, "-", root_of(cache), kernel.root,
             folder]
    run([*words, "true"], f"entering the small Debian that modules for {kernel.name} are built in "
        "(it needs leave to mount: root, or user namespaces)")
    return words
