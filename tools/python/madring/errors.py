# SPDX-License-Identifier: BSD-2-Clause
"""The exceptions of the package."""
import errno
from typing import Optional

from madring._native import ffi, lib


class Error(OSError):
    """What libmadring could not do: .errno says why, and .strerror explains it."""


class StatusError(Error):
    """A reply whose MAD status is not 0 (IBA 13.4.7), such as that of an unknown attribute."""

    def __init__(self, mgmt_class: int, status: int, what: Optional[str] = None):
        text = ffi.string(lib.madring_mad_strstatus(mgmt_class, status)).decode()
        super().__init__(errno.EPROTO, f"status 0x{status:04x}: {text}", what)
        self.status = status


def error_of(value: int, what: Optional[str] = None) -> Error:
    """Returns the exception for a negative errno of the library."""
    text = ffi.string(lib.madring_strerror(value)).decode(errors="replace")
    return Error(abs(value), text, what)


def check(value: int, what: Optional[str] = None) -> int:
    """Returns the value, or raises Error if it is negative."""
    if value < 0:
        raise error_of(value, what)
    return value
