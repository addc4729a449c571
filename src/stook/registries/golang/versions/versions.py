"""Versions of modules: validity, class, order, and a sort key that can be stored.

The rules are those of golang.org/x/mod/semver; which are pseudo-versions, of golang.org/x/mod/module.
"""

from __future__ import annotations

import re
from enum import IntEnum

from stook.engine.errors import Malformed

__all__ = [
    "KEY_LIMIT",
    "VersionClass",
    "build",
    "canonical",
    "compare",
    "is_incompatible",
    "is_prerelease",
    "is_pseudo",
    "is_valid",
    "major",
    "order_key",
    "version_class",
    "version_key",
]

KEY_LIMIT = 255  # bytes: what a VARBINARY(255) index takes on every engine

_NUMBER = r"(0|[1-9][0-9]*)"
_IDENT = r"(?!0[0-9]+(?:[.+]|\Z))[0-9A-Za-z-]+"  # no number with a leading zero
_SEMVER = re.compile(
    rf"v{_NUMBER}(?:\.{_NUMBER}(?:\.{_NUMBER}"
    rf"(?:-({_IDENT}(?:\.{_IDENT})*))?(\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)?)?"
)
_PSEUDO = re.compile(r"v[0-9]+\.(?:0\.0-|[0-9]+\.[0-9]+-(?:[^+]*\.)?0\.)[0-9]{14}-[A-Za-z0-9]+(?:\+.*)?")

_RELEASE = b"\xff"  # above any prerelease
_NUMERIC, _TEXT, _END = b"\x01", b"\x02", b"\x00"


class VersionClass(IntEnum):
    """What a version is before anything else is compared; the sort key alone ranks pseudo among prereleases."""

    RELEASE = 0
    PRERELEASE = 1
    PSEUDO = 2


def is_valid(version: str) -> bool:
    """Whether this is a semantic version as Go writes them; `v1` and `v1.2` count (semver.IsValid)."""
    return _SEMVER.fullmatch(version) is not None


def major(version: str) -> str:
    """`v1` of `v1.2.3`; empty for an invalid version."""
    match = _SEMVER.fullmatch(version)
    return f"v{match[1]}" if match else ""


def build(version: str) -> str:
    """`+meta` of `v1.2.3+meta`; empty without one, and for an invalid version."""
    match = _SEMVER.fullmatch(version)
    return match[5] or "" if match else ""


def canonical(version: str) -> str:
    """All three numbers, no build but `+incompatible`; empty for an invalid version (module.CanonicalVersion)."""
    match = _SEMVER.fullmatch(version)
    if match is None:
        return ""
    prerelease = f"-{match[4]}" if match[4] else ""
    suffix = "+incompatible" if match[5] == "+incompatible" else ""
    return f"v{match[1]}.{match[2] or '0'}.{match[3] or '0'}{prerelease}{suffix}"


def is_incompatible(version: str) -> bool:
    """Whether the version is of a major above 1 under a path that does not say so."""
    return version.endswith("+incompatible")


def is_prerelease(version: str) -> bool:
    """Whether it sorts below the release of the same numbers; true for every pseudo-version."""
    match = _SEMVER.fullmatch(version)
    return match is not None and match[4] is not None


def is_pseudo(version: str) -> bool:
    """Whether it has the form of a pseudo-version; its date is not looked at (module.IsPseudoVersion)."""
    return version.count("-") >= 2 and _PSEUDO.fullmatch(version) is not None and is_valid(version)


def version_class(version: str) -> VersionClass:
    """Release, prerelease or pseudo; raises Malformed for an invalid version."""
    if not is_valid(version):
        raise Malformed(f"not a semantic version: {version[:120]!r}")
    if is_pseudo(version):
        return VersionClass.PSEUDO
    return VersionClass.PRERELEASE if is_prerelease(version) else VersionClass.RELEASE


def compare(one: str, other: str) -> int:
    """-1, 0 or 1 by precedence: build ignored, invalid below valid, all invalid equal (semver.Compare)."""
    left, right = _encode(one), _encode(other)
    return (left > right) - (left < right)


def version_key(version: str) -> bytes:
    """A key whose byte order is the precedence; equal where precedence is; empty for an invalid version.

    At most KEY_LIMIT bytes. A longer key is cut, which never turns an order round: it can only make equal two
    absurdly long versions that agree that far. Break ties by the version's own bytes.
    """
    return _encode(version)[:KEY_LIMIT]


def order_key(version: str) -> tuple[bytes, str]:
    """For sorting in memory: precedence without limit, then the version's own bytes (semver.Sort)."""
    return _encode(version), version


def _encode(version: str) -> bytes:
    match = _SEMVER.fullmatch(version)
    if match is None:
        return b""
    major_, minor, patch, prerelease, _ = match.groups()
    numbers = _number(major_) + _number(minor or "0") + _number(patch or "0")
    if prerelease is None:
        return numbers + _RELEASE
    return numbers + b"".join(map(_identifier, prerelease.split("."))) + _END


def _number(digits: str) -> bytes:
    """Length, then digits: longer is larger, whatever the size."""
    size = len(digits)
    head = bytes((size,)) if size < 0xF0 else b"\xf0" + size.to_bytes(8, "big")
    return head + digits.encode("ascii")


def _identifier(text: str) -> bytes:
    return _NUMERIC + _number(text) if text.isdecimal() else _TEXT + text.encode("ascii") + _END
