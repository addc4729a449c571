"""Names, version texts and series of the two ecosystems."""

from __future__ import annotations

import pytest

from stook.advisories.ecosystems import bare_version, lookup_name, series


@pytest.mark.parametrize(
    ("ecosystem", "name", "version", "bare"),
    [
        ("Go", "example.com/oar", "v1.2.3", "1.2.3"),
        ("Go", "example.com/oar", "1.2.3", "1.2.3"),
        ("Go", "example.com/oar", "v2.0.0+incompatible", "2.0.0+incompatible"),
        ("Go", "stdlib", "go1.22rc1", "1.22.0-rc.1"),
        ("Go", "stdlib", "go1.21", "1.21.0"),
        ("Go", "toolchain", "go1.21.3", "1.21.3"),
        ("Go", "stdlib", "v1.21.3", "1.21.3"),
        ("Go", "stdlib", "go1.22-devel", "go1.22-devel"),
        ("Go", "example.com/oar", "go1.21.3", "go1.21.3"),
        ("crates.io", "oar", "v1.2.3", "v1.2.3"),
    ],
)
def test_bare_version(ecosystem: str, name: str, version: str, bare: str) -> None:
    """Go's `v` goes, Go's own tags become semantic versions, and crates are left alone."""
    assert bare_version(ecosystem, name, version) == bare


def test_lookup_name() -> None:
    """Crates that crates.io keeps apart only by spelling are one; Go paths differ by case."""
    assert lookup_name("crates.io", "Serde_JSON") == lookup_name("crates.io", "serde-json")
    assert lookup_name("Go", "github.com/Sirupsen/logrus") != lookup_name("Go", "github.com/sirupsen/logrus")


@pytest.mark.parametrize(
    ("ecosystem", "name", "one", "other", "is_one_series"),
    [
        ("crates.io", "oar", "1.2.3", "1.9.0", True),
        ("crates.io", "oar", "1.2.3", "2.0.0", False),
        ("crates.io", "oar", "0.2.3", "0.2.9", True),
        ("crates.io", "oar", "0.2.3", "0.3.0", False),
        ("crates.io", "oar", "0.0.3", "0.0.4", False),
        ("Go", "example.com/oar", "0.2.3", "0.9.0", True),
        ("Go", "example.com/oar", "1.2.3", "2.0.0+incompatible", False),
        ("Go", "stdlib", "1.21.3", "1.21.9", True),
        ("Go", "stdlib", "1.21.3", "1.22.0", False),
    ],
)
def test_series(ecosystem: str, name: str, one: str, other: str, is_one_series: bool) -> None:
    """Cargo's caret rule, Go's major versions, and the minor releases of Go itself."""
    assert (series(ecosystem, name, one) == series(ecosystem, name, other)) == is_one_series


def test_series_of_no_version() -> None:
    """What does not begin with a number, or with one of absurd length, has no series."""
    assert series("crates.io", "oar", "main") is None
    assert series("crates.io", "oar", "9" * 5000 + ".0.0") is None
