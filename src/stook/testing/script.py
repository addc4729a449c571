"""Drives a source's visit with replies written beforehand, without a door."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from stook.engine.words import Found, Reply, Request, Visit

__all__ = ["Script", "Unscripted", "run_visit"]

Script = Mapping[str, "Reply | Exception | Sequence[Reply | Exception]"]


class Unscripted(AssertionError):
    """The visit asked for something that the script does not answer, or never stopped asking."""


def run_visit(visit: Visit, replies: Script, *, at_most: int = 1000) -> tuple[Found, list[Request]]:
    """Answer each request of the visit by its URL; give back what it found and what it asked, in order.

    A lone answer serves every time, those of a list one time each. An exception is raised inside the visit, as the
    door would raise it; if the visit does not catch it, it reaches the caller.
    """
    asked: list[Request] = []
    try:
        request = next(visit)
        while len(asked) < at_most:
            asked.append(request)
            request = _send(visit, _answer(replies, asked))
    except StopIteration as end:
        return end.value, asked
    finally:
        visit.close()
    raise Unscripted(f"the visit asked {at_most} times and did not end; last: {asked[-1].url}")


def _send(visit: Visit, answer: Reply | Exception) -> Request:
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
