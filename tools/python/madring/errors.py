# SPDX-License-Identifier: BSD-2-Clause
"""The exceptions of the package."""
import asyncio
import builtins
import errno
import sys
from typing import Any, Optional, Tuple

from madring._native import ffi, lib


class Error(OSError):
    """What libmadring could not do: .errno says why, and .strerror explains it."""


# Before Python 3.11, asyncio had a TimeoutError of its own.
if sys.version_info >= (3, 11):
    class TimeoutError(Error, builtins.TimeoutError):  # pylint: disable=redefined-builtin
        """A request that had no reply in time (ETIMEDOUT). It is a TimeoutError of Python and of
        asyncio, too."""
else:
    class TimeoutError(Error, builtins.TimeoutError, asyncio.TimeoutError):
        """A request that had no reply in time (ETIMEDOUT). It is a TimeoutError of Python and of
        asyncio, too."""


class MemoryError(Error, builtins.MemoryError):  # pylint: disable=redefined-builtin
    """The library had no memory (ENOMEM). It is a MemoryError of Python, too."""


class StatusError(Error):
    """A reply whose MAD status is not 0 (IBA 13.4.7), such as that of an unknown attribute."""

    def __init__(self, mgmt_class: int, status: int, what: Optional[str] = None):
        text = ffi.string(lib.madring_status_text(mgmt_class, status)).decode()
        super().__init__(errno.EPROTO, f"status 0x{status:04x}: {text}", what)
        self.mgmt_class = mgmt_class
        self.status = status

    def __reduce__(self) -> Tuple[Any, ...]:
        # OSError would call the class with its own arguments.
        return type(self), (self.mgmt_class, self.status, self.filename), self.__dict__


def make_error(number: int, text: str, what: Optional[str] = None) -> Error:
    """Returns the exception for a positive errno, with a text."""
    kinds = {errno.ETIMEDOUT: TimeoutError, errno.ENOMEM: MemoryError}
    return kinds.get(number, Error)(number, text, what)


def error_of(value: int, what: Optional[str] = None) -> Error:
    """Returns the exception for a negative errno of the library."""
    text = ffi.string(lib.madring_error_text(value)).decode(errors="replace")
    return make_error(abs(value), text, what)


def check(value: int, what: Optional[str] = None) -> int:
    """Returns the value, or raises Error if it is negative."""
    if value < 0:
        raise error_of(value, what)
    return value
