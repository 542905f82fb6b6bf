# SPDX-License-Identifier: BSD-2-Clause
"""A real Prometheus that scrapes madring-perf by the examples' configuration and rules."""
import contextlib
import json
import os
import re
import socket
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from simulated import PATIENCE, check, program_of

EXAMPLES = os.environ["MADRING_PERF_EXAMPLES"]


def example(name):
    with open(os.path.join(EXAMPLES, name), encoding="ascii") as file:
        return file.read()


def quick(text):
    """Returns the example with seconds in the place of its minutes."""
    text = re.sub(r"\b(scrape_interval|scrape_timeout): \S+", r"\1: 2s", text)
    text = re.sub(r"\bevaluation_interval: \S+", "evaluation_interval: 1s", text)
    return re.sub(r"\bfor: \S+", "for: 5s", text)


class Prometheus:
    def __init__(self, folder, port, address):
        self.url = f"http://{address}/api/v1/"
        for name in "prometheus.yml", "madring-perf.rules.yml":
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(quick(example(name)).replace("127.0.0.1:9315", f"127.0.0.1:{port}"))
        with open(os.path.join(folder, "log"), "w", encoding="ascii") as log:
            self.process = subprocess.Popen(
                [program_of("prometheus", "prometheus"), f"--web.listen-address={address}",
                 f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"],
                stdout=log, stderr=log, cwd=folder)

    def get(self, path, **query):
        url = self.url + path + "?" + urllib.parse.urlencode(query)
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as response:
                answer = json.load(response)
        except urllib.error.HTTPError as error:
            if error.code == 503:
                return None  # not ready yet
            raise AssertionError(f"{query}: {error.read().decode()}") from error
        except OSError:
            return None  # not up yet
        check(answer["status"] == "success", answer)
        return answer["data"]

    def query(self, expression):
        """Returns the values by their labels; None when it is not ready yet."""
        data = self.get("query", query=expression)
        return data and {frozenset(sample["metric"].items()): sample["value"][1]
                         for sample in data["result"]}

    def firing(self):
        data = self.get("alerts")
        return {alert["labels"]["alertname"] for alert in data["alerts"]
                if alert["state"] == "firing"}

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=PATIENCE)


def free_address():
    with socket.socket() as client:
        client.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{client.getsockname()[1]}"


@contextlib.contextmanager
def scraping(served):
    with tempfile.TemporaryDirectory() as folder:
        prometheus = Prometheus(folder, served.port, free_address())
        try:
            yield prometheus
        except Exception:
            with open(os.path.join(folder, "log"), encoding="utf-8") as log:
                print(log.read())
            raise
        finally:
            prometheus.stop()


def is_up(prometheus):
    values = prometheus.query("up")
    return values and set(values.values()) == {"1"}
