# SPDX-License-Identifier: BSD-2-Clause
"""The results of the tests of a boot."""
import sys

from harness.figures import figures_of

# The bits of the kernel's taint that tell of trouble.
TAINTED = {5: "a bad page", 7: "an oops", 9: "a warning", 14: "a soft lockup"}


def taint_of(flags):
    return [name for bit, name in TAINTED.items() if flags >> bit & 1]


class Results:
    """A test that never ended, because the guest died or hung, failed."""

    def __init__(self, kernel, tests):
        self.kernel = kernel
        self.tests = tests
        self.status = {}        # by test: the exit status
        self.seconds = {}
        self.why = {}           # by test: why it failed
        self.trouble = {}       # by test: what the kernel said
        self.figures = {}       # what figures_of() found
        self.second_try = {}    # by test that passed then: why it failed at the first try
        self.running = "boot"
        self.tainted = []

    def take(self, event):
        """Takes what the guest tells: "begin TEST", "end TEST STATUS HUNDREDTHS TAINT", "done",
        "died WHY" or "hung"; other words are for people."""
        if event[0] == "begin":
            self.running = event[1]
        elif event[0] == "end":
            self._end(event[1], int(event[2]), int(event[3]) / 100)
            self._taint(event[1], taint_of(int(event[4])))
        elif event[0] in ("died", "hung"):
            self.why[self.running] = ": ".join(["the guest " + event[0], *event[1:]])
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

    def _taint(self, test, taint):
        """Blames the first test that has a taint, because it stays."""
        for name in taint:
            if name not in self.tainted:
                self.tainted.append(name)
                self.why[test] = f"the kernel remembers {name}"

    def finish(self, guest):
        """Takes what is known when the guest has ended."""
        self.figures = figures_of(guest.output())
        self.trouble = guest.trouble()
        for test, lines in self.trouble.items():
            end = f" ({self.why[test]})" if "guest" in self.why.get(test, "") else ""
            self.why[test] = f"the kernel: {lines[0]}{end}"

    def take_second_try(self, second):
        """Takes the results of some of the tests that failed, run once more."""
        failed = self.failed()
        again = second.failed()
        for test in second.tests:
            self.why.pop(test, None)
            if test in again:
                self.why[test] = f"{again[test]}; at the first try: {failed[test]}"
            else:
                self.second_try[test] = failed[test]
                self.status[test] = second.status[test]
                self.seconds[test] = second.seconds[test]
        self.why.update((test, why) for test, why in again.items() if test not in second.tests)
        kept = {key: value for key, value in self.figures.items() if key[0] not in second.tests}
        self.figures = dict(sorted({**kept, **second.figures}.items(), key=self._place))

    def _place(self, figure):
        test = figure[0][0]
        return self.tests.index(test) if test in self.tests else -1

    def failed(self):
        """Why, by test, in their order; what never ran is among them."""
        found = {test: self.why.get(test, "did not run") for test in self.tests
                 if test in self.why or test not in self.status}
        return {**found, **self.why}

    def passed(self):
        failed = self.failed()
        return [test for test in self.tests if test not in failed]

    def progress(self):
        return f"{self.kernel.name}: {len(self.status)} of {len(self.tests)}, {self.running}"

    def tell(self, guest, quiet=False):
        for test, why in self.failed().items():
            output = "" if quiet else guest.output_of(test)
            parts = [output] if output else []
            parts += self.trouble.get(test, [])
            parts.append(f"FAILED   {self.kernel.name}: {test}: {why}"
                         f" (log: {guest.path('console')})")
            print("\n".join(parts), file=sys.stderr, flush=True)

    def _how(self, test):
        if test not in self.second_try:
            return ""
        return f"at the second try; at the first: {self.second_try[test]}"

    def lines(self):
        """Returns a line for each test: passed or failed, kernel, test, why; tabs between them."""
        failed = self.failed()
        return [f"passed\t{self.kernel.name}\t{test}\t{self._how(test)}"
                for test in self.passed()] + [
            f"failed\t{self.kernel.name}\t{test}\t{why}" for test, why in failed.items()]


def exit_status(all_results):
    if not any(results.failed() for results in all_results):
        return 0
    for results in all_results:
        if results.tests == ["command"] and results.status.get("command") and \
           results.why["command"].startswith("exit status"):
            return results.status["command"]
    return 1
