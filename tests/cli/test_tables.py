"""Text of others in tables."""

from __future__ import annotations

import pytest

from stook.cli.tables import plain


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
