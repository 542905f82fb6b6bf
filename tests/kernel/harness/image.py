# SPDX-License-Identifier: BSD-2-Clause
"""Makes the guest's first file system, in memory: programs, libraries, modules and tests."""
import lzma
import os
import re
import shutil
import subprocess

from harness import cpio
from harness.say import Failed, run

MODULES = ["virtio_pci", "virtio_console", "ib_core", "ib_cm", "ib_umad", "rdma_rxe", "dummy",
           "crc32_generic", "crc32c_generic"]
# Older kernels have these apart, and rdma_rxe needs them; newer ones have no such modules.
NOT_IN_ALL = {"crc32_generic", "crc32c_generic"}
# These programs are the machine's own, with the libraries that they need.
PROGRAMS = ["opensm", "dump_fts", "dump_lfts", "dump_mfts", "ibaddr", "ibcacheedit", "ibccquery",
            "ibhosts", "iblinkinfo", "ibnetdiscover", "ibnodes", "ibping", "ibportstate",
            "ibqueryerrors", "ibroute", "ibrouters", "ibstat", "ibswitches", "ibsysstat",
            "ibtracert", "perfquery", "saquery", "sminfo", "smpdump", "smpquery", "vendstat",
            "rdma", "strace"]
# The programs read these, where they exist.
SETTINGS = ["/etc/infiniband-diags"]
# The parts of a build that are taken along, at the same places below /madring.
BUILT = ["src", "tools", "tests", "bench"]
INSTALLED_AT = "/madring"


def find_program(name):
    path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin:/bin")
    if not path:
        raise Failed(f"{name}: no such program: tools/install-packages build test kernel")
    return path


def place(source, root, path):
    target = root + path
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copy(source, target)


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def libraries_of(program):
    """Returns the paths of its libraries and of its loader; none for what is linked statically."""
    done = subprocess.run(["ldd", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False)
    text = done.stdout.decode()
    if "not found" in text:
        raise Failed(f"{program}: a library is missing:\n{text}")
    return set(re.findall(r"(?:=> |^\t)(/\S+) \(", text, re.M))


class Image:
    """The guest's file system, in a folder of the host until it is packed."""

    def __init__(self, kernel, folder):
        self.kernel = kernel
        self.root = folder
        shutil.rmtree(folder, ignore_errors=True)
        for name in ("bin", "dev", "etc", "proc", "root", "run", "sbin", "sys", "tmp", "usr/bin",
                     "var/log", "var/cache/opensm"):
            os.makedirs(os.path.join(folder, name))
        os.symlink("bin", f"{folder}/usr/sbin")
        self.libraries = set()

    def program(self, source, path):
        place(source, self.root, path)
        self.libraries |= libraries_of(source)

    def built(self, build):
        """Adds the programs and libraries of a build of madring."""
        for part in BUILT:
            for folder, _, files in os.walk(os.path.join(build, part)):
                for name in files:
                    source = os.path.join(folder, name)
                    inside = INSTALLED_AT + "/" + os.path.relpath(source, build)
                    if not os.access(source, os.X_OK) or not is_elf(source):
                        continue
                    self.program(source, inside)

    def programs(self):
        for name in PROGRAMS:
            self.program(find_program(name), f"/usr/bin/{name}")
        self.program(find_program("busybox"), "/bin/busybox")
        os.symlink("busybox", f"{self.root}/bin/sh")
        for path in SETTINGS:
            if os.path.exists(path):
                shutil.copytree(path, self.root + path)

    def tree(self, source, path):
        shutil.copytree(source, self.root + path, ignore=shutil.ignore_patterns("__pycache__"))

    def place_libraries(self, build):
        for path in sorted(self.libraries):
            # A build's own libraries are found beside the programs that need them.
            if not path.startswith(os.path.abspath(build) + "/"):
                place(path, self.root, path)

    def modules(self, vhca):
        """Adds kernel modules and those that they need, unpacked, where modprobe looks for them."""
        # It unpacks every module to read it, which takes a minute; its findings stay.
        if not os.path.exists(f"{self.kernel.modules}/modules.dep"):
            run(["depmod", "-b", self.kernel.root, self.kernel.release], "depmod of the kernel")
        target = f"{self.root}/lib/modules/{self.kernel.release}"
        os.makedirs(target)
        with open(f"{self.kernel.modules}/modules.dep", encoding="utf-8") as file:
            needs = dict(line.rstrip("\n").split(":") for line in file)
        by_name = {os.path.basename(path).split(".")[0].replace("-", "_"): path for path in needs}
        for name in MODULES:
            if name in by_name:
                for path in [by_name[name], *needs[by_name[name]].split()]:
                    self._module(path, target)
            elif name not in NOT_IN_ALL and not self._is_builtin(name):
                raise Failed(f"kernel {self.kernel.release} has no module {name}")
        place(vhca, target, "/extra/vhca.ko")
        for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
            shutil.copy(f"{self.kernel.modules}/{name}", target)
        run(["depmod", "-b", self.root, self.kernel.release], "depmod of the guest")

    def _is_builtin(self, name):
        with open(f"{self.kernel.modules}/modules.builtin", encoding="utf-8") as file:
            return re.search(rf"/{name}\.ko$", file.read().replace("-", "_"), re.M)

    def _module(self, path, target):
        source = f"{self.kernel.modules}/{path}"
        place(source, target, "/" + path)
        if path.endswith(".xz"):
            with lzma.open(source) as packed, open(f"{target}/{path[:-3]}", "wb") as file:
                shutil.copyfileobj(packed, file)
            os.unlink(f"{target}/{path}")

    def pack(self, target):
        cpio.archive(self.root, target)
