"""Which names are public, which mean an inside host, which are no names."""

from __future__ import annotations

import pytest

from stook.engine.door.guard.names import NameKind, name_kind

KINDS: list[tuple[str, NameKind]] = [
    ("example.com", "public"),
    ("a.b", "public"),
    ("r3---sn-x.example.com", "public"),
    ("xn--bcher-kva.example", "public"),
    ("xn--wgv71a119e.jp", "public"),
    ("123.example.com", "public"),
    ("localhost.example.com", "public"),
    ("mylocal.example", "public"),
    ("a" * 63 + ".example", "public"),
    (".".join(["a" * 61] * 4) + ".abcd", "public"),
    ("localhost", "loopback"),
    ("a.b.localhost", "loopback"),
    ("localhost6", "loopback"),
    ("ip6-localhost", "loopback"),
    ("ip6-loopback", "loopback"),
    ("intranet", "inside"),
    ("printer.local", "inside"),
    ("db.internal", "inside"),
    ("host.docker.internal", "inside"),
    ("home.arpa", "inside"),
    ("nas.home.arpa", "inside"),
    ("metadata", "metadata"),
    ("metadata.google.internal", "metadata"),
    ("instance-data", "metadata"),
    ("kubernetes.default", "metadata"),
    ("kubernetes.default.svc", "metadata"),
    ("", "malformed"),
    ("a..b", "malformed"),
    (".example.com", "malformed"),
    ("example.com.", "malformed"),
    ("a_b.example.com", "malformed"),
    ("-a.example.com", "malformed"),
    ("a-.example.com", "malformed"),
    ("a" * 64 + ".example", "malformed"),
    (".".join(["a" * 61] * 4) + ".abcdefg", "malformed"),
    ("example.1", "malformed"),
    ("example.0x1f", "malformed"),
    ("xn--.example", "malformed"),
    ("xn--a.example", "malformed"),
    ("xn--localhost-.example", "malformed"),
    ("xn--99999999.example", "malformed"),
    ("xn--n3h.example", "malformed"),
    ("bücher.example", "malformed"),
    ("exa\nmple.com", "malformed"),
    ("example.com\n", "malformed"),
]


@pytest.mark.parametrize(("host", "kind"), KINDS)
def test_kind(host: str, kind: NameKind) -> None:
    """A name is sorted by what it can mean."""
    assert name_kind(host) == kind
