"""Pseudo-versions: their base, moment and revision."""

from __future__ import annotations

from datetime import datetime

import pytest

from stook.engine.errors import Malformed
from stook.registries.golang.versions.pseudo import parse_pseudo

TAIL = "20191109021931-daa7c04131f5"


@pytest.mark.parametrize(
    ("version", "base"),
    [
        (f"v0.0.0-{TAIL}", ""),
        (f"v1.2.4-0.{TAIL}", "v1.2.3"),
        (f"v1.2.10-0.{TAIL}", "v1.2.9"),
        (f"v1.2.1000-0.{TAIL}", "v1.2.999"),
        (f"v1.2.1-0.{TAIL}", "v1.2.0"),
        (f"v1.2.3-pre.0.{TAIL}", "v1.2.3-pre"),
        (f"v2.0.1-0.{TAIL}+incompatible", "v2.0.0+incompatible"),
        (f"v2.0.0-rc.1.0.{TAIL}+incompatible", "v2.0.0-rc.1+incompatible"),
    ],
)
def test_base(version: str, base: str) -> None:
    """The tagged version before a pseudo-version is read off its first part."""
    parts = parse_pseudo(version)
    assert (parts.base, parts.problem) == (base, "")
    assert (parts.timestamp, parts.revision) == ("20191109021931", "daa7c04131f5")
    assert parts.time == datetime(2019, 11, 9, 2, 19, 31)


@pytest.mark.parametrize("version", [f"v0.0.0-{TAIL}+incompatible", f"v1.2.0-0.{TAIL}"])
def test_forms_without_a_possible_base(version: str) -> None:
    """Two nonsensical forms that the index holds are taken apart and said to be wrong."""
    parts = parse_pseudo(version)
    assert parts.base == ""
    assert parts.problem


@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        ("00010101000000", datetime(1, 1, 1)),
        ("19700101000000", datetime(1970, 1, 1)),
        ("20191399021931", None),
        ("20230229000000", None),
        ("00000101000000", None),
    ],
)
def test_moment(digits: str, expected: datetime | None) -> None:
    """Fourteen digits are a moment only if the calendar has it; the oldest ones count."""
    assert parse_pseudo(f"v0.0.0-{digits}-daa7c04131f5").time == expected


@pytest.mark.parametrize("version", ["v1.0.0", f"v1.2.3-{TAIL}", "v0.0.0-2019-abc", ""])
def test_no_pseudo_version(version: str) -> None:
    """Anything else is refused."""
    with pytest.raises(Malformed, match="not a pseudo-version"):
        parse_pseudo(version)
