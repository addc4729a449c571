"""Strings of several names: commas, parentheses, exceptions, and what is repaired."""

from __future__ import annotations

import pytest

from stook.licences.rows import default_rows
from stook.licences.rules import default_rules
from stook.licences.strings.answer import NoteCode, UnknownCode
from stook.licences.strings.index import NameIndex
from stook.licences.strings.lookup import Lookup
from stook.licences.strings.parts import read_parts

LOOKUP = Lookup(NameIndex(default_rows(), default_rules()))


@pytest.mark.parametrize(
    ("text", "expression", "notes"),
    [
        ("MIT, ISC", "MIT OR ISC", [NoteCode.GUESS]),
        ("MIT, ISC and Zlib", "MIT AND ISC AND Zlib", []),
        ("(MIT, ISC) and Zlib", "(MIT OR ISC) AND Zlib", [NoteCode.GUESS]),
        ("MIT AND ISC) AND Zlib", "MIT AND ISC AND Zlib", [NoteCode.REPAIRED]),
        ("zlib/libpng OR MIT with LLVM exception", "Zlib OR MIT WITH LLVM-exception", []),
    ],
)
def test_read(text: str, expression: str, notes: list[NoteCode]) -> None:
    """A comma is what stands beside it in its own parentheses; a repair and a guess are noted."""
    parts = read_parts(text, LOOKUP)
    assert (str(parts.node), [note.code for note in parts.notes]) == (expression, notes)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("MIT, ISC AND Zlib OR X11", UnknownCode.OPERATOR),
        ("(MIT OR ISC AND Zlib", UnknownCode.PARENTHESES),
        ("(MIT OR ISC) WITH LLVM-exception", UnknownCode.OPERATOR),
        ("MIT WITH LLVM-exception WITH LLVM-exception", UnknownCode.OPERATOR),
        ("MIT WITH", UnknownCode.OPERATOR),
    ],
)
def test_not_read(text: str, code: UnknownCode) -> None:
    """What could mean two things, or nothing, is unknown."""
    parts = read_parts(text, LOOKUP)
    assert parts.node is None
    assert code in {part.code for part in parts.unknown}


def test_a_choice_does_not_join_by_and() -> None:
    """What is "dual-licensed under A and B" may mean either."""
    assert read_parts("MIT and ISC", LOOKUP, is_choice=True).node is None
    assert str(read_parts("MIT or ISC", LOOKUP, is_choice=True).node) == "MIT OR ISC"
