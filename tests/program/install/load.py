# SPDX-License-Identifier: BSD-2-Clause
"""usage: load.py LIBRARY. Opens and closes a ring from Python, and prints madring's version."""

import ctypes
import sys


class Config(ctypes.Structure):
    """struct madring_config"""

    _fields_ = [
        ("transactions", ctypes.c_uint32),
        ("lanes", ctypes.c_uint32),
        ("buffers", ctypes.c_uint32),
        ("large_buffers", ctypes.c_uint32),
        ("message_bytes", ctypes.c_uint64),
        ("reads", ctypes.c_uint32),
        ("agents", ctypes.c_uint32),
        ("flows", ctypes.c_uint32),
        ("tick_us", ctypes.c_uint32),
        ("pin", ctypes.c_int),
        ("receive", ctypes.c_int),
        ("seed", ctypes.c_uint64),
        ("sqpoll_idle_ms", ctypes.c_uint32),
        ("driver", ctypes.c_int),
        ("spin_us", ctypes.c_uint32),
    ]


PIN_BEST_EFFORT = 1

library = ctypes.CDLL(sys.argv[1])
library.madring_version.restype = ctypes.c_char_p
library.madring_close.argtypes = [ctypes.c_void_p]
config = Config(transactions=64, message_bytes=1 << 20, pin=PIN_BEST_EFFORT)
ring = ctypes.c_void_p()
error = library.madring_open_sized(ctypes.byref(ring), ctypes.byref(config),
                                   ctypes.c_size_t(ctypes.sizeof(config)))
if error:
    sys.exit("madring_open: error %d" % error)
if library.madring_close(ring):
    sys.exit("madring_close failed")
print(library.madring_version().decode())
