"""A visit under way: the request it waits for, or what it found; whatever happens, its events get an outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import structlog

from stook.engine.door.validators import validators_of
from stook.engine.errors import FailureCode, LaneClosed, Malformed, Refused, StookError, Unavailable
from stook.engine.ledger import Finished
from stook.engine.ledger.queue.settle import postponement
from stook.engine.words import Ask, Code, Event, Found, Outcome, Part, Reply, Request, Source, Validators, Visit

__all__ = ["Begun"]

T = TypeVar("T")
log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Begun:
    """One visit. While it goes on, it waits for an answer to its `request`, or has a `part` to be kept."""

    source: Source
    events: Sequence[Event]
    request: Request | None = None
    part: Part | None = None
    known: Validators | None = None
    _visit: Visit | None = None
    _seen: dict[str, Validators] = field(default_factory=dict)
    _found: Found = field(default_factory=Found)

    def begin(self) -> None:
        """Go as far as the first request: visits are pure, so this costs nothing."""
        self._advance(self._first)

    def answer(self, reply: Reply) -> None:
        """Go on with a reply."""
        visit, request = self._under_way()
        if request.conditional and reply.status == 200:
            self._seen[request.url] = validators_of(reply)
        self._advance(lambda: visit.send(reply))

    def take_part(self) -> Finished:
        """What there is to keep so far; then go on."""
        if self._visit is None or self.part is None:
            raise RuntimeError("the visit has no part")
        part = self.part
        found = Found(records=part.records, announcements=part.announcements, cursor=part.cursor)
        visit = self._visit
        self._advance(lambda: next(visit))
        return Finished(self.source, self.events, found, is_part=True)

    def fail(self, error: StookError) -> None:
        """Go on with an error in place of a reply."""
        visit, _ = self._under_way()
        self._advance(lambda: visit.throw(error))

    def break_off(self, error: Exception) -> None:
        """End, as something broke that is no matter of the visit."""
        log.error("visit broke", source=self.source.name, package=self.events[0].name, exc_info=error)
        self._end(_broken(error), {})

    @property
    def has_ended(self) -> bool:
        return self.request is None and self.part is None

    @property
    def asks_for_changes(self) -> bool:
        """Whether the request wants the validators of last time."""
        return self.request is not None and self.request.conditional and not self.request.afresh

    def finished(self) -> Finished:
        """What there is to keep. Of a failed visit no validators: its replies must be had again in full."""
        finished = Finished(self.source, self.events, self._found, self._seen)
        if any(finished.outcome_of(event).code is Code.FAILED for event in self.events):
            return Finished(self.source, self.events, self._found)
        return finished

    def _first(self) -> Ask:
        self._visit = self.source.visit(self.events)
        return next(self._visit)

    def _under_way(self) -> tuple[Visit, Request]:
        if self._visit is None or self.request is None:
            raise RuntimeError("the visit has ended")
        return self._visit, self.request

    def _advance(self, step: Callable[[], Ask]) -> None:
        self.known = self.request = self.part = None
        try:
            told = step()
            if isinstance(told, Part):
                self.part = told
            else:
                self.request = _checked(told, Request)
        except StopIteration as end:
            self._conclude(end.value)
        except StookError as error:
            self._end(_failed(self.events, error), {})
        except Exception as error:
            self.break_off(error)

    def _conclude(self, found: object) -> None:
        try:
            self._end(_checked(found, Found), self._seen)
        except TypeError as error:
            self.break_off(error)

    def _end(self, found: Found, seen: dict[str, Validators]) -> None:
        self.request, self.part, self._found, self._seen = None, None, found, seen
        self._visit = None


def _checked(value: object, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise TypeError(f"a visit gave {type(value).__name__}, not {kind.__name__}")
    return value


def _failed(events: Sequence[Event], error: StookError) -> Found:
    """Trouble of the infrastructure goes back to where it was; trouble with the data climbs the ladder."""
    match error:
        case Unavailable():
            return Found(outcomes={event.id: _postponed(event, error) for event in events})
        case Malformed() | Refused():
            return Found(Outcome(Code.FAILED, _told(error), error.status, failure=error.code))
        case _:
            return _broken(error)


def _postponed(event: Event, error: Unavailable) -> Outcome:
    delay = postponement(error, event.attempts)
    lane = error.lane if isinstance(error, LaneClosed) else ""
    return Outcome(Code.PENDING, _told(error), error.status, delay, bool(lane), error.code, lane=lane)


def _told(error: StookError) -> str:
    return f"{type(error).__name__}: {error.reason}"


def _broken(error: Exception) -> Found:
    reason = f"internal: {type(error).__name__}: {error}"[:300]
    return Found(Outcome(Code.FAILED, reason, failure=FailureCode.INTERNAL))
