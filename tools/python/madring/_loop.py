# SPDX-License-Identifier: BSD-2-Clause
"""Runs the ring, either at once or from asyncio, for activities that wait for it."""
import asyncio
import errno
import threading
from typing import Any, Dict, Iterator, List, Optional, TypeVar

from madring._native import lib
from madring.errors import Error, check, error_of

# The longest time that Python waits in the library before it looks for signals. A signal ends the
# wait, too, unless it comes just before it.
TURN_MS = 200

T = TypeVar("T")


class Activity:
    """What waits for the ring: a collection of requests, a sweep, or a subscription."""

    #: Whether asyncio runs the ring while nobody waits for the activity, too.
    always_runs = False

    def is_ready(self) -> bool:
        """Returns whether there is something to take."""
        raise NotImplementedError

    def run(self, timeout_ms: int) -> int:
        """Runs the ring until is_ready() or for a time. Returns 0 or a negative errno."""
        raise NotImplementedError

    def stepped(self) -> None:
        """Called after each turn of the ring."""

    def close(self) -> None:
        """Ends the activity, and cancels its requests."""
        raise NotImplementedError


class Loop:
    """The ring of a subnet, and the activities that wait for it."""

    def __init__(self, ring: Any):
        self.ring = ring
        self.thread = threading.get_ident()
        self.activities: List[Activity] = []
        self.waiters: Dict[Activity, "asyncio.Future[None]"] = {}
        self.reader: Optional[asyncio.AbstractEventLoop] = None
        self.kicked: Optional[asyncio.AbstractEventLoop] = None  # where a step is due
        self.fd = -1

    def check_usable(self) -> None:
        if not self.ring:
            raise Error(errno.ESHUTDOWN, "the subnet is closed")
        if threading.get_ident() != self.thread:
            raise error_of(-errno.EREMOTE)

    def add(self, activity: Activity) -> None:
        self.activities.append(activity)

    def remove(self, activity: Activity) -> None:
        if activity in self.activities:
            self.activities.remove(activity)

    def run(self, activity: Activity) -> None:
        """Runs the ring until an activity is ready. A signal handler may raise."""
        while not activity.is_ready():
            self.check_usable()
            error = activity.run(TURN_MS)
            for each in tuple(self.activities):
                each.stepped()
            if error and error != -errno.EINTR:
                raise error_of(error)
        self._wake_ready()

    async def wait(self, activity: Activity) -> None:
        """Waits in asyncio until an activity is ready."""
        loop = asyncio.get_running_loop()
        while not activity.is_ready():
            self.check_usable()
            waiter: "asyncio.Future[None]" = loop.create_future()
            self.waiters[activity] = waiter
            self.kick(loop)
            try:
                await waiter
            finally:
                self.waiters.pop(activity, None)
                self._detach_if_idle()

    def kick(self, loop: asyncio.AbstractEventLoop) -> None:
        """Has the loop run the ring in its next turn, once, as after requests were added."""
        self._attach(loop)
        if self.kicked is not loop:
            self.kicked = loop
            loop.call_soon(self._step_once)

    def _step_once(self) -> None:
        self.kicked = None
        self._step()

    def _attach(self, loop: asyncio.AbstractEventLoop) -> None:
        if self.reader is loop:
            return
        self._detach()
        self.fd = check(lib.madring_fd(self.ring))
        loop.add_reader(self.fd, self._step)
        self.reader = loop

    def _detach(self) -> None:
        if self.reader and not self.reader.is_closed():
            self.reader.remove_reader(self.fd)
        self.reader = None

    def _detach_if_idle(self) -> None:
        if self.waiters or any(each.always_runs for each in self.activities):
            return
        if not (self.ring and lib.madring_outstanding(self.ring)):
            self._detach()

    def _step(self) -> None:
        if not self.ring:
            return
        error = lib.madring_step(self.ring)
        for each in tuple(self.activities):
            each.stepped()
        if error < 0 and error != -errno.EINTR:
            self._fail_all(error_of(error))
        self._wake_ready()

    def _wake_ready(self) -> None:
        for activity, waiter in tuple(self.waiters.items()):
            if not waiter.done() and activity.is_ready():
                waiter.set_result(None)

    def fail(self, activity: Activity, error: Exception) -> None:
        """Raises an error where an activity is waited for in asyncio."""
        waiter = self.waiters.get(activity)
        if waiter and not waiter.done() and not waiter.get_loop().is_closed():
            waiter.set_exception(error)

    def _fail_all(self, error: Exception) -> None:
        for activity in self.waiters:
            self.fail(activity, error)

    def close(self) -> None:
        """Ends all activities; those that wait get an exception."""
        self._detach()
        for each in tuple(self.activities):
            each.close()
        self.activities.clear()
        self.ring = None
        self._fail_all(Error(errno.ESHUTDOWN, "the subnet was closed"))


def drive(loop: Loop, turns: Iterator[Any]) -> Iterator[Any]:
    """Yields what turns() has; where it yields an Activity, runs the ring for it first."""
    for turn in turns:
        if isinstance(turn, Activity):
            loop.run(turn)
        else:
            yield from turn


async def drive_async(loop: Loop, turns: Any) -> Any:
    """Does the same in asyncio. Its caller closes @turns."""
    for turn in turns:
        if isinstance(turn, Activity):
            await loop.wait(turn)
        else:
            for each in turn:
                yield each
