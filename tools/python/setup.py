# SPDX-License-Identifier: BSD-2-Clause
"""The compiled part of the package; pyproject.toml has everything else."""
from setuptools import setup

# cffi compiles for the stable ABI of Python, so one wheel serves all versions that
# requires-python of pyproject.toml allows.
setup(cffi_modules=["native/build.py:builder"],
      options={"bdist_wheel": {"py_limited_api": "cp39"}})
