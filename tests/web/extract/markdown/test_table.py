"""Tables of data keep their cells; tables that only place blocks are not drawn."""

from __future__ import annotations

import pytest

from stook.web.extract import extract


def display(markup: str) -> str:
    return extract(f"<main>{markup}</main>".encode(), "text/html; charset=utf-8", "https://pages.example/a/b").markdown


@pytest.mark.parametrize(
    ("markup", "lines"),
    [
        ("<tr><th>A<th>B<tr><td>1<td>2", ["| A | B |", "| --- | --- |", "| 1 | 2 |"]),
        ("<thead><tr><td>A<td>B</thead><tr><td>1<td>2", ["| A | B |", "| --- | --- |", "| 1 | 2 |"]),
        ("<tr><td>1<td>2<tr><td>3<td>4", ["|  |  |", "| --- | --- |", "| 1 | 2 |", "| 3 | 4 |"]),
        ("<tfoot><tr><td>f<td>g</tfoot><tr><th>A<th>B", ["| A | B |", "| --- | --- |", "| f | g |"]),
        ("<tr><th colspan=2>A<th>B<tr><td>1<td>2<td>3", ["| A |  | B |", "| --- | --- | --- |", "| 1 | 2 | 3 |"]),
        ("<tr><th>A<th>B<tr><td>a|b<td>`", ["| A | B |", "| --- | --- |", "| a\\|b | \\` |"]),
        ("<tr><th>A<th>B<tr><td><p>x<p>y<td>a<br>b", ["| A | B |", "| --- | --- |", "| x y | a b |"]),
        (
            "<tr><th>A<th>B<tr><td><pre>x|\ny</pre><td><ul><li>i<li>j</ul>",
            ["| A | B |", "| --- | --- |", "| `x\\| y` | i j |"],
        ),
        (
            "<tr><th>A<th>B<tr><td><a href=/x>l</a><td hidden>h",
            ["| A | B |", "| --- | --- |", "| [l](https://pages.example/x) |  |"],
        ),
        (
            "<caption>What</caption><tr><th>A<th>B<tr><td>1<td>2",
            ["What", "", "| A | B |", "| --- | --- |", "| 1 | 2 |"],
        ),
    ],
)
def test_tables_of_data(markup: str, lines: list[str]) -> None:
    """Headers, spans, special characters and blocks in cells have their form."""
    assert display(f"<table>{markup}</table>").rstrip("\n").split("\n") == lines


@pytest.mark.parametrize(
    "markup",
    [
        "<table><tr><td>only one column<tr><td>b</table>",
        "<table role=presentation><tr><td>a<td>b</table>",
        "<table><tr><td><table><tr><td>a</table><td>c</table>",
        "<table><tr><td><h2>x</h2>y<td>c</table>",
    ],
)
def test_tables_for_layout(markup: str) -> None:
    """Their cells are blocks one after the other."""
    assert not display(markup).startswith("|")


def test_hostile_spans_are_bounded() -> None:
    """A cell cannot claim a million columns."""
    assert len(display("<table><tr><td colspan=1000000>a<td rowspan=99999>b</table>")) < 200
