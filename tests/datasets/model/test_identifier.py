"""A reference covers what it leaves open; editions are compared only within one document."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.datasets.model.identifier import Identifier

A, B, C = Identifier("ISO", "1", year=1999), Identifier("ISO", "1"), Identifier("ISO", "1", year=2000)
AMENDED = Identifier("ISO", "1", amendment="2", base=A)
FLAT = st.builds(
    Identifier,
    st.sampled_from(["ISO", "IEC"]),
    st.sampled_from(["1", "2"]),
    part=st.none() | st.sampled_from(["1", "2"]),
    year=st.none() | st.integers(1999, 2001),
    edition=st.none() | st.integers(1, 3),
)
ANY = FLAT | st.builds(replace, FLAT, base=FLAT)


def test_covering_is_not_symmetric() -> None:
    """What is left out matches anything; what is said must be there."""
    assert B.covers(A)
    assert not A.covers(B)
    assert not A.covers(C)
    assert not Identifier("IEC", "1").covers(A)
    assert replace(AMENDED, base=B).covers(AMENDED)
    assert not replace(AMENDED, base=C).covers(AMENDED)
    assert not AMENDED.covers(replace(AMENDED, base=None))


@given(ANY, ANY, ANY)
def test_covering_is_an_order(one: Identifier, two: Identifier, three: Identifier) -> None:
    """Everything covers itself; covering is transitive; two that cover each other are equal."""
    assert one.covers(one)
    assert not (one.covers(two) and two.covers(three)) or one.covers(three)
    assert not (one.covers(two) and two.covers(one)) or one == two
    assert one.exclude("year", "part").covers(one)


@given(ANY)
def test_round_trip(one: Identifier) -> None:
    """The map holds only what is set, and gives the identifier back."""
    assert Identifier.from_dict(one.to_dict()) == one
    assert None not in one.to_dict().values()


def test_exclude() -> None:
    """A copy without components, in the base too; what an identifier is made of cannot be left out."""
    assert A.exclude("year") == B
    assert AMENDED.exclude("year").base == B
    assert AMENDED.exclude("base", "amendment") == B
    assert A.to_dict() == {"publisher": "ISO", "number": "1", "year": 1999}
    for name in ("publisher", "number", "colour"):
        with pytest.raises(ValueError, match=name):
            A.exclude(name)


def test_editions() -> None:
    """A later year is a new edition, in one year a higher edition is; None is the lowest."""
    assert C.is_new_edition_of(A)
    assert not A.is_new_edition_of(C)
    assert not A.is_new_edition_of(A)
    assert replace(A, edition=1).is_new_edition_of(A)
    with pytest.raises(ValueError, match="years"):
        A.is_new_edition_of(B)
    with pytest.raises(ValueError, match="the part differs"):
        replace(A, part="1").is_new_edition_of(C)
    with pytest.raises(ValueError, match="the number differs"):
        Identifier("ISO", "2", year=2001).is_new_edition_of(C)


def test_root() -> None:
    """The document at the end of all bases."""
    assert replace(AMENDED, base=AMENDED).root == A
    assert A.root == A
