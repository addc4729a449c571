"""Every denied range at its edges, and the ways around to a metadata service."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_network

import pytest

from stook.engine.door import Guard
from stook.engine.door.guard.networks import DENIED, embeds_metadata, read_address

# first refused, last refused, just before, just after; "" where the neighbour is refused as well
EDGES = [
    ("0.0.0.0", "0.255.255.255", "", "1.0.0.0"),
    ("10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"),
    ("100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"),
    ("127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"),
    ("168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"),
    ("169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"),
    ("172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"),
    ("192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"),
    ("192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"),
    ("192.31.196.0", "192.31.196.255", "192.31.195.255", "192.31.197.0"),
    ("192.52.193.0", "192.52.193.255", "192.52.192.255", "192.52.194.0"),
    ("192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"),
    ("192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"),
    ("192.175.48.0", "192.175.48.255", "192.175.47.255", "192.175.49.0"),
    ("198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"),
    ("198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"),
    ("203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"),
    ("224.0.0.0", "239.255.255.255", "223.255.255.255", ""),
    ("240.0.0.0", "255.255.255.255", "", ""),
    ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", "2000::"),
    ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", ""),
    ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2000:ffff::1", "2001:200::"),
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7:ffff::1", "2001:db9::"),
    ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:ffff::1", "2003::"),
    ("2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", "2620:4f:7fff::1", "2620:4f:8001::"),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe:ffff::1", "3fff:1000::"),
]

EMBEDDED = [
    "::10.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:0:10.0.0.1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1:a00:0:100::",
    "2002:a00:1::",
    "2001:0:102:304::f5ff:fffe",
    "2a00:1450::5efe:10.0.0.1",
    "2a00:1450::200:5efe:8.8.8.8",
    "fec0::1",
    "5f00::1",
    "100::1",
    "ff0e::1",
]


@pytest.mark.parametrize(("first", "last", "before", "after"), EDGES)
def test_edges(first: str, last: str, before: str, after: str) -> None:
    """A range is refused from its first to its last address, and no further."""
    guard = Guard()
    assert not guard.judge_address(first).allowed
    assert not guard.judge_address(last).allowed
    assert all(guard.judge_address(neighbour).allowed for neighbour in (before, after) if neighbour)


@pytest.mark.parametrize("address", EMBEDDED)
def test_embedded(address: str) -> None:
    """An address that carries another inside is refused whole, public or not."""
    assert not Guard().judge_address(address).allowed


def test_isatap_is_exact() -> None:
    """Only the two ISATAP interface ids are refused, not their neighbours."""
    guard = Guard()
    assert guard.judge_address("2a00:1450::5eff:808:808").allowed
    assert guard.judge_address("2a00:1450::100:5efe:808:808").allowed


@pytest.mark.parametrize(
    "address",
    [
        "",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "08.8.8.8",
        "8.8.8.8 ",
        "8.8.8.8\n",
        "[2a00:1450::1]",
        "fe80::1%eth0",
        "2a00:1450::1%1",
        "8.8.8.8/32",
        "8.8.8",
        "example.com",
        "８.8.8.8",
        "::1::",
        "12345::",
    ],
)
def test_not_an_address(address: str) -> None:
    """What is not an address in strict spelling is refused, never guessed."""
    assert Guard().judge_address(address).reason == "not an address"


def test_packed_bytes() -> None:
    """Packed bytes are judged like text, and other lengths are refused."""
    guard = Guard()
    assert guard.judge_address(bytes([8, 8, 8, 8])).addresses == ("8.8.8.8",)
    assert not guard.judge_address(bytes([127, 0, 0, 1])).allowed
    assert not guard.judge_address(IPv6Address("::ffff:8.8.8.8").packed).allowed
    assert guard.judge_address(b"8.8.8.8").reason == "not an address"


METADATA = ["169.254.169.254", "169.254.170.2", "168.63.129.16", "100.100.100.200", "192.0.0.192"]
METADATA += ["fd00:ec2::254", "fd20:ce::254", "fd00:42::42"]


@pytest.mark.parametrize("address", METADATA)
def test_metadata_stays_refused(address: str) -> None:
    """A metadata service is refused even where the settings open the whole Internet."""
    assert Guard(["0.0.0.0/0", "::/0"]).judge_address(address).reason == "metadata"


@pytest.mark.parametrize(
    "address",
    [
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "2001:0:1:2:3:4:5601:5601",
        "64:ff9b:1:a9fe:a9:fe00::",
        "2a00::5efe:a9fe:a9fe",
        "::169.254.169.254",
    ],
)
def test_metadata_by_translation(address: str) -> None:
    """No translated form leads to a metadata service, whatever the settings open."""
    parsed = read_address(address)
    assert parsed is not None
    assert embeds_metadata(parsed)
    assert not Guard(["::/0"]).judge_address(address).allowed


def test_table_reads() -> None:
    """Every row of the table is a network in its canonical spelling."""
    assert all(str(ip_network(network)) == network for network, _ in DENIED)
