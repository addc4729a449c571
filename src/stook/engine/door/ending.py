"""How an exchange ended, in one word: for the log, the counters, and what the door does next."""

from __future__ import annotations

from typing import Literal

from stook.engine.door.redirects import REDIRECTS
from stook.engine.door.response import Answer
from stook.engine.errors import Malformed, Refused, StookError
from stook.engine.words import Request

__all__ = ["Ending", "ending_of", "failure_of", "is_throttle"]

Ending = Literal[
    "ok", "not modified", "redirect", "throttled", "closed", "refused", "malformed", "unavailable", "cancelled"
]


def ending_of(answer: Answer, request: Request) -> Ending:
    """The ending of an exchange that brought an answer."""
    if answer.status in request.closes_on:
        return "closed"
    if is_throttle(answer):
        return "throttled"
    if answer.status >= 500:
        return "unavailable"
    if answer.status == 304:
        return "not modified"
    return "redirect" if answer.status in REDIRECTS else "ok"


def failure_of(error: StookError) -> Ending:
    """The ending of an exchange that failed."""
    if isinstance(error, Refused):
        return "refused"
    return "malformed" if isinstance(error, Malformed) else "unavailable"


def is_throttle(answer: Answer) -> bool:
    """Whether the server asks to come back later (RFC 6585, 4; RFC 9110, 15.6.4 with 10.2.3)."""
    return answer.status == 429 or (answer.status == 503 and "retry-after" in answer.headers)
