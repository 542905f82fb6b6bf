# SPDX-License-Identifier: BSD-2-Clause
"""Files that are replaced whole: nobody reads half of one, and a failure leaves the old one."""
from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from typing import Iterator


@contextlib.contextmanager
def replaced(path: str) -> Iterator[str]:
    """Gives the path of a file to write to, which takes the name of @path when the block has ended
    well and the text is on the disk. It has the mode of the old file and, where the process may
    set it, the owner. Symbolic links are followed. What is no regular file, such as a device, is
    written to."""
    target = os.path.realpath(path)
    old = os.stat(target) if os.path.exists(target) else None
    mode = old.st_mode if old else stat.S_IFREG | 0o666 & ~_umask()
    if not stat.S_ISREG(mode):
        yield target
        return
    number, beside = tempfile.mkstemp(prefix=os.path.basename(target) + ".",
                                      dir=os.path.dirname(target))
    try:
        if old:
            with contextlib.suppress(PermissionError):
                os.fchown(number, old.st_uid, old.st_gid)
        os.fchmod(number, stat.S_IMODE(mode))
        yield beside
        os.fsync(number)
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    finally:
        os.close(number)


def _umask() -> int:
    # The mask can only be read by setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
