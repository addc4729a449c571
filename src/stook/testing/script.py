"""Drives a source's visit with replies written beforehand, without a door."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from stook.engine.alone import with_parts
from stook.engine.errors import StookError
from stook.engine.words import Ask, Compute, Found, Look, Part, Reply, Request, Visit

__all__ = ["Script", "Unscripted", "run_visit"]

Script = Mapping[str, "Reply | Exception | Sequence[Reply | Exception]"]


class Unscripted(AssertionError):
    """The visit asked for something that the script does not answer, or never stopped asking."""


def run_visit(
    visit: Visit,
    replies: Script,
    *,
    at_most: int = 1000,
    on_part: Callable[[Part], None] | None = None,
    looks: Mapping[Hashable, Any] | None = None,
) -> tuple[Found, list[Request]]:
    """Answer each request of the visit by its URL; give back what it found and what it asked, in order.

    A lone answer serves every time, those of a list one time each. An exception is raised inside the visit, as the
    door would raise it; if the visit does not catch it, it reaches the caller. The parts of a long visit go to
    `on_part`; without it, their records and announcements are among those found. A computation runs here and now.
    A look is answered from `looks`, whose keys are pairs of its subject and key.
    """
    asked: list[Request] = []
    parts: list[Part] = []
    try:
        ask = next(visit)
        for _ in range(at_most):
            match ask:
                case Part():
                    (on_part or parts.append)(ask)
                    answer: Any = None
                case Request():
                    asked.append(ask)
                    answer = _answer(replies, asked)
                case Compute():
                    answer = _computed(ask)
                case Look():
                    answer = (looks or {}).get((ask.subject, ask.key))
                case _:
                    answer = tuple(_one_of_several(replies, asked, request) for request in ask)
            ask = _send(visit, answer)
    except StopIteration as end:
        return with_parts(end.value, parts), asked
    finally:
        visit.close()
    raise Unscripted(f"the visit asked {at_most} times and did not end; last: {asked[-1].url if asked else None}")


def _computed(ask: Compute) -> Any:
    try:
        return ask.function(*ask.arguments)
    except StookError as error:
        return error


def _one_of_several(replies: Script, asked: list[Request], request: Request) -> Reply | Exception:
    asked.append(request)
    return _answer(replies, asked)


def _send(visit: Visit, answer: Any) -> Ask:
    return visit.throw(answer) if isinstance(answer, Exception) else visit.send(answer)


def _answer(replies: Script, asked: Sequence[Request]) -> Reply | Exception:
    url = asked[-1].url
    if url not in replies:
        near = get_close_matches(url, replies, n=1)
        raise Unscripted(f"nothing scripted for {url}" + (f"; did you mean {near[0]}?" if near else ""))
    scripted = replies[url]
    if isinstance(scripted, Reply | Exception):
        return scripted
    times = sum(request.url == url for request in asked)
    if times > len(scripted):
        raise Unscripted(f"{url} was asked {times} times, but {len(scripted)} answers are scripted")
    return scripted[times - 1]
