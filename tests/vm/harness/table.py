# SPDX-License-Identifier: BSD-2-Clause
"""What became of the tests, and the table of it."""
import sys

from harness.figures import figures_of, table


class Results:
    """The tests of one boot. A test that never ended, because the guest died or hung, failed."""

    def __init__(self, kernel, tests):
        self.kernel = kernel
        self.tests = tests
        self.status = {}        # by test: the exit status
        self.seconds = {}
        self.why = {}           # by test: why it failed
        self.figures = {}       # what figures_of() found
        self.running = "boot"
        self.ending = None

    def take(self, event):
        """A line of what the guest tells."""
        if event[0] == "begin":
            self.running = event[1]
        elif event[0] == "end":
            self._end(event[1], int(event[2]), int(event[3]) / 100)
        elif event[0] in ("died", "hung"):
            self.ending = event[0]
            self.why[self.running] = f"the guest {event[0]}"
        elif event[0] == "done":
            self.running = "shutdown"

    def _end(self, test, status, seconds):
        self.status[test] = status
        self.seconds[test] = seconds
        if status in (137, 143):
            self.why[test] = "took too long"
        elif status:
            self.why[test] = f"exit status {status}"
        self.running = f"after {test}"

    def add_trouble(self, trouble):
        for test, lines in trouble.items():
            self.why[test] = "the kernel: " + lines[0]

    def add_figures(self, output):
        self.figures = figures_of(output)

    def failed(self):
        """Why, by test; what never ran is among them."""
        never = {test: "did not run" for test in self.tests if test not in self.status}
        return {**never, **self.why}

    def tell(self, guest, quiet=False):
        for test, why in self.failed().items():
            text = "" if quiet else guest.output_of(test)
            print(f"{text}\nFAILED   {self.kernel.name}: {test}: {why}"
                  f" (log: {guest.path('console')})", file=sys.stderr, flush=True)


def cell(results, test):
    if test in results.failed():
        return "FAIL"
    return f"pass {results.seconds[test]:6.1f} s"


def print_table(all_results):
    rows = []
    for results in all_results:
        for test in [*results.tests, *results.failed()]:
            if test not in rows:
                rows.append(test)
    width = max(map(len, rows), default=4)
    print(" " * width, *(f"{'kernel ' + results.kernel.name:>14}" for results in all_results))
    for test in rows:
        cells = (cell(results, test) if test in results.tests or test in results.why else ""
                 for results in all_results)
        print(f"{test:{width}}", *(f"{text:>14}" for text in cells))
    failed = sum(len(results.failed()) for results in all_results)
    passed = sum(len(set(results.tests) - set(results.failed())) for results in all_results)
    for line in table({results.kernel.name: results.figures for results in all_results}):
        print(line)
    print(f"{passed} passed, {failed} failed")


def exit_status(all_results):
    if not any(results.failed() for results in all_results):
        return 0
    for results in all_results:
        if results.tests == ["command"] and results.status.get("command") and \
           results.why["command"].startswith("exit status"):
            return results.status["command"]
    return 1
