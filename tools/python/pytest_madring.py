# SPDX-License-Identifier: BSD-2-Clause
"""Fixtures for tests on simulated fabrics, and an option that runs all of pytest on one.

simulated_fabric   makes fabrics: simulated_fabric("torus:4x4x4").call(function) calls a function
                   of the test's module in a child process on the fabric
subnet             the way to the subnet of this process: with --madring-sim, a simulated one

The plugin is no part of the package "madring", which cannot be imported without its library.
"""
from __future__ import annotations

import os
import sys
import typing
from typing import Any, Callable, Iterator, List

import pytest

# pytest loads the plugin in each of its runs, those of other projects included. Only what the
# plugin is used for may need the library, so the package is imported where it is used.
if typing.TYPE_CHECKING:
    import madring
    from madring import simulation

_INSIDE = "MADRING_PYTEST_INSIDE"


def pytest_addoption(parser: Any) -> None:
    parser.getgroup("madring").addoption(
        "--madring-sim", metavar="TOPOLOGY",
        help="run pytest on a simulated fabric: a topology file, or the specification of a "
             "generated fabric, such as fat-tree:leafs=4,spines=2,hosts=4")


@pytest.hookimpl(tryfirst=True)  # type: ignore[misc]
def pytest_cmdline_main(config: Any) -> None:
    """Starts pytest again, on the fabric, which only works before the process begins."""
    topology = config.getoption("madring_sim")
    if not topology or os.environ.get(_INSIDE):
        return
    try:
        from madring import simulation
    except ImportError as error:
        raise pytest.UsageError(f"--madring-sim cannot be used: {error}") from error
    os.environ[_INSIDE] = "1"
    path = simulation.simulator()
    os.execv(path, [path, *simulation.options_of(topology), "--routed", "--", sys.executable,
                    "-m", "pytest", *config.invocation_params.args])


@pytest.fixture
def simulated_fabric() -> Iterator[Callable[..., simulation.SimulatedFabric]]:
    """Makes simulated fabrics, which last as long as the test; see SimulatedFabric."""
    from madring import simulation

    made: List[simulation.SimulatedFabric] = []

    def make(topology: str, *options: str, routed: bool = True) -> simulation.SimulatedFabric:
        made.append(simulation.SimulatedFabric(topology, *options, routed=routed))
        return made[-1]

    yield make
    for fabric in made:
        fabric.close()


@pytest.fixture
def subnet() -> Iterator[madring.Subnet]:
    """The way to the subnet; the test is skipped without an InfiniBand port."""
    import madring

    try:
        opened = madring.open()
    except madring.Error as error:
        pytest.skip(f"no InfiniBand port: {error}; see --madring-sim")
    with opened:
        yield opened
