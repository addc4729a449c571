"""XML from outside is read in part, from its own bytes alone, at a bounded cost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.datasets.formats.elements import XmlElement, read_elements
from stook.engine.errors import Malformed


def everything(parent: XmlElement, tag: str) -> bool:
    return True


def test_text_in_order() -> None:
    """Text within other elements counts, in its place; white space is folded or left as it is."""
    root = read_elements(b"<a> x <b>y\n z</b>\n<c/>w<!-- no --><![CDATA[<d>]]></a>", everything)
    assert root.text == "x y z w<d>"
    assert root.raw_text == " x y\n z\nw<d>"
    assert root.text_of("b") == "y z"
    assert root.text_of("missing") == ""


def test_only_what_is_wanted() -> None:
    """Elements that nobody wants are passed over with all that is in them."""
    root = read_elements(b"<a><no><b>1</b></no><b>2</b></a>", lambda parent, tag: tag == "b")
    assert [one.text for one in root.children("b")] == ["2"]
    assert root.text == "2"


def test_namespaces_are_part_of_the_tag() -> None:
    """An element of another namespace is another element."""
    root = read_elements(b'<a xmlns="urn:x" xmlns:y="urn:y"><b>1</b><y:b>2</y:b></a>', everything)
    assert root.tag == "{urn:x}a"
    assert root.text_of("{urn:y}b") == "2"


BOMB = (
    b"<!DOCTYPE a ["
    + b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10 if n else b"x" * 100) for n in range(9))
    + b"]><a>&e8;</a>"
)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"text",
        b"<a>",
        b"<a></b>",
        b"<a>&b;</a>",
        b"<a/><b/>",
        b"\xff\xfe<",
        b'<?xml version="1.0" encoding="nothing"?><a/>',
        b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        b'<!DOCTYPE a SYSTEM "http://x.test/a.dtd"><a>&b;</a>',
        b"<a>" * 300 + b"</a>" * 300,
        BOMB,
    ],
)
def test_what_is_refused(data: bytes) -> None:
    """Broken, deep and self-declaring documents are an error with a reason."""
    with pytest.raises(Malformed, match="no XML"):
        read_elements(data, everything)


@pytest.mark.parametrize(
    "data",
    [
        b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        b'<!DOCTYPE a [<!ENTITY % p SYSTEM "other.ent"> %p;]><a/>',
        b'<!DOCTYPE a SYSTEM "http://x.test/a.dtd"><a/>',
        b'<!DOCTYPE a SYSTEM "given.dtd"><a>&undeclared;</a>',
        b'<!DOCTYPE a [<!ENTITY % p SYSTEM "loop.ent"> %p;]><a/>',
        BOMB,
    ],
)
def test_only_the_given_files_are_read(data: bytes) -> None:
    """With entities allowed, no other file is, nor what is not declared, nor an expansion without end."""
    given_files = {"given.dtd": b"", "loop.ent": b'<!ENTITY % q SYSTEM "loop.ent"> %q;'}
    with pytest.raises(Malformed, match="no XML"):
        read_elements(data, everything, given_files)


def test_elements_are_limited_by_the_size() -> None:
    """A document of tiny elements is refused before it takes many times its size; those nobody wants cost nothing."""
    data = b"<a>" + b"<b/>" * 10_000 + b"</a>"
    with pytest.raises(Malformed, match="more elements"):
        read_elements(data, everything)
    assert read_elements(data, lambda parent, tag: False).content == []
    assert len(list(read_elements(b"<a>" + b"<b/>" * 900 + b"</a>", everything).children("b"))) == 900


def test_given_entities_are_expanded() -> None:
    """Elements may stand in an entity of a file that was given."""
    data = b'<!DOCTYPE a SYSTEM "t.dtd" [<!ENTITY % e SYSTEM "t.ent"> %e; <!ENTITY own "mine">]><a>&own;&theirs;</a>'
    root = read_elements(data, everything, {"t.dtd": b"<!ELEMENT a ANY>", "t.ent": b'<!ENTITY theirs "<b>one</b>">'})
    assert (root.text_of("b"), root.text) == ("one", "mineone")


@given(st.binary())
def test_any_bytes_end_well(data: bytes) -> None:
    """A tree or Malformed, never anything else."""
    for entities in (None, {"x": data}):
        try:
            read_elements(data, everything, entities)
        except Malformed:
            pass


def test_expansion_is_limited_below_the_parsers_own_limit() -> None:
    """Five megabytes of text out of a hundred kilobytes are refused; what its size allows is read."""
    head = b'<!DOCTYPE a [<!ENTITY e "' + b"x" * 100_000 + b'">]><a>'
    with pytest.raises(Malformed, match="ten times its size"):
        read_elements(head + b"&e;" * 50 + b"</a>", everything, {})
    assert len(read_elements(head + b"&e;" * 15 + b"</a>", everything, {}).text) == 1_500_000
