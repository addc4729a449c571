"""Which host names may be asked for at all, before any resolver hears of them."""

from __future__ import annotations

import re
from typing import Literal

import idna

__all__ = ["NameKind", "name_kind"]

NameKind = Literal["public", "loopback", "inside", "metadata", "malformed"]

_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_LOOPBACK = frozenset({"localhost", "localhost6", "ip6-localhost", "ip6-loopback"})
_METADATA = frozenset(
    {"metadata", "metadata.google.internal", "instance-data", "kubernetes.default", "kubernetes.default.svc"}
)
_INSIDE = ("local", "internal", "home.arpa")


def name_kind(host: str) -> NameKind:
    """Sort a lower-case ASCII host name, its trailing dot already stripped.

    `malformed` is what breaks RFC 1123 or IDNA 2008; `loopback` and `inside` never mean a public host.
    """
    labels = host.split(".")
    if len(host) > 253 or not all(map(_is_label, labels)) or _NUMBER.fullmatch(labels[-1]):
        return "malformed"
    if host in _METADATA:
        return "metadata"
    if host in _LOOPBACK or labels[-1] == "localhost":
        return "loopback"
    if len(labels) == 1 or any(host == suffix or host.endswith("." + suffix) for suffix in _INSIDE):
        return "inside"
    return "public"


def _is_label(label: str) -> bool:
    if not _LABEL.fullmatch(label):
        return False
    return not label.startswith("xn--") or _is_a_label(label)


def _is_a_label(label: str) -> bool:
    """Whether punycode decodes to valid IDNA 2008 and back to the same label."""
    try:
        return idna.alabel(idna.ulabel(label)).decode("ascii") == label
    except UnicodeError:
        return False
