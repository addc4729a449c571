"""The index: ids win over names, and what several rows share is kept as shared."""

from __future__ import annotations

from stook.licences.rows import LicenceRow, default_rows
from stook.licences.rules import default_rules
from stook.licences.strings.index import NameIndex


def test_an_id_keeps_its_key_against_names_of_other_rows() -> None:
    """A row that maps another row's id does not take it away."""
    rows = [LicenceRow(1, "MIT", "MIT License"), LicenceRow(2, "LicenseRef-X", "X", ("mit",))]
    assert NameIndex(rows, default_rules()).keys["mit"] == {"MIT"}


def test_names_with_operators_are_known_by_their_beginnings() -> None:
    """So that cutting can put "zlib/libpng" together again."""
    index = NameIndex(default_rows(), default_rules())
    assert "zlib / libpng" in index.spans
    assert "zlib" in index.span_heads


def test_expressions_are_compiled_when_asked_for() -> None:
    """Those that fail are told with their row."""
    index = NameIndex([LicenceRow(1, "MIT", "MIT License", ("a+", "[b"))], default_rules())
    assert [pattern.pattern for pattern, _ in index.patterns] == ["a+"]
    assert [(bad.row, bad.pattern) for bad in index.rejected] == [(1, "[b")]
