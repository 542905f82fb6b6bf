# SPDX-License-Identifier: BSD-2-Clause
"""The second try of tests that failed, each alone in a guest of its own.

An emulated guest on a busy machine runs so slowly at times that a test misses what it waits for.
What the kernel complained of is no matter of time, and has no second try.
"""
import re

from harness.results import Results
from harness.watch import watch

# A busy machine does not explain more failures than these on one kernel.
MOST_FAILED = 6

# The kernel's complaints that a busy machine may cause.
BUSY = re.compile(r"blocked for more than|soft lockup|rcu.* stall")


def is_final(results, test):
    """Tells whether the kernel complained of what no busy machine explains."""
    why = results.why.get(test, "")
    return why.startswith("the kernel") and not BUSY.search(why)


def tries(results):
    """Returns lists of tests, one list for each guest that has a second try: what did not run,
    because the guest was gone, goes together."""
    failed = results.failed()
    # When it was not a test that failed, there is nothing to try.
    if any(test not in results.tests or is_final(results, test) for test in failed):
        return []
    ran = [test for test in failed if test in results.why]
    if len(ran) > MOST_FAILED:
        return []
    left = [test for test in failed if test not in results.why]
    return [[test] for test in ran] + ([left] if left else [])


def try_again(results, guest_of):
    """Has the tests that failed tried once more, and changes the results by what comes of it.
    `guest_of`, called with a kernel and a list of tests, returns the guest."""
    for tests in tries(results):
        print(f"{results.kernel.name}: once more, in a guest of its own: {' '.join(tests)}",
              flush=True)
        second = Results(results.kernel, tests)
        watch([guest_of(results.kernel, tests)], [second])
        results.take_second_try(second)
        for test in second.passed():
            print(f"PASSED   {results.kernel.name}: {test}: at the second try; at the first: "
                  f"{results.second_try[test]}", flush=True)
