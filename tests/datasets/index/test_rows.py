"""The index is read back as it was written, in the form of the original, and one bad row costs one row."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from stook.datasets.index.rows import IndexRow, format_rows, read_rows

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(st.lists(st.builds(IndexRow, TEXT, TEXT), unique_by=lambda row: row.id))
@example([IndexRow("a: b", "c #d"), IndexRow("- x", "- y"), IndexRow("null", "~"), IndexRow("1e5", "0x1")])
@example([IndexRow("a\n- :id: b", "x"), IndexRow("a ", " b"), IndexRow("TS 04.81:REL-96/5.0.1", "é")])
def test_round_trip(rows: list[IndexRow]) -> None:
    """Any text comes back, for us and for a plain YAML reader."""
    text = format_rows(rows)
    read, problems = read_rows(text)
    assert (sorted(read, key=lambda row: row.id), problems) == (sorted(rows, key=lambda row: row.id), [])
    assert {row[":id"]: row[":file"] for row in yaml.safe_load(text)} == {row.id: row.file for row in rows}


def test_form_of_the_original() -> None:
    """Identifiers with blanks, colons and slashes stand plain, sorted."""
    rows = [IndexRow("XEP 0002", "data/xep-0002.yaml"), IndexRow("TS 04.81:REL-96/5.0.1", "data/ts.yaml")]
    expected = (
        "---\n- :id: TS 04.81:REL-96/5.0.1\n  :file: data/ts.yaml\n- :id: XEP 0002\n  :file: data/xep-0002.yaml\n"
    )
    assert format_rows(rows) == expected
    assert format_rows([]) == "--- []\n"


@pytest.mark.parametrize(
    "bad",
    [
        "- :id: [\n  :file: x\n",
        "- :id: A\n",
        "- :id: A\n  :file: b\n  :more: c\n",
        "- id: A\n  file: b\n",
        "- :id:\n    a: b\n  :file: c\n",
        "- text\n",
        "- :id: null\n  :file: x\n",
        "garbage\n",
    ],
)
def test_a_bad_row_costs_itself(bad: str) -> None:
    """Its line is told, and the rows around it are read."""
    rows, problems = read_rows(f"---\n- :id: A\n  :file: a\n{bad}- :id: 'B'\n  :file: \"b\"\n")
    assert rows == [IndexRow("A", "a"), IndexRow("B", "b")]
    assert len(problems) == 1
    assert problems[0].startswith("line 4: ")


@pytest.mark.parametrize("text", ["", "---\n", "--- []\n", "[]", "---\n# nothing\n"])
def test_an_empty_index(text: str) -> None:
    """No rows, and nothing wrong."""
    assert read_rows(text) == ([], [])
