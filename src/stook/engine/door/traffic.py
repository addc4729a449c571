"""What went over the wire, counted by host."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

__all__ = ["Ending", "HostTraffic", "Traffic"]

Ending = Literal[
    "ok", "not modified", "redirect", "throttled", "closed", "refused", "malformed", "unavailable", "cancelled"
]


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

    def add(self, host: str, ending: Ending, received: int) -> None:
        """Count one exchange."""
        counts = self._hosts.get(host)
        if counts is None:
            counts = self._hosts[host] = HostTraffic()
        counts.count += 1
        counts.bytes += received
        if ending == "not modified":
            counts.not_modified += 1
        elif ending == "throttled":
            counts.throttled += 1
        elif ending not in ("ok", "redirect"):
            counts.failed += 1

    def by_host(self) -> dict[str, dict[str, int]]:
        """A copy for the report, hosts in order."""
        return {host: asdict(counts) for host, counts in sorted(self._hosts.items())}
