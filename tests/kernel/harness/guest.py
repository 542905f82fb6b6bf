# SPDX-License-Identifier: BSD-2-Clause
"""A guest: qemu with a kernel and an image, from its start to its end.

It tells what it does through ports of its own: "results", a line for what begins, ends, and for the
end of all; "output", what the tests print; the kernel's log comes by the serial console.
"""
import os
import re
import shutil
import subprocess
import termios
import threading
import time

from harness.say import Failed

QEMU = "qemu-system-x86_64"

# The file that a shell in a guest reads, and the character that ends it where the file ends.
INPUT = 0
CTRL_D = b"\x04"

# The time until the guest says something, and the time beyond what a test may take.
BOOT_SECONDS = 180
GRACE_SECONDS = 60

# The kernel's words when something is wrong with it, or with a module.
TROUBLE = re.compile(
    r"WARNING: |BUG: |BUG at |BUG kmem|BUG vhca|Oops: |Call Trace:|general protection fault|"
    r"Kernel panic|blocked for more than|soft lockup|rcu.* stall|Objects remaining|"
    r"list_(add|del) corruption|refcount_t: |use-after-free|ran over|segfault at")
MARK = re.compile(r"madring-test: begin (\S+)")
# The lines of the log that are shown, from the first sign of trouble on.
TROUBLE_LINES = 40


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


class Terminal:
    """The settings of the runner's terminal: qemu changes them, and leaves them so when killed."""

    def __init__(self):
        self.settings = termios.tcgetattr(INPUT) if os.isatty(INPUT) else None

    def restore(self):
        if self.settings:
            termios.tcsetattr(INPUT, termios.TCSADRAIN, self.settings)


class Typist(threading.Thread):
    """Types into a guest's terminal what a runner that has none itself is given, and from the end
    of that on Ctrl-D: again and again, as what the shell runs may read one, too."""

    def __init__(self, keyboard):
        super().__init__(daemon=True)
        self.keyboard = keyboard

    def run(self):
        with self.keyboard:
            try:
                while text := self._given():
                    self._type(text)
                while True:
                    self._type(CTRL_D)
                    time.sleep(0.5)
            except BrokenPipeError:
                pass    # the guest has ended

    @staticmethod
    def _given():
        try:
            return os.read(INPUT, 4096)
        except OSError:
            return b""

    def _type(self, text):
        while text:
            text = text[os.write(self.keyboard.fileno(), text):]


class Lines:
    """The lines of a file that grows."""

    def __init__(self, path):
        self.path = path
        self.offset = 0

    def read(self):
        """Returns the whole lines that were added since the last time."""
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
    """A boot of a kernel, for the tests in `todo`. `timeout`, called with a test, returns how many
    seconds it may take."""

    def __init__(self, kernel, image, folder, timeout, todo=(), memory=1024, shell=False,
                 counted=False):
        self.kernel = kernel
        self.image = image
        self.folder = folder
        self.timeout = timeout
        self.todo = todo
        self.memory = memory
        self.shell = shell
        self.counted = counted
        self.process = None
        self.terminal = Terminal() if shell else None
        self.typist = None
        self.over = False
        self._done = self._told = False
        self._quiet_until = 0
        os.makedirs(folder, exist_ok=True)
        for name in ("console", "results", "output", "qemu"):
            if os.path.exists(self.path(name)):
                os.unlink(self.path(name))
        self._results = Lines(self.path("results"))
        self._output = Lines(self.path("output"))

    def path(self, name):
        return os.path.join(self.folder, f"{name}.log")

    def command(self):
        port = ["-device", "virtio-serial-pci"]
        for name in ("results", "output"):
            port += ["-chardev", f"file,id={name},path={self.path(name)}",
                     "-device", f"virtserialport,chardev={name},name={name}"]
        if self.shell:
            # A terminal with several users ends qemu at Ctrl-A X.
            port += ["-chardev", "stdio,id=terminal,mux=on,signal=off",
                     "-device", "virtconsole,chardev=terminal"]
        clock = ["-icount", "shift=0,sleep=off"] if self.counted else []
        # A guest that gets no processor for long takes its own threads for stalled.
        settings = ["console=ttyS0", "loglevel=6", "panic=-1", "oops=panic", "mitigations=off",
                    "rcupdate.rcu_cpu_stall_suppress=1", f"todo={','.join(self.todo)}"]
        # qemu does not outlive the runner, however that ends.
        return ["setpriv", "--pdeathsig", "KILL",
                QEMU, "-accel", "tcg", *clock, "-cpu", "max", "-smp", "1",
                "-m", str(self.memory), "-nodefaults", "-display", "none", "-no-reboot",
                "-serial", f"file:{self.path('console')}", *port,
                "-kernel", self.kernel.image, "-initrd", self.image,
                "-append", " ".join(settings)]

    def start(self):
        if not shutil.which(QEMU):
            raise Failed(f"{QEMU}: no such program: tools/install-packages kernel")
        with open(self.path("qemu"), "wb") as said:
            # A session of its own: Ctrl-C is for the runner, which then ends it.
            self.process = subprocess.Popen(
                self.command(), start_new_session=not self.shell, stderr=said,
                stdin=self._input(), stdout=None if self.shell else subprocess.DEVNULL)
        if self.process.stdin:
            self.typist = Typist(self.process.stdin)
            self.typist.start()
        self._quiet_until = time.monotonic() + BOOT_SECONDS

    def _input(self):
        if not self.shell:
            return subprocess.DEVNULL
        # At the end of its input qemu goes on without any: it is to have none but a terminal.
        return None if os.isatty(INPUT) else subprocess.PIPE

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
            if self.terminal:
                self.terminal.restore()
        self.over = True

    def events(self):
        """Returns what it has told since the last time, each a list of words. The last of all says
        how it ended, "done", "died" or "hung"; then `over` is set."""
        ended = self.process.poll() is not None
        found = [line.split() for line in self._results.read() if line.strip()]
        for words in found:
            self._told = True
            self._done |= words[0] == "done"
            self._quiet_until = time.monotonic() + GRACE_SECONDS + (
                self.timeout(words[1]) if words[0] == "begin" else 0)
        if ended:
            self.over = True
            found.append(["done" if self._done or self._is_left() else "died", *self._why()])
        elif not self.shell and time.monotonic() > self._quiet_until:
            self.stop()
            found.append(["hung"])
        return found

    def _is_left(self):
        return self.shell and self.process.returncode == 0

    def _why(self):
        """Returns what qemu said, when it failed. A qemu that never ran is no guest that died."""
        if not self.process.returncode:
            return []
        said = " ".join(text_of(self.path("qemu")).split())
        if not self._told:
            raise Failed(f"qemu, status {self.process.returncode}: {said}")
        return [f"qemu, status {self.process.returncode}: {said}"]

    def new_output(self):
        """Returns the lines that it printed since the last time."""
        return self._output.read()

    def output(self):
        """Returns what all tests printed, each below a line "==> TEST"."""
        return text_of(self.path("output"))

    def output_of(self, test):
        """Returns what a test printed."""
        text = self.output()
        start = text.find(f"==> {test}\n")
        end = text.find("\n==> ", start + 1)
        return "" if start < 0 else text[start:end if end >= 0 else None].rstrip()

    def trouble(self):
        return trouble_of(text_of(self.path("console")))


def trouble_of(console):
    """Returns, by test, the lines of the kernel's log from the first that tells of trouble; "boot"
    is before all tests."""
    test, found = "boot", {}
    for line in console.splitlines():
        mark = MARK.search(line)
        if mark:
            test = mark.group(1)
        elif test in found or TROUBLE.search(line):
            lines = found.setdefault(test, [])
            if len(lines) < TROUBLE_LINES:
                lines.append(line.rstrip())
    return found
