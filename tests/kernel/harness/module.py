# SPDX-License-Identifier: BSD-2-Clause
"""The virtual HCA's module, built against a kernel's headers, without a warning."""
import glob
import hashlib
import os
import shutil
import subprocess

from harness import checkpatch, system
from harness.say import Failed, run


# The fabric's folder has the interface between the module and the fabric.
ABI = "tools/madring-sim/vhca/vhca_abi.h"

# The kernels whose headers sparse cannot read, and why. It checks the same sources on the others.
BEYOND_SPARSE = {"7.3": "sparse 0.6.4 does not know __typeof_unqual__, which the headers use"}


def sources_of(top):
    folder = f"{top}/tests/kernel/vhca"
    return sorted(glob.glob(f"{folder}/*.[ch]") + [f"{folder}/Kbuild", f"{top}/{ABI}"])


def fingerprint(kernel, files):
    digest = hashlib.sha256(kernel.release.encode())
    for name in files:
        with open(name, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def make(kernel, cache, folder, *settings):
    """Builds the module. Returns what make says, standard error included."""
    done = subprocess.run(
        # Kernel packages may come with type information that only pahole could extend.
        [*system.around(kernel, cache, folder),
         "make", "-s", f"-j{os.cpu_count()}", "-Otarget", "-C", kernel.headers,
         f"M={folder}", "W=1", "KCFLAGS=-Werror", "CONFIG_DEBUG_INFO_BTF_MODULES=", *settings,
         "modules"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
    text = done.stdout.decode(errors="replace")
    if done.returncode:
        raise Failed(f"building the module for {kernel.release} failed:\n{text}")
    return text


def make_with_sparse(kernel, cache, folder):
    """Builds the module, and checks it. Sparse looks at the kernel's headers too; only what it says
    of the module counts."""
    if kernel.name in BEYOND_SPARSE:
        print(f"Sparse does not check this module: {BEYOND_SPARSE[kernel.name]}", flush=True)
        make(kernel, cache, folder)
        return
    if not shutil.which("sparse"):
        raise Failed("sparse: no such program: tools/install-packages kernel")
    text = make(kernel, cache, folder, "C=2")
    found = [line for line in text.splitlines() if line.startswith(folder)]
    if found:
        raise Failed("sparse, of the module:\n" + "\n".join(found))


def module(kernel, top, build, cache):
    """Returns the path of vhca.ko. Checks and builds it when the sources have changed."""
    folder = os.path.join(os.path.abspath(build), f"vhca-{kernel.name}")
    built = os.path.join(folder, "vhca.ko")
    stamp = os.path.join(folder, "built-from")
    files = sources_of(top)
    wanted = fingerprint(kernel, files)
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == wanted:
                return built
    print(f"Building the module for {kernel.release}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name in files:
        shutil.copy(name, folder)
    checkpatch.check(cache, files)
    make_with_sparse(kernel, cache, folder)
    run(["strip", "--strip-debug", built], "stripping the module")
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(wanted)
    return built
