"""Which addresses the door never dials: a dated table of our own, and the metadata services by name."""

from __future__ import annotations

import ipaddress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

__all__ = [
    "DENIED",
    "TABLE_DATE",
    "Address",
    "Network",
    "denied_network",
    "embeds_metadata",
    "is_metadata",
    "read_address",
]

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

TABLE_DATE = "2026-08-08"
"""When DENIED was last revised; `ipaddress.is_global` is no substitute, it differs from one Python to the next."""

DENIED: tuple[tuple[str, str], ...] = (
    ("0.0.0.0/8", "this network"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "carrier NAT"),
    ("127.0.0.0/8", "loopback"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "protocol assignments"),
    ("192.0.2.0/24", "documentation"),
    ("192.31.196.0/24", "AS112"),
    ("192.52.193.0/24", "AMT"),
    ("192.88.99.0/24", "6to4 relay"),
    ("192.168.0.0/16", "private"),
    ("192.175.48.0/24", "AS112"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
    ("168.63.129.16/32", "metadata"),
    ("2001::/23", "protocol assignments"),
    ("2001:db8::/32", "documentation"),
    ("2002::/16", "6to4"),
    ("2620:4f:8000::/48", "AS112"),
    ("3fff::/20", "documentation"),
)

_GLOBAL_UNICAST = 0b001  # the first three bits of 2000::/3
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})  # RFC 5214, 6.1: bytes 8 to 11
_METADATA = frozenset(
    {
        "169.254.169.254",  # AWS, Azure, Google and most others
        "169.254.170.2",  # AWS ECS
        "169.254.170.23",  # AWS EKS
        "169.254.42.42",  # Scaleway
        "168.63.129.16",  # Azure WireServer, a public address
        "100.100.100.200",  # Alibaba
        "192.0.0.192",  # Oracle
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",
        "fd00:42::42",
    }
)


def read_address(address: str | bytes) -> Address | None:
    """An address in its strict spelling, or as 4 or 16 bytes; None for all else, a zone id included."""
    if isinstance(address, str) and "%" in address:
        return None
    try:
        return ipaddress.ip_address(address)
    except ValueError:
        return None


def denied_network(address: Address, table: tuple[tuple[Network, str], ...]) -> str:
    """What the address belongs to that we do not dial; empty when it is public."""
    for network, label in table:
        if address.version == network.version and address in network:
            return label
    return _denied_shape(int(address)) if address.version == 6 else ""


def _denied_shape(value: int) -> str:
    if value >> 125 != _GLOBAL_UNICAST:
        return "not global unicast"
    return "ISATAP" if (value >> 32) & 0xFFFF_FFFF in _ISATAP else ""


def is_metadata(address: Address) -> bool:
    """Whether a cloud's metadata service answers there: refused whatever the settings allow."""
    return str(address) in _METADATA


def embeds_metadata(address: Address) -> bool:
    """Whether some translation of this IPv6 address ends at a metadata service; too strict for public addresses."""
    return address.version == 6 and any(is_metadata(IPv4Address(inner)) for inner in _embedded(int(address)))


def _embedded(value: int) -> tuple[int, ...]:
    low = value & 0xFFFF_FFFF
    return (
        low,  # mapped, compatible, translated, NAT64 /96 and ISATAP
        low ^ 0xFFFF_FFFF,  # Teredo
        (value >> 80) & 0xFFFF_FFFF,  # 6to4
        ((value >> 64) & 0xFFFF) << 16 | (value >> 40) & 0xFFFF,  # NAT64 /48 (RFC 6052, 2.2)
    )
