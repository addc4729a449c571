"""What went over the wire, counted by host and by failure."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass

from stook.engine.door.ending import Ending
from stook.engine.errors import FailureCode

__all__ = ["OTHER_HOSTS", "HostTraffic", "Traffic"]

MAX_HOSTS = 1000
OTHER_HOSTS = "(other hosts)"
"""Where hosts are counted that come after the first thousand: a crawl meets any number."""


@dataclass(slots=True)
class HostTraffic:
    """`failed` counts exchanges that gave no usable reply and were no throttle; `bytes` are body bytes as received."""

    count: int = 0
    not_modified: int = 0
    throttled: int = 0
    failed: int = 0
    bytes: int = 0


class Traffic:
    """Counters of one run; hosts appear with their first request."""

    def __init__(self) -> None:
        self._hosts: dict[str, HostTraffic] = {}
        self.failures: Counter[FailureCode] = Counter()

    def add(self, host: str, ending: Ending, received: int, code: FailureCode | None = None) -> None:
        """Count one exchange; `code` says how it failed."""
        counts = self._counts(host)
        counts.count += 1
        counts.bytes += received
        if code is not None:
            self.failures[code] += 1
        if ending == "not modified":
            counts.not_modified += 1
        elif ending == "throttled":
            counts.throttled += 1
        elif ending not in ("ok", "redirect"):
            counts.failed += 1

    def by_host(self) -> dict[str, dict[str, int]]:
        """A copy for the report, hosts in order."""
        return {host: asdict(counts) for host, counts in sorted(self._hosts.items())}

    def _counts(self, host: str) -> HostTraffic:
        counts = self._hosts.get(host)
        if counts is None:
            name = host if len(self._hosts) < MAX_HOSTS else OTHER_HOSTS
            counts = self._hosts.setdefault(name, HostTraffic())
        return counts
