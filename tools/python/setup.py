# SPDX-License-Identifier: BSD-2-Clause
"""The compiled part of the package; pyproject.toml has everything else."""
from setuptools import setup

setup(cffi_modules=["native/build.py:builder"])
