"""Visits without a ledger: one generator is driven to its end, for one page, one dataset, a test or a library user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from stook.engine.compute import ComputePool
from stook.engine.errors import StookError
from stook.engine.loop.answers import Computer, Fetcher, answer
from stook.engine.words import Found, Look, Part, Visit

__all__ = ["visit_alone", "with_parts"]


async def visit_alone(
    visit: Visit,
    door: Fetcher,
    *,
    computer: Computer | None = None,
    look: Callable[[Look], Any] | None = None,
    on_part: Callable[[Part], None] | None = None,
) -> Found:
    """Answer what the visit asks for until it ends; what it found is the result.

    `look` answers looks. Parts go to `on_part`; without it, their records and announcements are among those found.
    An error of a request that the visit does not catch reaches the caller.
    """
    pool = ComputePool(1)
    chosen: Computer = computer or pool
    parts: list[Part] = []
    try:
        ask = next(visit)
        while True:
            if isinstance(ask, Part):
                (on_part or parts.append)(ask)
                ask = visit.send(None)
            else:
                given = await _given(ask, door, chosen, look)
                ask = visit.throw(given) if isinstance(given, StookError) else visit.send(given)
    except StopIteration as end:
        return with_parts(end.value, parts)
    finally:
        visit.close()
        pool.close()


async def _given(ask: Any, door: Fetcher, computer: Computer, look: Callable[[Look], Any] | None) -> Any:
    """The answer, or the error of ours that the visit must be given in its place."""

    async def look_up(subject: Look) -> Any:
        if look is None:
            raise TypeError(f"nothing answers the look at {subject.subject!r}")
        return look(subject)

    try:
        return await answer(ask, door, computer, look_up, {})
    except StookError as error:
        return error


def with_parts(found: Found, parts: Sequence[Part]) -> Found:
    """What a visit found at its end and in its parts; the last cursor counts."""
    if not parts:
        return found
    records = [*chain.from_iterable(part.records for part in parts), *found.records]
    announcements = [*chain.from_iterable(part.announcements for part in parts), *found.announcements]
    cursors = [part.cursor for part in parts if part.cursor]
    cursor = found.cursor or (cursors[-1] if cursors else None)
    return replace(found, records=records, announcements=announcements, cursor=cursor)
