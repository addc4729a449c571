"""Rows: the list is whole, numbers are unique, and plain expressions are told from real ones."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.licences.rows import LIST, default_rows, list_version, literal, pattern_of
from stook.licences.rules import default_rules


def test_the_list_is_whole() -> None:
    """740 licences and 86 exceptions of list 3.29.0, each with its own number, name and page."""
    rows = default_rows()
    assert list_version() == "3.29.0"
    assert len(rows) == 826
    assert sorted(row.id for row in rows) == list(range(1, 827))
    assert all(row.name and row.url == f"https://spdx.org/licenses/{row.name_short}.html" for row in rows)


def test_exceptions_are_told_by_their_ids() -> None:
    """The rule that tells exceptions from licences agrees with the list."""
    entries = [json.loads(line) for line in LIST.read_text(encoding="utf-8").splitlines()[1:]]
    wrong = [
        one["name_short"] for one in entries if default_rules().is_exception(one["name_short"]) != one["exception"]
    ]
    assert wrong == []


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_a_name_is_its_pattern(name: str) -> None:
    """Escaping and reading back is identity, but for anchors, which a name may not begin or end with."""
    assert literal(pattern_of(name)) == name


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("^mit$", "mit"),
        (r"apache 2\.0", "apache 2.0"),
        ("apache.2", None),
        (r"v\d", None),
        ("(a|b)", None),
        (r"cost \$", "cost $"),
    ],
)
def test_plain_and_real_expressions(pattern: str, name: str | None) -> None:
    """Anchors change nothing; a special character makes a real expression."""
    assert literal(pattern) == name
