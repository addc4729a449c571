"""Answers to what a visit asks for: replies, computations, and looks at what is known."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, assert_never, runtime_checkable

import sqlalchemy as sa

from stook.engine.errors import StookError
from stook.engine.ledger import Ledger
from stook.engine.loop.active_visit import ActiveVisit
from stook.engine.loop.database import DatabaseThread
from stook.engine.words import Compute, Look, Reply, Request, Source, Validators

__all__ = ["Answers", "Computer", "Fetcher", "LookSource", "answer"]

Asked = Request | tuple[Request, ...] | Compute | Look


class Fetcher(Protocol):
    """The door, as the loop sees it."""

    async def fetch(self, request: Request, validators: Validators | None = None) -> Reply: ...


class Computer(Protocol):
    """Where computations run."""

    async def compute(self, ask: Compute) -> Any: ...


@runtime_checkable
class LookSource(Protocol):
    """A source whose visits may look at what is known."""

    def look(self, connection: sa.Connection | None, look: Look) -> Any:
        """Answer one look by one short read. Without a ledger there is no connection."""
        ...


async def answer(
    ask: Asked,
    door: Fetcher,
    computer: Computer,
    look: Callable[[Look], Awaitable[Any]],
    known: Mapping[str, Validators],
) -> Any:
    """The answer to one ask. Raises the error of a single request or computation.

    Several requests are sent at once; the error of one of them stands in its place.
    """
    match ask:
        case Request():
            return await door.fetch(ask, known.get(ask.url))
        case Compute():
            return await computer.compute(ask)
        case Look():
            return await look(ask)
        case tuple():
            return tuple(await asyncio.gather(*(_reply_or_error(door, request, known) for request in ask)))
        case _:
            assert_never(ask)


async def _reply_or_error(door: Fetcher, request: Request, known: Mapping[str, Validators]) -> Reply | StookError:
    try:
        return await door.fetch(request, known.get(request.url))
    except StookError as error:
        return error


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers for visits whose events a ledger holds."""

    ledger: Ledger
    database: DatabaseThread
    door: Fetcher
    computer: Computer

    async def recall(self, visits: Sequence[ActiveVisit]) -> None:
        """Give the visits the validators for their conditional requests, in one look for all of them."""
        names = [request.memory_name for visit in visits for request in visit.conditional_requests]
        if not names:
            return
        remembered = await self.database.call(self.ledger.validators, names)
        for visit in visits:
            pairs = [(request.url, remembered.get(request.memory_name)) for request in visit.conditional_requests]
            visit.known = {url: known for url, known in pairs if known and known.url == url}

    async def give(self, visit: ActiveVisit, ask: Asked) -> None:
        """Answer the visit's ask, or raise the error inside the visit."""
        look = partial(self.database.call, self._look, visit.source)
        try:
            given = await answer(ask, self.door, self.computer, look, visit.known)
        except StookError as error:
            visit.throw(error)
        except Exception as error:
            visit.break_off(error)
        else:
            visit.send(given)

    def _look(self, source: Source, look: Look) -> Any:
        if not isinstance(source, LookSource):
            raise TypeError(f"the source {source.name} has no method look")
        with self.ledger.reading() as connection:
            return source.look(connection, look)
