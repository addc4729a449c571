"""A visit under way: what it asks for now, or what it found; whatever happens, its events get an outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import structlog

from stook.engine.door.validators import validators_of
from stook.engine.errors import FailureCode, LaneClosed, Malformed, Refused, StookError, Unavailable
from stook.engine.ledger import VisitResult
from stook.engine.ledger.queue.settle import postponement
from stook.engine.words import (
    Ask,
    Code,
    Compute,
    Event,
    Found,
    Look,
    Outcome,
    Part,
    Reply,
    Request,
    Source,
    Validators,
    Visit,
)

__all__ = ["ActiveVisit"]

log = structlog.get_logger(__name__)


@dataclass(eq=False, slots=True)
class ActiveVisit:
    """A visit between its first step and its end. While it goes on, `ask` is what it waits for; then None.

    `known` holds the validators of the requests in `ask`, by URL, as far as they are asked for.
    """

    source: Source
    events: Sequence[Event]
    ask: Ask | None = None
    known: Mapping[str, Validators] = field(default_factory=dict)
    _visit: Visit | None = None
    _seen: dict[str, Validators] = field(default_factory=dict)
    _found: Found = field(default_factory=Found)

    @property
    def lane(self) -> str:
        """The lane of its events; empty in a queue that has no lanes."""
        return self.events[0].lane

    @property
    def conditional_requests(self) -> list[Request]:
        """The requests with which the visit wants to send the validators of last time."""
        return [request for request in self._requests() if request.conditional and not request.afresh]

    def begin(self) -> None:
        """Go as far as the first ask: visits are pure, so this costs nothing."""
        self._advance(self._first_ask)

    def send(self, answer: Any) -> None:
        """Go on with an answer; validators of full replies are remembered until the visit is kept."""
        visit = self._under_way()
        replies = answer if isinstance(self.ask, tuple) else (answer,)
        for request, reply in zip(self._requests(), replies, strict=False):
            if request.conditional and isinstance(reply, Reply) and reply.status == 200:
                self._seen[request.memory_name] = replace(validators_of(reply), url=request.url)
        self._advance(lambda: visit.send(answer))

    def throw(self, error: StookError) -> None:
        """Go on with an error in place of an answer."""
        visit = self._under_way()
        self._advance(lambda: visit.throw(error))

    def take_part(self) -> VisitResult:
        """The part to be kept now; the visit goes on."""
        if not isinstance(self.ask, Part):
            raise RuntimeError("the visit has no part")
        part = self.ask
        self.send(None)
        found = Found(records=part.records, announcements=part.announcements, cursor=part.cursor)
        return VisitResult(self.source, self.events, found, is_part=True)

    def break_off(self, error: Exception) -> None:
        """End because of a fault in Stook or in the source."""
        log.error("visit broke", source=self.source.name, package=self.events[0].name, exc_info=error)
        self._end(_broken(error), {})

    def finished(self) -> VisitResult:
        """The end to be kept. A failed visit keeps no validators: its replies must be had again in full."""
        finished = VisitResult(self.source, self.events, self._found, self._seen)
        if any(finished.outcome_of(event).code is Code.FAILED for event in self.events):
            return VisitResult(self.source, self.events, self._found)
        return finished

    def _requests(self) -> tuple[Request, ...]:
        if isinstance(self.ask, Request):
            return (self.ask,)
        return self.ask if isinstance(self.ask, tuple) else ()

    def _first_ask(self) -> Ask:
        self._visit = self.source.visit(self.events)
        return next(self._visit)

    def _under_way(self) -> Visit:
        if self._visit is None or self.ask is None:
            raise RuntimeError("the visit has ended")
        return self._visit

    def _advance(self, step: Callable[[], Ask]) -> None:
        self.known = {}
        try:
            self.ask = _checked(step())
        except StopIteration as end:
            self._conclude(end.value)
        except StookError as error:
            self._end(_failed(self.events, error), {})
        except Exception as error:
            self.break_off(error)

    def _conclude(self, found: object) -> None:
        if isinstance(found, Found):
            self._end(found, self._seen)
        else:
            self.break_off(TypeError(f"a visit ended with {type(found).__name__}, not Found"))

    def _end(self, found: Found, seen: dict[str, Validators]) -> None:
        self.ask = self._visit = None
        self._found, self._seen = found, seen


def _checked(ask: Ask) -> Ask:
    """The ask, if it is one: a visit may come from a plug-in that no type checker has seen."""
    asked: tuple[object, ...] = ask if isinstance(ask, tuple) else (ask,)
    kinds = (Request,) if isinstance(ask, tuple) else (Request, Part, Compute, Look)
    for each in asked:
        if not isinstance(each, kinds):
            raise TypeError(f"a visit asked for {type(each).__name__}, not for a Request, Compute, Look or Part")
    return ask


def _failed(events: Sequence[Event], error: StookError) -> Found:
    """Trouble of the infrastructure goes back to where it was; trouble with the data climbs the ladder."""
    match error:
        case Unavailable():
            return Found(outcomes={event.id: _postponed(event, error) for event in events})
        case Malformed() | Refused():
            return Found(Outcome(Code.FAILED, _reason(error), error.status, failure=error.code))
        case _:
            return _broken(error)


def _postponed(event: Event, error: Unavailable) -> Outcome:
    delay = postponement(error, event.attempts)
    lane = error.lane if isinstance(error, LaneClosed) else ""
    return Outcome(
        Code.PENDING, _reason(error), error.status, delay, is_deferred=bool(lane), failure=error.code, lane=lane
    )


def _reason(error: StookError) -> str:
    return f"{type(error).__name__}: {error.reason}"


def _broken(error: Exception) -> Found:
    reason = f"internal: {type(error).__name__}: {error}"[:300]
    return Found(Outcome(Code.FAILED, reason, failure=FailureCode.INTERNAL))
