"""Semantic versions: what is one, and that the stored key orders as precedence does."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.registries.cargo.semver import MAX_KEY, build_order, parse_semver, rust_version_key

LARGEST = 2**64 - 1


@pytest.mark.parametrize(
    ("text", "prerelease", "build"),
    [
        ("0.0.0", False, ""),
        ("1.2.3", False, ""),
        (f"{LARGEST}.0.0", False, ""),
        (f"0.0.{LARGEST}", False, ""),
        ("1.0.0-alpha", True, ""),
        ("1.0.0-0", True, ""),
        ("1.0.0-0a", True, ""),
        ("1.0.0-01a", True, ""),
        ("1.0.0--", True, ""),
        ("1.0.0-rc.1.x-y", True, ""),
        (f"1.0.0-{LARGEST + 1}", True, ""),  # only the three numbers are 64 bits wide
        ("1.0.0+1.7.2", False, "1.7.2"),
        ("1.0.0+001", False, "001"),
        ("1.0.0-rc+b-1", True, "b-1"),
    ],
)
def test_valid(text: str, prerelease: bool, build: str) -> None:
    """These are versions, with the parts that semver.org and cargo see in them."""
    found = parse_semver(text)
    assert found is not None
    assert (found.text, found.is_prerelease, found.build) == (text, prerelease, build)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "1.0",
        "1.0.0.0",
        "v1.0.0",
        "=1.0.0",
        " 1.0.0",
        "1.0.0 ",
        "1.0.0\n",
        "01.0.0",
        "1.00.0",
        "1.0.-1",
        "1.0.0-",
        "1.0.0-a..b",
        "1.0.0-01",
        "1.0.0-rc.01",
        "1.0.0+",
        "1.0.0+a..b",
        "1.0.0+a+b",
        "1.0.0-ü",
        "1.0.0-a_b",
        "1.0.٣",
        f"{LARGEST + 1}.0.0",
        f"0.{LARGEST + 1}.0",
        "99999999999999999999.0.0",
        f"{'9' * 5000}.0.0",  # beyond what Python turns into a number
        f"1.0.0-{'1' * 300}",  # no key of ours holds it
        f"1.0.0-{'a' * 300}",
    ],
)
def test_invalid(text: str) -> None:
    """What cargo would skip is no version, and neither is what no key can hold."""
    assert parse_semver(text) is None


@pytest.mark.parametrize(
    "ordered",
    [
        # semver.org, item 11
        "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0",
        "0.0.0-0 0.0.0 0.0.9 0.0.10 0.9.0 0.10.0 9.0.0 10.0.0",
        "1.0.0-2 1.0.0-10 1.0.0-- 1.0.0-RC 1.0.0-rc 1.0.0-rc-1 1.0.0-rca",
        f"1.0.0-{LARGEST} 1.0.0-{LARGEST + 1} 1.0.0-a 1.0.0-a.0 1.0.0-a.a 1.0.0-a0",
    ],
)
def test_order(ordered: str) -> None:
    """Keys ascend in the order that the specification gives."""
    keys = [found.key for text in ordered.split() if (found := parse_semver(text))]
    assert len(keys) == len(ordered.split())
    assert keys == sorted(set(keys))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("1.20.3", b"\x011\x0220\x013\x03"),
        ("1.0.0-rc.1+b", b"\x011\x010\x010\x02rc\x01\x011\x00"),
    ],
)
def test_key_as_the_registry_has_it(text: str, key: bytes) -> None:
    """Keys are those of crates.io's own column `semver_ord_v2`."""
    found = parse_semver(text)
    assert found is not None
    assert found.key == key


def test_rust_versions_in_order() -> None:
    """Rust versions order as versions, also where their last numbers are left out; what is none has no key."""
    ordered = ["1", "1.9", "1.60.0-nightly", "1.60", "1.60.1", "1.100"]
    keys = [rust_version_key(text) for text in ordered]
    assert keys == sorted(key for key in keys if key)
    assert rust_version_key("1.60") == rust_version_key("1.60.0")
    assert [rust_version_key(text) for text in (None, "", "nightly", "1.x")] == [None] * 4


def test_build_metadata_does_not_order() -> None:
    """Versions that differ in build metadata only have one key."""
    one, other = parse_semver("1.0.0+a"), parse_semver("1.0.0+b")
    assert one is not None
    assert other is not None
    assert one.key == other.key


def test_longest_of_the_registry() -> None:
    """The registry's 150 characters always fit the column, whatever they are."""
    text = "1.0.0-" + "1." * 71 + "1"
    found = parse_semver(text)
    assert len(text) <= 150
    assert found is not None
    assert len(found.key) <= MAX_KEY


NUMBERS = st.integers(0, 120) | st.sampled_from([LARGEST, LARGEST - 1, 10**18])
FIELDS = st.one_of(
    NUMBERS.map(str), st.from_regex(r"[A-Za-z-][0-9A-Za-z-]{0,3}", fullmatch=True), st.sampled_from(["0a", "1-", "-1"])
)


@st.composite
def versions(draw: st.DrawFn) -> str:
    """Any version, small ones often, so that pairs share beginnings."""
    core = ".".join(str(draw(NUMBERS)) for _ in range(3))
    pre = draw(st.lists(FIELDS, max_size=3))
    return core + ("-" + ".".join(pre) if pre else "") + draw(st.sampled_from(["", "+b", "+01.x"]))


def compare(one: str, other: str) -> int:
    """Precedence by the specification's own words, field by field."""
    (core, pre), (its_core, its_pre) = _parts(one), _parts(other)
    if core != its_core:
        return -1 if core < its_core else 1
    if not pre or not its_pre:
        return bool(its_pre) - bool(pre)
    for field, its in zip(pre, its_pre, strict=False):
        if field == its:
            continue
        if field.isdigit() and its.isdigit():
            return -1 if int(field) < int(its) else 1
        if field.isdigit() != its.isdigit():
            return -1 if field.isdigit() else 1
        return -1 if field < its else 1
    return (len(pre) > len(its_pre)) - (len(pre) < len(its_pre))


def _parts(text: str) -> tuple[list[int], list[str]]:
    core, _, pre = text.partition("+")[0].partition("-")
    return [int(number) for number in core.split(".")], pre.split(".") if pre else []


@given(versions(), versions())
def test_key_order_is_precedence(one: str, other: str) -> None:
    """Comparing keys as bytes gives what comparing versions gives, for every pair."""
    first, second = parse_semver(one), parse_semver(other)
    assert first is not None
    assert second is not None
    assert (first.key > second.key) - (first.key < second.key) == compare(one, other)


def test_build_order() -> None:
    """Builds of one version stand as cargo has them (the crate semver, BuildMetadata)."""
    builds = ["", "+0", "+00", "+1", "+01", "+001", "+2", "+10", "+10.0", "+-", "+1a", "+A", "+a", "+a.1", "+a.a", "+b"]
    versions = [f"1.0.0{build}" for build in builds]
    assert all(build_order(one) < build_order(next_) for one, next_ in pairwise(versions))
