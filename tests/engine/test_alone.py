"""Visits without a ledger."""

from __future__ import annotations

import asyncio

import pytest

from stook.engine.alone import visit_alone
from stook.engine.errors import Unavailable
from stook.engine.words import Compute, Cursor, Found, Look, Part, Request

from .loop import Script  # noqa: TID252


def alone(visit, door=None, **more):
    return asyncio.run(asyncio.wait_for(visit_alone(visit, door or Script(), **more), 20))


def test_a_visit_is_driven_to_its_end():
    """Every kind of ask is answered without any database."""

    def visit():
        reply = yield Request("https://example.org/a")
        several = yield (Request("https://example.org/b"), Request("https://example.org/c"))
        number = yield Compute(int, ("7",))
        rules = yield Look("robots", "example.org")
        return Found(records=[reply.body, *(one.body for one in several), number, rules])

    found = alone(visit(), look=lambda look: (look.subject, look.key))
    assert found.records == [b"a", b"b", b"c", 7, ("robots", "example.org")]


def test_parts_are_among_what_was_found():
    """Parts go to their listener, or are joined with the end."""

    def visit():
        yield Part(records=["first"], cursor=Cursor("feed", "1"))
        yield Part(records=["second"], cursor=Cursor("feed", "2"))
        return Found(records=["last"])

    found = alone(visit())
    assert (found.records, found.cursor) == (["first", "second", "last"], Cursor("feed", "2"))
    parts = []
    assert alone(visit(), on_part=parts.append).records == ["last"]
    assert [part.records for part in parts] == [["first"], ["second"]]


def test_errors_reach_the_visit_and_then_the_caller():
    """A visit may handle an error; one that it does not handle is the caller's."""

    def careful():
        try:
            yield Request("https://example.org/away")
        except Unavailable as error:
            return Found(records=[error.reason])

    def careless():
        yield Request("https://example.org/away")
        return Found()

    door = Script({"away": Unavailable("away")})
    assert alone(careful(), door).records == ["away"]
    with pytest.raises(Unavailable, match="away"):
        alone(careless(), door)


def test_a_look_that_nobody_answers():
    """A missing answer is a fault of the caller, with a word about what was asked."""

    def visit():
        yield Look("robots")
        return Found()

    with pytest.raises(TypeError, match="robots"):
        alone(visit())
