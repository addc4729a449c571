"""Licence strings: right readings, honest unknowns, canonical forms, and any text at all."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.licences import (
    LicenceRow,
    Method,
    Normaliser,
    NoteCode,
    UnknownCode,
    default_rows,
    list_version,
    parse_expression,
)
from stook.licences.rules import default_rules

CASES = tomllib.loads(Path(__file__).with_name("strings.toml").read_text(encoding="utf-8"))["read"]
RULES = default_rules()
NORMALISER = Normaliser(default_rows())  # Hypothesis runs a test many times, a fixture once

LICENCES = [
    row.name_short
    for row in default_rows()
    if not RULES.is_exception(row.name_short) and row.name_short not in RULES.successors
]
EXCEPTIONS = [row.name_short for row in default_rows() if RULES.is_exception(row.name_short)]
REFERENCES = ["LicenseRef-x", "DocumentRef-a.b:LicenseRef-y-1"]


def terms() -> st.SearchStrategy[str]:
    """Valid simple expressions; "+" where the list has no "or later" of its own."""
    licence = st.sampled_from([*LICENCES, *REFERENCES]) | st.sampled_from(["MPL-1.1+", "Apache-2.0+", "EPL-1.0+"])
    current = [short for short in EXCEPTIONS if short not in RULES.successors]
    addition = st.sampled_from([*current, "AdditionRef-z", "DocumentRef-d:AdditionRef-z"])
    return licence | st.tuples(licence, addition).map(" WITH ".join)


def expressions() -> st.SearchStrategy[str]:
    """Valid expressions with parentheses wherever they may stand."""
    return st.recursive(
        terms(),
        lambda inner: st.tuples(inner, st.sampled_from([" AND ", " OR ", " and ", " or "]), inner).map(
            lambda three: f"({three[0]}){three[1]}{three[2]}"
        ),
        max_leaves=8,
    )


@pytest.mark.parametrize("case", CASES, ids=[case["text"] for case in CASES])
def test_messy_strings_are_read_right_or_not_at_all(normaliser: Normaliser, case: dict[str, Any]) -> None:
    """Strings as people write them: the expression that a person reads, or the reason why there is none."""
    answer = normaliser.normalise(case["text"])
    assert answer.expression == case.get("expression")
    assert list(dict.fromkeys(part.code.value for part in answer.unknown)) == case.get("unknown", [])
    assert answer.expression is not None or list(answer.ids) == case.get("ids", [])
    assert case.get("guess", False) == (
        answer.expression is not None and any(note.code is NoteCode.GUESS for note in answer.notes)
    )
    assert answer.list_version == list_version()


@pytest.mark.parametrize("short", [row.name_short for row in default_rows()])
def test_every_id_is_known_in_any_case(normaliser: Normaliser, short: str) -> None:
    """An id of the list means itself, or its successor with a note; an exception needs a licence."""
    upper, lower = normaliser.normalise(short.upper()), normaliser.normalise(short.lower())
    assert upper.expression == lower.expression
    if RULES.is_exception(short):
        assert [part.code for part in upper.unknown] == [UnknownCode.EXCEPTION]
        added = normaliser.normalise(f"GPL-2.0-only with {short.upper()}")
        assert added.exceptions == (RULES.successors.get(short, short),)
    else:
        assert upper.expression == RULES.successors.get(short, short)
        assert upper.method is Method.EXACT
        assert (short in RULES.successors) == any(note.code is NoteCode.DEPRECATED for note in upper.notes)


@pytest.mark.parametrize("row", default_rows(), ids=lambda row: row.name_short)
def test_every_name_of_the_list_means_its_id(normaliser: Normaliser, row: LicenceRow) -> None:
    """Full names are found, with other spaces and quotes, and beside another licence."""
    if RULES.is_exception(row.name_short) or row.name_short in RULES.successors:
        return
    assert normaliser.normalise(row.name).expression == row.name_short
    assert normaliser.normalise(f" “{row.name.upper()}”\n").expression == row.name_short
    beside = normaliser.normalise(f"{row.name} OR LicenseRef-z")
    assert beside.expression == f"{row.name_short} OR LicenseRef-z"


@given(expressions())
def test_valid_expressions_keep_their_meaning(text: str) -> None:
    """What is valid comes out in canonical form: the tree is the same, and nothing is unknown."""
    answer = NORMALISER.normalise(text)
    assert answer.unknown == ()
    assert answer.method is Method.EXACT
    assert answer.expression == str(parse_expression(text))


@given(expressions())
def test_reading_again_changes_nothing(text: str) -> None:
    """A canonical expression is its own reading."""
    once = NORMALISER.normalise(text).expression
    assert once is not None
    again = NORMALISER.normalise(once)
    assert (again.expression, again.notes) == (once, ())


WORDS = st.sampled_from(
    "MIT Apache 2.0 GPL v2 + or later and OR AND WITH with ( ) / , ; | & BSD license the - exceptions 3 clause "
    '" [ ] < > :: http://a.b/c https://opensource.org/licenses/MIT see LICENSE only any version >= \u2019 é'.split(" ")
)


@given(st.text() | st.lists(WORDS, max_size=12).map(" ".join) | st.lists(WORDS, max_size=12).map("".join))
def test_any_text_has_an_answer(text: str) -> None:
    """No text raises; there is an expression exactly if nothing is unknown, and it is stable and valid."""
    answer = NORMALISER.normalise(text)
    assert (answer.expression is None) == bool(answer.unknown) == (answer.method is Method.UNKNOWN)
    if answer.expression is not None:
        parse_expression(answer.expression)
        assert NORMALISER.normalise(answer.expression).expression == answer.expression


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("(" * 10_000_000, UnknownCode.TOO_LONG),
        ("MIT OR " * 100_000, UnknownCode.TOO_LONG),
        ("(" * 8192, UnknownCode.OPERATOR),
        ("(MIT OR " * 70 + "MIT" + ")" * 70, UnknownCode.OPERATOR),
        ("a (" * 2000, UnknownCode.NOT_LISTED),
    ],
)
def test_hostile_strings_are_refused_with_a_reason(normaliser: Normaliser, text: str, code: UnknownCode) -> None:
    """Long and deep strings end with a reason, of which little is kept."""
    answer = normaliser.normalise(text)
    assert answer.expression is None
    assert code in {part.code for part in answer.unknown}
    assert len(answer.unknown) <= 20
    assert all(len(part.text) <= 200 for part in answer.unknown)


def test_rows_decide() -> None:
    """A normaliser knows the names of its rows and no others; a mapping is a name or an expression for a whole name."""
    rows = [
        LicenceRow(1, "LicenseRef-Acme", "Acme Licence", ("acme", r"acme (?:corp|inc)\.? terms \d+")),
        LicenceRow(2, "MIT", "MIT License", ("^massachusetts$",)),
    ]
    normaliser = Normaliser(rows)
    assert normaliser.normalise("ACME or Massachusetts").expression == "LicenseRef-Acme OR MIT"
    found = normaliser.normalise("Acme Corp. terms 12")
    assert (found.expression, found.method) == ("LicenseRef-Acme", Method.FAMILY)
    assert normaliser.normalise("Acme Corp. terms 12 or more").expression is None
    assert normaliser.normalise("Apache-2.0").expression is None


def test_a_name_of_two_rows_names_none() -> None:
    """Two rows with one name make it ambiguous; the answer says which they are."""
    rows = [LicenceRow(1, "LicenseRef-A", "A", ("house rules",)), LicenceRow(2, "LicenseRef-B", "B", ("house rules",))]
    (part,) = Normaliser(rows).normalise("House Rules").unknown
    assert part.code is UnknownCode.AMBIGUOUS
    assert part.why == "it may be LicenseRef-A, LicenseRef-B"


def test_a_bad_expression_of_a_row_is_told_and_costs_nothing_else() -> None:
    """An expression that does not compile is listed with its row; the row's other names work."""
    normaliser = Normaliser([LicenceRow(7, "MIT", "MIT License", ("(unclosed", "expat"))])
    assert [(bad.row, bad.pattern) for bad in normaliser.rejected] == [(7, "(unclosed")]
    assert normaliser.normalise("expat").expression == "MIT"
