# SPDX-License-Identifier: BSD-2-Clause
"""Captures what a ring sends and receives, in a file for Wireshark."""
from __future__ import annotations

import errno
import os
import typing
from types import TracebackType
from typing import NamedTuple, Optional, Type, Union

from madring import _arguments
from madring._native import ffi, lib
from madring.errors import check

if typing.TYPE_CHECKING:
    from madring.subnet import Subnet


class CaptureState(NamedTuple):
    """How far a capture is."""

    captured: int  # MADs
    missed: int  # MADs that are not in the file: it was full, or could not be written
    bytes: int  # of the file
    errno: int  # what has ended the capture, or 0
    full: bool  # the file is full, and is not rotated


class Capture:
    """A capture that Subnet.capture() began: a context manager that ends it."""

    def __init__(self, subnet: "Subnet", path: Union[str, "os.PathLike[str]"], max_bytes: int,
                 rotate: bool, mad_bytes: int):
        _arguments.unsigned("max_bytes (0: 64 MiB)", max_bytes, 64)
        _arguments.unsigned("mad_bytes (0: 4096)", mad_bytes, 32)
        subnet._loop.check_usable()
        config = ffi.new("struct madring_capture_config *", {
            "max_bytes": max_bytes, "rotate": bool(rotate), "mad_bytes": mad_bytes})
        check(lib.madring_capture_open(subnet._loop.ring, os.fsencode(path), config),
              os.fspath(path))
        self._loop = subnet._loop
        self._is_open = True

    def __enter__(self) -> "Capture":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        self.close()

    @property
    def state(self) -> CaptureState:
        """How far the capture is. Raises Error(ENOENT) when it is closed."""
        self._loop.check_usable()
        native = ffi.new("struct madring_capture_state *")
        check(lib.madring_capture_get_state(self._loop.ring, native) if self._is_open
              else -errno.ENOENT)
        return CaptureState(native.captured, native.missed, native.bytes, -native.error,
                            native.full)

    def close(self) -> None:
        """Ends the capture, and writes the rest of the file. Raises the error that has ended the
        capture before, such as that of a full disk. May be called again. Closing the subnet ends
        the capture, too."""
        if not self._is_open or not self._loop.ring:
            return
        self._loop.check_usable()
        self._is_open = False
        check(lib.madring_capture_close(self._loop.ring))
