# SPDX-License-Identifier: BSD-2-Clause
"""Results that are awaited, and requests that are waited for one by one."""
import asyncio
import errno
from collections.abc import Coroutine
from typing import Any, Dict, Generator, Generic, Optional, TypeVar

from madring._loop import Activity, Loop
from madring.errors import error_of

R = TypeVar("R")
T = TypeVar("T")


class Result(Coroutine, Generic[T]):  # type: ignore[type-arg]
    """Something that is awaited, and may be awaited again. It is a coroutine, too, as
    asyncio.create_task() wants it; it can be in one task at a time."""

    _started: "Optional[Coroutine[Any, Any, T]]" = None

    async def _wait(self) -> T:
        raise NotImplementedError

    def __await__(self) -> Generator[Any, None, T]:
        return self._wait().__await__()

    def send(self, value: Any) -> Any:
        """For asyncio: goes on with the coroutine."""
        return self._go_on("send", value)

    def throw(self, *what: Any) -> Any:
        """For asyncio: raises an exception in the coroutine."""
        return self._go_on("throw", *what)

    def close(self) -> None:
        """For asyncio: ends the coroutine."""
        if self._started is not None:
            self._started.close()
            self._started = None

    def _go_on(self, how: str, *what: Any) -> Any:
        if self._started is None:
            self._started = self._wait()
        try:
            return getattr(self._started, how)(*what)
        except BaseException:
            self._started = None  # it has ended, if only by StopIteration
            raise


class OneByOne(Activity, Generic[R, T]):
    """Requests that are waited for one by one. What a turn of the ring costs depends on how many
    of them have their outcomes in it, and not on how many wait."""

    def __init__(self, loop: Loop):
        self.loop = loop
        self.wanted = -1  # the tag that run_one() waits for
        self.outcomes: Dict[int, T] = {}
        self.futures: Dict[int, "asyncio.Future[T]"] = {}

    def submit(self, request: R) -> int:
        """Sends a request, and returns its tag."""
        raise NotImplementedError

    def give_up(self, tag: int) -> None:
        """Cancels a request."""
        raise NotImplementedError

    def is_ready(self) -> bool:
        return self.wanted in self.outcomes

    def settle(self, tag: int, outcome: T) -> None:
        """Gives an outcome to who waits for it."""
        future = self.futures.pop(tag, None)
        if future is None:
            self.outcomes[tag] = outcome
        elif not future.done() and not future.get_loop().is_closed():
            future.set_result(outcome)

    def run_one(self, request: R) -> T:
        """Sends a request, and runs the ring until it has its outcome."""
        tag = self.submit(request)
        self.wanted = tag
        try:
            self.loop.run(self)
            return self.outcomes.pop(tag)
        except BaseException:
            if tag in self.outcomes:
                del self.outcomes[tag]
            self.give_up(tag)
            raise

    async def wait_one(self, request: R) -> T:
        """Sends a request, and waits for its outcome in asyncio."""
        loop = asyncio.get_running_loop()
        future: "asyncio.Future[T]" = loop.create_future()
        tag = self.submit(request)
        self.futures[tag] = future
        self.loop.kick(loop)
        try:
            return await future
        except asyncio.CancelledError:
            self.futures.pop(tag, None)
            self.give_up(tag)
            if self.loop.ring and not loop.is_closed():
                self.loop.kick(loop)
            raise

    def fail_all(self) -> None:
        """Has all who wait raise an error, because the subnet is being closed."""
        for future in self.futures.values():
            if not future.done() and not future.get_loop().is_closed():
                future.set_exception(error_of(-errno.ECANCELED))
        self.futures.clear()
