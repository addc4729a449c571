"""Asking the module proxy: each document once a visit, first for what it has cached."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from stook.engine.errors import Unavailable
from stook.engine.offload import off_loop
from stook.engine.words import Ask, Event, Reply, Request
from stook.registries.golang.latest import Latest, Need, answer_latest
from stook.registries.golang.paths import major_problem, proxy_path
from stook.registries.golang.proxy.errors import Absence, judge
from stook.registries.golang.proxy.outcomes import is_first_look
from stook.registries.golang.queues import PROXY_LANE

__all__ = ["Asking", "Proxy"]

T = TypeVar("T")
Asking = Generator[Ask, Any, T]

MOST_BYTES = {  # of each document; any other has INFO_BYTES
    "mod": 16 << 20,  # the go command's own limit
    "list": 8 << 20,  # the longest real ones have some fifty thousand versions
}
INFO_BYTES = 1 << 20
# What is not cached is fetched from its repository first; a no may take the mirror 58 seconds (golang/go#57185).
FETCH_SECONDS = 75.0


@dataclass(slots=True)
class Proxy:
    """What one visit asks the proxy.

    With `cached_only` an event is first asked for below `/cached-only`, whose silence says nothing of existence: the
    second look, and what a person waits for, goes to the proxy itself.
    """

    url: str
    cached_only: bool
    replies: dict[str, Reply] = field(default_factory=dict)

    def documents(self, path: str, event: Event) -> Asking[tuple[Reply, Reply]]:
        """The `.info` and the `.mod` of an event's version; where the first is missing, it stands for both."""
        direct = event.urgent or not is_first_look(event)
        info = yield from self.get(path, "info", event.version, direct=direct)
        if info.status != 200:
            return info, info
        return info, (yield from self.get(path, "mod", event.version, direct=direct))

    def latest(self, path: str, listing: bytes) -> Asking[Latest]:
        """Run the go command's rule, fetching what it asks for; what it names must be there."""
        latest = yield from self._answer(path, listing)
        if not latest.version:
            return latest
        if major_problem(path, latest.version):
            return replace(latest, version="")
        info = yield from self.get_surely(path, "info", latest.version)
        if info.status == 200:
            return latest
        return replace(latest, version="", problem=f"the proxy lists {latest.version} and does not have it")

    def get_surely(self, path: str, endpoint: str, version: str = "") -> Asking[Reply]:
        """A document of the module itself: what is merely not cached is asked for once more, of the proxy itself."""
        reply = yield from self.get(path, endpoint, version)
        if reply.status == 200 or judge(reply.status, reply.body, is_fresh=False).kind is not Absence.NOT_CACHED:
            return reply
        return (yield from self.get(path, endpoint, version, direct=True))

    def get(self, path: str, endpoint: str, version: str = "", *, direct: bool = False) -> Asking[Reply]:
        """One document, asked for once a visit; any status but 200, 404 and 410 is no answer."""
        place = proxy_path(path, endpoint, version)
        may_fetch = direct or not self.cached_only
        url = f"{self.url}{'' if may_fetch else '/cached-only'}{place}"
        known = self.replies.get(place) or self.replies.get(url)
        if known:
            return known
        most = MOST_BYTES.get(endpoint, INFO_BYTES)
        request = Request(url, lane=PROXY_LANE, accept="*/*", max_bytes=most)
        reply: Reply = yield replace(request, timeout=FETCH_SECONDS, silence=FETCH_SECONDS) if may_fetch else request
        if reply.status not in (200, 404, 410):
            raise Unavailable(f"the proxy answered HTTP {reply.status}", status=reply.status)
        self.replies[place if reply.status == 200 else url] = reply
        return reply

    def _answer(self, path: str, listing: bytes) -> Asking[Latest]:
        """Give the rule the documents it asks for, until it answers; long ones are read in another process."""
        answers: dict[Need, bytes | None] = {}
        while True:
            size = len(listing) + sum(len(body or b"") for body in answers.values())
            found: Latest | Need = yield from off_loop(answer_latest, path, listing, answers, size=size)
            if isinstance(found, Latest):
                return found
            reply = yield from self.get_surely(path, found.what, found.version)
            answers[found] = reply.body if reply.status == 200 else None
