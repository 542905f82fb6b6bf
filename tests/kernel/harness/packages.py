# SPDX-License-Identifier: BSD-2-Clause
"""Debian's kernels and their headers: fetched by an apt of their own, and unpacked side by side.

Nothing is installed. Sources, lists, state and cache of this apt are below the cache folder; of the
machine's apt it takes only the mirror, the proxies, and how strictly it looks at dates.
"""
import dataclasses
import glob
import os
import re
import shutil
import subprocess

from harness.lock import alone_in
from harness.say import Failed, run

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
MIRROR = "http://deb.debian.org/debian"
SECURITY = "http://deb.debian.org/debian-security"

# The suites that have a kernel: a name, the address if this machine's apt has none of the suites
# after it, and those suites.
SUITES = {
    "6.1": [("bookworm", MIRROR, ["bookworm"]),
            ("bookworm-security", SECURITY, ["bookworm-security"])],
    "6.12": [("bookworm-backports", MIRROR, ["bookworm-backports", "bookworm"])],
    "7.3": [("trixie-backports", MIRROR, ["trixie-backports", "trixie"])],
}
ROOTS = ["linux-image-amd64", "linux-headers-amd64"]
# The kernel packages depend on these to be installed, and not to be booted or built against.
UNUSED = {"linux-base", "linux-initramfs-tool", "linux-libc-dev"}


@dataclasses.dataclass
class Kernel:
    """An unpacked kernel."""
    name: str       # 6.1
    release: str    # as uname -r has it
    root: str       # the folder that it was unpacked into

    @property
    def image(self):
        beside = f"{self.modules}/vmlinuz"      # newer packages have it there
        return beside if os.path.exists(beside) else f"{self.root}/boot/vmlinuz-{self.release}"

    @property
    def modules(self):
        return f"{self.root}/lib/modules/{self.release}"

    @property
    def headers(self):
        return f"{self.root}/usr/src/linux-headers-{self.release}"


def machine_mirror(suites):
    """Returns the address that this machine's apt has one of the suites from, or None."""
    for suite in suites:
        try:
            found = subprocess.run(
                ["apt-get", "indextargets", "--format", "$(REPO_URI)", f"Codename: {suite}",
                 "Created-By: Packages", "Component: main"], stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, check=False).stdout.decode().split()
        except FileNotFoundError as error:
            raise Failed("no apt-get here: the kernels come as Debian packages, and need a Debian "
                         "system to be fetched on") from error
        if found:
            return found[0].rstrip("/")
    return None


def machine_settings():
    """Returns this machine's settings of apt: its proxies, and how strictly it checks dates."""
    dump = run(["apt-config", "dump"], "reading apt's settings")
    wanted = re.compile(r"Acquire::(https?::[A-Za-z:.-]*Proxy|Check-)")
    return [line for line in dump.splitlines() if wanted.match(line)]


class Apt:
    """An apt with a configuration, sources and state of its own, for one kernel."""

    def __init__(self, suites, folder):
        self.folder = os.path.join(folder, "apt")
        self.debs = os.path.join(folder, "debs")
        for part in ("lists/partial", "cache/archives/partial", "parts"):
            os.makedirs(os.path.join(self.folder, part), exist_ok=True)
        os.makedirs(self.debs, exist_ok=True)
        if not os.path.exists(KEYRING):
            raise Failed(f"{KEYRING}: not there: tools/install-packages kernel")
        self._write("status", [])
        self._write("sources.list", [
            f"deb [arch=amd64 signed-by={KEYRING}] {machine_mirror(known_as) or uri} {suite} main"
            for suite, uri, known_as in suites])
        self._write("apt.conf", machine_settings() + [
            f'Dir::State "{self.folder}";',
            f'Dir::State::lists "{self.folder}/lists";',
            f'Dir::State::status "{self.folder}/status";',
            f'Dir::Cache "{self.folder}/cache";',
            f'Dir::Etc "{self.folder}";',
            f'Dir::Etc::sourcelist "{self.folder}/sources.list";',
            f'Dir::Etc::sourceparts "{self.folder}/parts";',
            f'Dir::Etc::main "{self.folder}/parts/main";',
            f'Dir::Etc::parts "{self.folder}/parts";',
            f'Dir::Etc::preferences "{self.folder}/parts/preferences";',
            f'Dir::Etc::preferencesparts "{self.folder}/parts";',
            'APT::Architecture "amd64";',
            'APT::Sandbox::User "";',
            'Acquire::Languages "none";',
        ])

    def _write(self, name, lines):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)

    def _run(self, command, what, **options):
        env = dict(os.environ, APT_CONFIG=f"{self.folder}/apt.conf", LC_ALL="C")
        return run(command, what, env=env, **options)

    def update(self):
        # A list that cannot be had is only a warning to apt-get, unless it is told otherwise.
        self._run(["apt-get", "update", "-o", "APT::Update::Error-Mode=any"],
                  "fetching Debian's package lists (is there a network?)")

    def _fields(self, package):
        return self._run(["apt-cache", "show", "--no-all-versions", package],
                         f"looking for {package}")

    def version(self, package):
        return re.search(r"^Version: (.*)$", self._fields(package), re.M).group(1)

    def needed(self):
        """Returns the kernel's packages, by following what they depend on."""
        wanted, found = list(ROOTS), {}
        while wanted:
            package = wanted.pop()
            if package in found:
                continue
            found[package] = self.version(package)
            depends = re.search(r"^Depends: (.*)$", self._fields(package), re.M)
            names = re.findall(r"(?:^|, )([a-z0-9.+-]+)", depends.group(1) if depends else "")
            wanted += [name for name in names if name.startswith("linux-") and name not in UNUSED]
        return found

    def download(self, packages):
        """Downloads the packages. Returns their files."""
        self._run(["apt-get", "download", *(f"{name}={version}"
                                            for name, version in packages.items())],
                  "fetching the kernel's packages", cwd=self.debs)
        return [os.path.join(self.debs, self._file(name, version))
                for name, version in packages.items()]

    def download_with_dependencies(self, packages):
        """Downloads the packages and all that they depend on. Returns their files."""
        self._run(["apt-get", "install", "--download-only", "--no-install-recommends", "--yes",
                   *packages], f"fetching {' '.join(packages)}")
        archives = f"{self.folder}/cache/archives"
        return [os.path.join(archives, name) for name in sorted(os.listdir(archives))
                if name.endswith(".deb")]

    def remove(self):
        """Removes lists and packages, which are long and not needed any more."""
        shutil.rmtree(self.folder)
        shutil.rmtree(self.debs)

    @staticmethod
    def _file(name, version):
        return f"{name}_{version.replace(':', '%3a')}"


def files_of(prefixes):
    """Returns the package files whose names begin so; only the architecture comes after that."""
    found = []
    for prefix in prefixes:
        folder, start = os.path.split(prefix)
        matching = [name for name in os.listdir(folder)
                    if name.startswith(start + "_") and name.endswith(".deb")]
        if not matching:
            raise Failed(f"{prefix}: apt-get did not fetch it")
        found.append(os.path.join(folder, matching[0]))
    return found


def relocate_headers(root):
    """Makes what the header packages say of /usr hold below the folder they were unpacked into."""
    for top in ("usr/src", "usr/lib", "lib/modules"):
        for folder, folders, files in os.walk(os.path.join(root, top)):
            for name in folders + files:
                path = os.path.join(folder, name)
                if os.path.islink(path) and os.readlink(path).startswith("/"):
                    target = root + os.readlink(path)
                    os.unlink(path)
                    os.symlink(target, path)
                elif name in ("Makefile", ".kernelvariables") and top == "usr/src":
                    relocate_text(path, root)


def relocate_text(path, root):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    moved = re.sub(r"(?<![\w./)-])/usr/(src|lib)/linux-", rf"{root}/usr/\1/linux-", text)
    if moved != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(moved)


def release_of(root):
    for path in glob.glob(f"{root}/boot/vmlinuz-*"):
        return os.path.basename(path)[len("vmlinuz-"):]
    for path in glob.glob(f"{root}/lib/modules/*/vmlinuz"):
        return os.path.basename(os.path.dirname(path))
    raise Failed(f"{root}: no kernel image in what was unpacked")


def unpack(debs, root):
    """Unpacks the packages into the folder, in place of what is there."""
    shutil.rmtree(root, ignore_errors=True)
    partial = root + ".partial"
    shutil.rmtree(partial, ignore_errors=True)
    for deb in debs:
        run(["dpkg-deb", "-x", deb, partial], f"unpacking {os.path.basename(deb)}")
    # Newer packages leave it to the system that /lib is /usr/lib.
    if not os.path.lexists(f"{partial}/lib"):
        os.symlink("usr/lib", f"{partial}/lib")
    os.rename(partial, root)


def is_unpacked(stamp, packages):
    wanted = [f"{package} {version}" for package, version in sorted(packages.items())]
    try:
        with open(stamp, encoding="utf-8") as file:
            return sorted(file.read().splitlines()) == wanted
    except FileNotFoundError:
        return False


def fetch(name, folder):
    """Fetches Debian's newest. The kernel that is there stays until all of the new one is here."""
    root, stamp = os.path.join(folder, "root"), os.path.join(folder, "unpacked")
    print(f"Fetching kernel {name} and its headers into {folder}", flush=True)
    apt = Apt(SUITES[name], folder)
    apt.update()
    packages = apt.needed()
    if is_unpacked(stamp, packages):
        print(f"It is the newest: {packages[ROOTS[0]]}", flush=True)
        apt.remove()
        return
    debs = files_of(apt.download(packages))
    if os.path.exists(stamp):
        os.unlink(stamp)
    unpack(debs, root)
    relocate_headers(root)
    # The stamp comes last, so that a run that was stopped is not taken for a whole one.
    with open(stamp, "w", encoding="utf-8") as file:
        file.writelines(f"{package} {version}\n" for package, version in packages.items())
    apt.remove()


def kernel(name, cache, update=False):
    """Returns the kernel, from the cache if it is there; with `update`, Debian's newest."""
    folder = os.path.join(os.path.abspath(cache), name)
    root = os.path.join(folder, "root")
    with alone_in(folder):
        if update or not os.path.exists(os.path.join(folder, "unpacked")):
            fetch(name, folder)
    return Kernel(name, release_of(root), root)
