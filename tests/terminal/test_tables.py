"""Text of others in tables."""

from __future__ import annotations

import pytest
from rich.console import Console

from stook.terminal.tables import fact, plain, plain_table


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("git: exit status 128:\n\tERROR: gone", "git: exit status 128:\n ERROR: gone"),
        ("\x1b[31mred\x07", "\ufffd[31mred\ufffd"),
        ("\r\u202egnp.exe", "\ufffd\ufffdgnp.exe"),
        ("[bold]☃[/bold]", "[bold]☃[/bold]"),
        (None, "None"),
    ],
)
def test_plain(told: object, shown: str) -> None:
    """What a terminal would obey is replaced, layout is kept, markup is only text."""
    assert plain(told).plain == shown


def test_a_number_that_finds_no_room(capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal that is too narrow a number is marked as cut: its first digits would pass for it."""
    Console(width=10).print(plain_table("Queues", (">ready", ">waiting"), [(1543, 98765)]))
    assert capsys.readouterr().out.splitlines()[-2].count("…") == 2


def test_fact() -> None:
    """A description of several lines cannot show a line that looks like one of ours."""
    assert fact("about", "A crate.\nlicense   MIT", 10).plain == "about     A crate.\n          license   MIT"
    assert fact("deferred: ", "why\nNext: rm", 4).plain == "deferred: why\n    Next: rm"
