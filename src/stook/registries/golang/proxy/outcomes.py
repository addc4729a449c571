"""How events of a visit end that met trouble: the rest of the visit is kept all the same."""

from __future__ import annotations

from stook.engine.errors import FailureCode, LaneClosed, StookError, Unavailable
from stook.engine.ledger.queue.codes import is_new
from stook.engine.ledger.queue.settle import postponement
from stook.engine.words import Code, Event, Outcome
from stook.registries.golang.proxy.errors import judge

__all__ = ["absent", "is_first_look", "later", "troubled"]

GONE = (404, 410)


def is_first_look(event: Event) -> bool:
    """Whether the proxy has not yet said of this event that there is nothing."""
    return is_new(event.processed) and (event.attempts == 0 or event.facts.get("LAST_STATUS") not in GONE)


def absent(event: Event, status: int, body: bytes) -> Outcome:
    """A fresh 404 waits until the mirror has forgotten it; then the ladder, or the end where asking is no use."""
    verdict = judge(status, body, is_fresh=is_first_look(event))
    reason = f"{verdict.kind}: {verdict.message}"
    if verdict.is_terminal:
        return Outcome(Code.NOT_FOUND, reason, status, failure=FailureCode.NOT_FOUND)
    if verdict.delay is not None:
        return Outcome(Code.PENDING, reason, status, verdict.delay, failure=FailureCode.NOT_FOUND)
    return Outcome(Code.FAILED, reason, status, failure=FailureCode.NOT_FOUND)


def troubled(event: Event, error: StookError) -> Outcome:
    """As the loop ends a whole visit: infrastructure goes back to where it was, data climbs the ladder."""
    reason = f"{type(error).__name__}: {error.reason}"
    if not isinstance(error, Unavailable):
        return Outcome(Code.FAILED, reason, error.status, failure=error.code)
    delay = postponement(error, event.attempts)
    lane = error.lane if isinstance(error, LaneClosed) else ""
    return Outcome(Code.PENDING, reason, error.status, delay, bool(lane), error.code, lane=lane)


def later(event: Event) -> Outcome:
    """Not looked at yet: back where it was, at once."""
    return Outcome(Code.PENDING, status=event.facts.get("LAST_STATUS"), is_deferred=True)
