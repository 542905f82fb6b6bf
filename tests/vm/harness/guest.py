# SPDX-License-Identifier: BSD-2-Clause
"""A guest: qemu with a kernel and an image, watched from its start to its end.

It tells what it does through ports of its own: "results", a line for what begins, ends, and for the
end of all; "output", what the tests print; the kernel's log comes by the serial console.
"""
import os
import re
import signal
import subprocess
import sys
import time

from harness.say import Failed

# Until the guest says something, and beyond what a test may take.
BOOT_SECONDS = 180
GRACE_SECONDS = 60

# What the kernel says when something is wrong with it, or with a module.
TROUBLE = re.compile(
    r"WARNING: |BUG: |BUG at |BUG kmem|BUG vhca|Oops: |Call Trace:|general protection fault|"
    r"Kernel panic|blocked for more than|soft lockup|rcu.* stall|Objects remaining|"
    r"list_(add|del) corruption|refcount_t: |use-after-free|ran over|segfault at")
MARK = re.compile(r"madring-vm: begin (\S+)")


class Lines:
    """The lines of a file that grows."""

    def __init__(self, path):
        self.path = path
        self.offset = 0

    def read(self):
        """Those that have come whole since the last time."""
        try:
            with open(self.path, "rb") as file:
                file.seek(self.offset)
                text = file.read()
        except FileNotFoundError:
            return []
        text = text[:text.rfind(b"\n") + 1]
        self.offset += len(text)
        return text.decode(errors="replace").splitlines()


class Guest:
    """One boot."""

    def __init__(self, kernel, image, folder, memory, shell=False):
        self.kernel = kernel
        self.image = image
        self.folder = folder
        self.memory = memory
        self.shell = shell
        self.process = None
        os.makedirs(folder, exist_ok=True)
        for name in ("console", "results", "output"):
            if os.path.exists(self.path(name)):
                os.unlink(self.path(name))

    def path(self, name):
        return os.path.join(self.folder, f"{name}.log")

    def command(self):
        port = ["-device", "virtio-serial-pci"]
        for name in ("results", "output"):
            port += ["-chardev", f"file,id={name},path={self.path(name)}",
                     "-device", f"virtserialport,chardev={name},name={name}"]
        if self.shell:
            port += ["-chardev", "stdio,id=terminal,signal=off",
                     "-device", "virtconsole,chardev=terminal"]
        return ["qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-smp", "1",
                "-m", str(self.memory), "-nodefaults", "-display", "none", "-no-reboot",
                "-serial", f"file:{self.path('console')}", *port,
                "-kernel", self.kernel.image, "-initrd", self.image,
                "-append", "console=ttyS0 loglevel=6 panic=-1 oops=panic mitigations=off"]

    def start(self):
        try:
            # A session of its own: Ctrl-C is for the runner, which then ends it.
            self.process = subprocess.Popen(
                self.command(), start_new_session=not self.shell,
                stdin=None if self.shell else subprocess.DEVNULL,
                stdout=None if self.shell else subprocess.DEVNULL, stderr=subprocess.PIPE)
        except FileNotFoundError as error:
            raise Failed("qemu-system-x86_64: no such program: "
                         "tools/install-packages vm") from error

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def run(self, timeout, stream=False):
        """The events of the boot, each a list of words, as they come; the last says how it ended:
        "done", "died" or "hung". `timeout`: how long each test may take."""
        results, output = Lines(self.path("results")), Lines(self.path("output"))
        self.start()
        quiet_until = time.monotonic() + BOOT_SECONDS
        done = False
        try:
            while True:
                ended = self.process.poll() is not None
                for line in output.read() if stream else ():
                    print(line, flush=True)
                for line in results.read():
                    words = line.split()
                    quiet_until = time.monotonic() + GRACE_SECONDS + (
                        timeout(words[1]) if words[0] == "begin" else 0)
                    done |= words[0] == "done"
                    yield words
                if ended:
                    break
                if not self.shell and time.monotonic() > quiet_until:
                    yield ["hung"]
                    return
                time.sleep(0.05)
        finally:
            self.stop()
        self.explain()
        yield ["done" if done or self.shell else "died"]

    def explain(self):
        said = self.process.stderr.read().decode(errors="replace").strip()
        if self.process.returncode:
            print(f"qemu: {said}", file=sys.stderr)

    def trouble(self):
        """By test, the lines of the kernel's log that tell of trouble; "boot" is before all."""
        test, found = "boot", {}
        try:
            with open(self.path("console"), encoding="utf-8", errors="replace") as file:
                for line in file:
                    mark = MARK.search(line)
                    if mark:
                        test = mark.group(1)
                    elif TROUBLE.search(line):
                        found.setdefault(test, []).append(line.rstrip())
        except FileNotFoundError:
            pass
        return found

    def output(self):
        """What all tests printed, each below a line "==> TEST"."""
        try:
            with open(self.path("output"), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def output_of(self, test):
        """What a test printed."""
        text = self.output()
        start = text.find(f"==> {test}\n")
        end = text.find("\n==> ", start + 1)
        return "" if start < 0 else text[start:end if end >= 0 else None].rstrip()
