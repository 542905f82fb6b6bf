# SPDX-License-Identifier: BSD-2-Clause
"""madring-perf beside a simulated fabric, and the pages that it serves."""
import contextlib
import http.client
import os
import re
import signal
import subprocess
import tempfile
import threading
import time

SIM = os.environ["MADRING_SIM"]
PERF = os.environ["MADRING_PERF"]
SWEEP = os.environ["MADRING_SWEEP"]
PATIENCE = 60


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def eventually(condition, what, patience=PATIENCE):
    """Waits for another program. How long it takes is not for a test to say."""
    end = time.monotonic() + patience
    while True:
        result = condition()
        if result:
            return result
        check(time.monotonic() < end, what() if callable(what) else what)
        time.sleep(0.02)


class Page:
    """The samples of a page, by name and labels."""

    def __init__(self, text):
        self.text = text
        self.samples = {}
        self.types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
        for line in text.splitlines():
            if line.startswith("#"):
                continue
            name, labels, value = re.fullmatch(r"([a-z_0-9]+)(?:\{(.*)\})? (\S+)", line).groups()
            found = re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', labels or "")
            key = (name, frozenset(found))
            check(key not in self.samples, f"twice: {line}")
            self.samples[key] = value

    def get(self, name, **labels):
        """Returns the value, as it is written; None: there is no such sample."""
        return self.samples.get((name, frozenset(labels.items())))

    def all(self, name):
        """Returns the values of a family by their labels."""
        return {labels: value for (other, labels), value in self.samples.items() if other == name}


class Fabric:
    """A simulated fabric that others than its own command can use."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [SIM, *options, "--", "sh", "-c", 'env -0; echo; exec sleep 600'],
            stdout=subprocess.PIPE, start_new_session=True)
        line = self.process.stdout.readline()
        self.environment = dict(pair.split("=", 1) for pair in line.decode().split("\0")
                                if "=" in pair)
        check(self.environment, "the fabric did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
        self.process.stdout.close()

    def run(self, *command, **settings):
        return subprocess.run(command, env=self.environment, timeout=PATIENCE, check=False,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              **settings)

    def do(self, *command):
        done = self.run(SIM, "ctl", *command)
        check(done.returncode == 0, f"{command}: {done.stderr}")
        return done.stdout

    @contextlib.contextmanager
    def serving(self, *options, environment=None):
        served = Serving(environment or self.environment, *options)
        try:
            yield served
        finally:
            served.close()


class Serving:
    """madring-perf that listens."""

    def __init__(self, environment, *options):
        self.process = subprocess.Popen(
            [PERF, "--listen", "127.0.0.1:0", *options], env=environment, stderr=subprocess.PIPE,
            text=True)
        self.said = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.port = int(eventually(self.found_port, lambda: f"not listening: {self.said}"))

    def read(self):
        for line in self.process.stderr:
            self.said.append(line)

    def found_port(self):
        found = [re.fullmatch(r"madring-perf: listening on .*:(\d+)\n", line)
                 for line in list(self.said)]
        return next((match.group(1) for match in found if match), None)

    def ask(self, path="/metrics", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", path, headers=headers or {})
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def page(self):
        status, text = self.ask()
        check(status == 200, text)
        return Page(text)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()


def unpacked(package):
    """Returns the folder of a Debian package that is not installed, but unpacked."""
    done = subprocess.run([os.environ["MADRING_UNPACK"], package], check=True, timeout=240,
                          stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def program_of(package, name):
    return os.path.join(unpacked(package), "usr/bin", name)


def promtool(*arguments, text=None):
    """Runs it, and fails with what it says. It is a package of its own since Debian 13."""
    done = subprocess.run([program_of("promtool|prometheus", "promtool"), *arguments], input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=PATIENCE, check=False)
    check(done.returncode == 0, f"promtool {arguments}: {done.stdout}")
    return done.stdout


@contextlib.contextmanager
def file_with(text, name="file"):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        yield path
