"""The quick way reads as the long way does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stook.licences.rows import default_rows
from stook.licences.rules import default_rules
from stook.licences.strings.index import NameIndex
from stook.licences.strings.lookup import Lookup
from stook.licences.strings.parts import read_parts
from stook.licences.strings.quick import QuickReader

LOOKUP = Lookup(NameIndex(default_rows(), default_rules()))
QUICK = QuickReader(LOOKUP, "0")
NAMES = st.sampled_from(
    [
        "MIT",
        "mit",
        "GPL-2.0",
        "Apache 2",
        "zlib",
        "libpng",
        "X11",
        "GPLv2+",
        "perl_5",
        "MPL-2.0+",
        "BSD",
        "nothing",
        "(ISC)",
    ]
)


@given(st.lists(st.tuples(NAMES, st.sampled_from([" OR ", " AND ", " or ", " and ", "/", " / ", " And "])), min_size=1))
def test_both_ways_agree(parts: list[tuple[str, str]]) -> None:
    """Names and operators in any order: the same expression, ids and notes, or no quick answer."""
    text = "".join(name + sign for name, sign in parts)[: -len(parts[-1][1])]
    quick, slow = QUICK.read(text), read_parts(text, LOOKUP)
    if quick is None or quick.expression is None:
        return
    assert slow.node is not None
    assert quick.expression == str(slow.node)
    assert set(quick.notes) == set(slow.notes)
