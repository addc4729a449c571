"""Front matter reads back to the same strings, whatever they hold."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from stook.web.extract import front_matter

NASTY = [
    "",
    "---",
    "a: b",
    "#x",
    "- y",
    "yes",
    "null",
    "1e3",
    "2026-12-01",
    '"',
    "'",
    "\\",
    "\n---\nx",
    "\t",
    " x ",
    "%a",
    "{{",
    "\u2028",
    "\x85",
    "\ufeff",
    "😀",
    "\x00",
]


@given(
    st.dictionaries(
        st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True), st.text() | st.integers() | st.none() | st.booleans()
    )
)
def test_safe_loaders_read_the_same(fields: dict[str, str | int | None]) -> None:
    """One block, quoted strings, nothing that ends it early."""
    block = front_matter(fields)
    assert block.startswith("---\n")
    assert block.endswith("\n---\n")
    assert block.count("\n---\n") == 1
    assert (yaml.safe_load(block[4:-4]) or {}) == fields


@pytest.mark.parametrize("value", NASTY)
def test_nasty_values(value: str) -> None:
    """The values that other writers trip over."""
    assert yaml.safe_load(front_matter({"title": value})[4:-4]) == {"title": value}


@pytest.mark.parametrize("key", ["y", "n", "yes", "no", "on", "off", "true", "false", "null"])
def test_keys_that_are_values_elsewhere(key: str) -> None:
    """A name stays a name."""
    assert yaml.safe_load(front_matter({key: "x"})[4:-4]) == {key: "x"}


def test_lone_surrogates_and_keys() -> None:
    """A surrogate is replaced; a key that is no name is an error of ours."""
    assert yaml.safe_load(front_matter({"title": "\ud800"})[4:-4]) == {"title": "\ufffd"}
    with pytest.raises(ValueError, match="front matter"):
        front_matter({"a: b": "x"})
