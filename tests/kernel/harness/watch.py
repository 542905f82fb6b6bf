# SPDX-License-Identifier: BSD-2-Clause
"""Guests that run at the same time, watched until the last has ended."""
import sys
import time

# The line that the guest prints above a command's output.
HEADING = "==> command"


class Progress:
    """A line on a terminal that says what runs now; nothing elsewhere."""

    def __init__(self, wanted):
        self.wanted = wanted and sys.stdout.isatty()
        self.start = time.monotonic()
        self.shown = None

    def show(self, all_results):
        if not self.wanted:
            return
        text = "   ".join(results.progress() for results in all_results)
        text += f"   {time.monotonic() - self.start:.0f} s"
        if text != self.shown:
            print(f"\r\x1b[K{text}", end="", flush=True)
            self.shown = text

    def clear(self):
        if self.shown:
            print("\r\x1b[K", end="", flush=True)
            self.shown = None


def print_new_output(guest, several):
    prefix = f"{guest.kernel.name}: " if several else ""
    for line in guest.new_output():
        if line != HEADING:
            print(prefix + line, flush=True)


def watch(guests, all_results, stream=False):
    """Starts them, and fills their results; what failed in a guest is told when it has ended. With
    `stream`, what they print is printed as it comes."""
    progress = Progress(not stream and not any(guest.shell for guest in guests))
    running = list(zip(guests, all_results))
    try:
        for guest in guests:
            guest.start()
        while running:
            for guest, results in running:
                for event in guest.events():
                    results.take(event)
                if stream:
                    print_new_output(guest, len(guests) > 1)
                if guest.over:
                    progress.clear()
                    results.finish(guest)
                    results.tell(guest, quiet=stream)
            running = [pair for pair in running if not pair[0].over]
            progress.show(all_results)
            time.sleep(0.05)
    finally:
        progress.clear()
        for guest in guests:
            guest.stop()
