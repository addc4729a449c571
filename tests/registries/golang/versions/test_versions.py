"""Versions: validity, class, order and the storable key."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.errors import Malformed
from stook.registries.golang.versions.versions import (
    KEY_LIMIT,
    VersionClass,
    build,
    canonical,
    compare,
    is_incompatible,
    is_prerelease,
    is_pseudo,
    is_valid,
    major,
    order_key,
    version_class,
    version_key,
)

ASCENDING = [
    "nonsense",
    "v0.0.0-00010101000000-000000000000",
    "v0.0.0-20190404164418-38d8ce5564a5",
    "v0.1.0",
    "v1.0.0-0",
    "v1.0.0-9",
    "v1.0.0-10",
    "v1.0.0-RC1",
    "v1.0.0-alpha",
    "v1.0.0-alpha.1",
    "v1.0.0-alpha.beta",
    "v1.0.0-alpha-1",
    "v1.0.0-beta",
    "v1.0.0-beta.2",
    "v1.0.0-beta.11",
    "v1.0.0-rc.9",
    "v1.0.0-rc.10",
    "v1.0.0-rc10",
    "v1.0.0-rc9",
    "v1.0.0",
    "v1.2.3-pre",
    "v1.2.3-pre.0.20191109021931-daa7c04131f5",
    "v1.2.3-pre.1",
    "v1.2.3",
    "v1.2.4-0.20191109021931-daa7c04131f5",
    "v1.2.4-alpha",
    "v1.2.99999999999999999",
    "v1.2.100000000000000000",
    "v1.10.0",
    "v2.0.0+incompatible",
    "v10.0.0",
]
INVALID = [
    "", "1.0.0", "v", "v01.0.0", "v1.02.0", "v1.0.0-01", "v1.0.0-", "v1.0.0-a..b", "v1-pre", "v1.2+meta", "V1.0.0",
    "v1.0.0\n", "v1.0.0+", "v1.0.0-é", "v1.2.3.4",
]  # fmt: skip

identifiers = st.one_of(
    st.from_regex(r"0|[1-9][0-9]{0,3}", fullmatch=True),
    st.from_regex(r"[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,2}", fullmatch=True),
)
numbers = st.sampled_from(["0", "1", "2", "9", "10", "11", "100", "9" * 20, "1" + "0" * 20])
valid = st.builds(
    lambda triple, pre, meta: f"v{'.'.join(triple)}" + ("-" + ".".join(pre) if pre else "") + meta,
    st.tuples(numbers, numbers, numbers),
    st.lists(identifiers, max_size=3),
    st.sampled_from(["", "", "+incompatible", "+meta.01"]),
)
anything = st.one_of(valid, st.text("v01.-+a", max_size=8))


def _sign(one: Any, other: Any) -> int:
    return int(one > other) - int(one < other)


@pytest.mark.parametrize("version", INVALID)
def test_invalid(version: str) -> None:
    """What Go does not take for a version has no class, no key and no canonical form."""
    assert not is_valid(version)
    assert (canonical(version), major(version), build(version), version_key(version)) == ("", "", "", b"")
    with pytest.raises(Malformed, match="not a semantic version"):
        version_class(version)


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("v1", "v1.0.0"),
        ("v1.2", "v1.2.0"),
        ("v1.2.3-pre+meta", "v1.2.3-pre"),
        ("v2.0.0+incompatible", "v2.0.0+incompatible"),
        ("v2.0.0+incompatible.1", "v2.0.0"),
    ],
)
def test_canonical(version: str, expected: str) -> None:
    """The canonical form has three numbers and keeps no build but `+incompatible`."""
    assert canonical(version) == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("v1.0.0", VersionClass.RELEASE),
        ("v2.0.0+incompatible", VersionClass.RELEASE),
        ("v1.0.0-rc.1", VersionClass.PRERELEASE),
        ("v1.2.3-20191109021931-daa7c04131f5", VersionClass.PRERELEASE),
        ("v0.0.0-20191109021931-daa7c04131f5", VersionClass.PSEUDO),
        ("v1.2.4-0.20191109021931-daa7c04131f5", VersionClass.PSEUDO),
        ("v1.2.3-pre.0.20191109021931-daa7c04131f5", VersionClass.PSEUDO),
        ("v2.0.1-0.20191109021931-daa7c04131f5+incompatible", VersionClass.PSEUDO),
        ("v0.0.0-20191399021931-daa7c04131f5", VersionClass.PSEUDO),
    ],
)
def test_class(version: str, expected: VersionClass) -> None:
    """A version is a release, a prerelease or a pseudo-version by its form alone."""
    assert version_class(version) == expected
    assert is_pseudo(version) == (expected is VersionClass.PSEUDO)
    assert is_prerelease(version) == (expected is not VersionClass.RELEASE)
    assert is_incompatible(version) == version.endswith("+incompatible")


def test_known_order() -> None:
    """The order that the rules and their traps prescribe, each against each."""
    for (i, one), (j, other) in product(enumerate(ASCENDING), repeat=2):
        assert compare(one, other) == _sign(i, j), (one, other)
        assert _sign(version_key(one), version_key(other)) == _sign(i, j), (one, other)


def test_build_is_ignored_and_breaks_ties_only() -> None:
    """Two builds are equal in precedence, and still stand in one fixed order."""
    assert compare("v2.0.0", "v2.0.0+incompatible") == 0
    assert version_key("v2.0.0") == version_key("v2.0.0+incompatible")
    assert order_key("v2.0.0") < order_key("v2.0.0+incompatible")


@given(anything, anything)
def test_key_agrees_with_compare(one: str, other: str) -> None:
    """The stored key orders any two versions as their precedence does."""
    assert _sign(version_key(one), version_key(other)) == compare(one, other) == -compare(other, one)


@given(st.lists(anything, min_size=3, max_size=6))
def test_order_is_total(versions: list[str]) -> None:
    """Sorting gives one result, in which every later version is at least the earlier one."""
    ordered = sorted(versions, key=order_key)
    assert ordered == sorted(versions[1:] + versions[:1], key=order_key)
    for one, other in pairwise(ordered):
        assert compare(one, other) <= 0
        assert one == other or order_key(one) != order_key(other)


@given(valid, valid)
def test_precedence_by_the_specification(one: str, other: str) -> None:
    """Precedence is that of semver.org, item 11, worked out on numbers and lists."""
    assert compare(one, other) == _sign(_by_specification(one), _by_specification(other))


def _by_specification(version: str) -> tuple[object, ...]:
    numbers, _, pre = version[1:].partition("+")[0].partition("-")
    parts = tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in pre.split(".")) if pre else ()
    return (*map(int, numbers.split(".")), not pre, parts)


def test_keys_fit_an_index() -> None:
    """A sane version's key is short; an absurd one's is cut, and keeps its order against the rest."""
    long = "v1.0.0-" + ".".join(["x" * 50] * 20)
    assert len(version_key("v1.2.4-0.20191109021931-daa7c04131f5")) < 40
    assert len(version_key(long)) == KEY_LIMIT
    assert version_key("v1.0.0-alpha") < version_key(long) < version_key("v1.0.0")
    assert compare(long, long + ".1") == -1


def test_numbers_of_any_length() -> None:
    """A number of hundreds of digits is compared as a number."""
    assert compare("v1." + "9" * 300 + ".0", "v1.1" + "0" * 300 + ".0") == -1
    assert compare("v1." + "9" * 239 + ".0", "v1.1" + "0" * 239 + ".0") == -1
