"""A crate's three names, checked against cargo's rules and the package-URL library."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packageurl import PackageURL

from stook.registries.cargo.names import canonical, index_path, is_crate_name, page_url, purl, uniqueness_key


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("o", "1/o"),
        ("O", "1/o"),
        ("ay", "2/ay"),
        ("oar", "3/o/oar"),
        ("Oar", "3/o/oar"),
        ("keep", "ke/ep/keep"),
        ("Inflector", "in/fl/inflector"),
        ("a-b_c", "a-/b_/a-b_c"),
        ("serde_json", "se/rd/serde_json"),
        ("serde-json", "se/rd/serde-json"),
        ("x--", "3/x/x--"),
    ],
)
def test_index_path(name: str, path: str) -> None:
    """The index file lies under the lower-case name, by length, separators kept."""
    assert index_path(name) == path


@pytest.mark.parametrize(
    ("name", "key", "unique"),
    [
        ("Night_Log-Book", "night_log-book", "night_log_book"),
        ("serde-json", "serde-json", "serde_json"),
        ("serde_json", "serde_json", "serde_json"),
        ("RSA", "rsa", "rsa"),
    ],
)
def test_keys(name: str, key: str, unique: str) -> None:
    """Look-ups fold the case alone; only the registry's uniqueness folds separators too."""
    assert (canonical(name), uniqueness_key(name)) == (key, unique)


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("a", True),
        ("A-_9", True),
        ("x" * 64, True),
        ("x" * 65, False),
        ("", False),
        ("9lives", False),
        ("_alias", False),
        ("-dash", False),
        ("with space", False),
        ("dot.dot", False),
        ("../etc", False),
        ("name\n", False),
        ("ночь", False),
        ("\u212aeeper", False),  # the Kelvin sign, whose lower case is an ASCII k
    ],
)
def test_is_crate_name(text: str, valid: bool) -> None:
    """What crates.io could publish is a name; nothing else is."""
    assert is_crate_name(text) is valid


NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,20}", fullmatch=True)
VERSIONS = st.sampled_from(["1.0.0", "1.0.0-rc.1", "1.1.2+spec-1.1.0", "0.0.0-alpha.-x+b.01", "10.0.0+A-b.c"])


@given(NAMES, st.none() | VERSIONS)
def test_purl(name: str, version: str | None) -> None:
    """Our package URL is the one that the package-URL library writes."""
    assert purl(name, version) == PackageURL("cargo", None, name, version).to_string()


def test_page_url() -> None:
    """The page for people keeps the name's spelling and the version's plus."""
    assert page_url("Inflector") == "https://crates.io/crates/Inflector"
    assert page_url("tz", "1.0.0+2024") == "https://crates.io/crates/tz/1.0.0+2024"
