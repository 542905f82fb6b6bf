# SPDX-License-Identifier: BSD-2-Clause
"""What --madring-sim starts on a fabric."""


def test_subnet(subnet):
    assert subnet.ca_name == "simib0"
    assert len(subnet.sweep().result()) == 2 + 1 + 2 * 2
