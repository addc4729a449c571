"""What is written is what every reader gets back, of YAML 1.1 and 1.2 alike."""

from __future__ import annotations

import math
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from stook.datasets.formats.yaml import dump_yaml, load_yaml, scalar
from stook.engine.errors import Malformed

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(TEXT, VALUES) | st.lists(VALUES))
@example({"k" * 2000: [{"a": 1}], '"' * 600: "x", "é" * 1000: {}})
@example([[[]], [{}], [["a", ["b"]]], [{"k" * 1100: ["v"]}]])
@example({"\x7f\x85\u2028\ufeff": "<<", "=": "~", "no": "12:30", "y": "1_000", "": "0o17"})
@example(["00000003e8", "1e5", "2024-12-24", "- a", "a: b", "# c", "\x00", "\t", " ", "\U0001f600"])
def test_round_trip(value: Any) -> None:
    """PyYAML reads back the same values, of the same types."""
    read = yaml.load(dump_yaml(value), yaml.CSafeLoader)
    assert read == value
    assert repr(read) == repr(value)


@given(TEXT)
def test_our_reader_takes_text_for_text(text: str) -> None:
    """A scalar that was text is text again for our reader, whatever it looks like."""
    assert load_yaml(dump_yaml({"a": text, "b": [text]})) == {"a": text, "b": [text]}


@pytest.mark.parametrize(
    "text", ["12e45", "0" * 20 + "3e8", "0o17", "0x1f", "1.5", ".5", "true", "No", "~", "1:30", "="]
)
def test_what_a_reader_could_mistake_is_quoted(text: str) -> None:
    """Digests, numbers and words of YAML 1.1 are in quotes."""
    assert scalar(text) == f'"{text}"'


@pytest.mark.parametrize("text", ["en", "v1.5.6", "data/rfc1.yaml", "IANA_x", "a@b.c"])
def test_plain_words_stay_plain(text: str) -> None:
    """Names and paths read well."""
    assert scalar(text) == text


def test_special_numbers() -> None:
    """Infinities and large powers are numbers for YAML 1.1 too."""
    read = yaml.safe_load(dump_yaml([math.inf, -math.inf, math.nan, 1e300, 5e-324]))
    assert read[:2] == [math.inf, -math.inf]
    assert math.isnan(read[2])
    assert read[3:] == [1e300, 5e-324]


@pytest.mark.parametrize("value", [{1: "a"}, {"a": object()}, [b"x"]])
def test_what_yaml_cannot_hold_is_refused(value: Any) -> None:
    """A value of another type is an error, not its text."""
    with pytest.raises(ValueError, match=r"YAML|key"):
        dump_yaml(value)


def test_depth_is_capped() -> None:
    """A structure without end is an error before the stack is."""
    value: list[Any] = []
    value.append(value)
    with pytest.raises(ValueError, match="levels"):
        dump_yaml(value)


@pytest.mark.parametrize(
    "text",
    [
        "a: [",
        "a: b: c",
        "&a [*a]",
        "a: &x [1]\nb: *x",
        "!!python/object:os.system x",
        "\x00",
        "[" * 100_000,
        b"\xc3(",
    ],
)
def test_bad_yaml_is_malformed(text: str | bytes) -> None:
    """Whatever is wrong, and every alias, ends as one error with a reason."""
    with pytest.raises(Malformed):
        load_yaml(text)


def test_dates_and_numbers_are_read_as_text() -> None:
    """A date that somebody left unquoted is text, so that records keep their types; a star in text is no alias."""
    text = "at: 2024-12-24\nyear: 2012\nflag: true\nnothing: null\nstar: a * b"
    assert load_yaml(text) == {"at": "2024-12-24", "year": "2012", "flag": True, "nothing": None, "star": "a * b"}
