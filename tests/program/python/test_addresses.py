# SPDX-License-Identifier: BSD-2-Clause
"""Requests of vendor classes, which have an OUI, and requests with an own P_Key and GRH."""
import ipaddress
import shutil
import subprocess

import pytest

import madring

TREE = "fat-tree:leafs=2,spines=1,hosts=2"
OPENIB = 0x001405


def ping(host):
    """Asks ibping's server, which answers its own OUI alone."""
    with madring.open() as subnet:
        lid = subnet.sweep().result().node(host).lid
        agent = subnet.agent(0x32, oui=OPENIB)
        assert subnet.agent(0x32, oui=OPENIB) is agent
        reply = agent.get(lid, 0, 0, b"hello", timeout_ms=1000, retries=30).result()
        assert reply.mad[37:40] == OPENIB.to_bytes(3, "big")
        return reply.data[:64].split(b"\0")[0].decode()


def test_vendor_class(simulated_fabric):
    if not shutil.which("ibping"):
        pytest.skip("ibping is not installed")
    fabric = simulated_fabric(TREE)
    server = subprocess.Popen(["ibping", "-S"], stdout=subprocess.DEVNULL,
                              env=dict(fabric.environment, SIM_HOST="host-01-01"))
    try:
        assert fabric.call(ping, "host-01-01")
    finally:
        server.kill()
        server.wait()


def addressed():
    with madring.open() as subnet:
        port = subnet.sweep().result().local_port
        grh = madring.Grh(ipaddress.IPv6Address(0xFE80 << 112 | port.guid))
        good = madring.Request(port.lid, "ClassPortInfo", pkey_index=0, grh=grh)
        reply, = subnet.pma.stream([good]).result()
        for wrong in (good._replace(pkey_index=1 << 16), good._replace(grh="fe80::1"),
                      good._replace(grh=grh._replace(flow_label=1 << 20)),
                      good._replace(grh=grh._replace(gid="nowhere"))):
            with pytest.raises((TypeError, ValueError)):
                subnet.pma.stream([wrong]).result()
        return bool(reply)


def test_pkey_and_grh(simulated_fabric):
    assert simulated_fabric(TREE).call(addressed)
