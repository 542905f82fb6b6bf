# SPDX-License-Identifier: BSD-2-Clause
"""Builds madring._native against the libraries that pkg-config finds."""
import os
import subprocess

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = ["madring-fabric", "madring-attributes", "madring"]


def pkg_config(*options):
    command = [os.environ.get("PKG_CONFIG", "pkg-config"), *options, *LIBRARIES]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()


def declarations():
    """Returns what cffi reads of declarations.h, which is all but its comments."""
    with open(os.path.join(HERE, "declarations.h"), encoding="utf-8") as file:
        return file.read()


builder = cffi.FFI()
builder.cdef(declarations())
builder.set_source(
    "madring._native",
    """
    #include <madring.h>
    #include <madring/compare.h>
    #include <madring/fabric.h>
    #include <madring/field.h>
    #include <madring/record.h>
    #include <madring/sa.h>
    #include <madring/structs.h>
    #include <madring/subnet.h>
    #include <madring/sweep.h>
    #include <madring/tables.h>
    #include "native/collect.h"
    #include "native/explore.h"
    #include "native/listen.h"
    #include "native/question.h"
    #include "native/serve.h"
    """,
    sources=["native/collect.c", "native/explore.c", "native/listen.c", "native/question.c",
             "native/serve.c"],
    depends=["native/collect.h", "native/declarations.h", "native/explore.h", "native/listen.h",
             "native/question.h", "native/run.h", "native/serve.h"],
    include_dirs=["."],
    extra_compile_args=["-std=gnu11", "-D_GNU_SOURCE", "-Wno-pedantic", *pkg_config("--cflags")],
    extra_link_args=pkg_config("--libs"),
)

if __name__ == "__main__":
    builder.compile(verbose=True)
