"""What can go wrong on the way, on demand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from stook.testing.answer import Answer, Asked

__all__ = ["Fault", "Kind", "Sending", "spoil"]

Kind = Literal["status", "reset", "truncate", "garbage", "wrong_type", "latency", "drip", "redirect"]
_PIECES = 8  # a drip's


@dataclass(slots=True)
class Fault:
    """One rule: requests whose target contains `match` meet it, all or the `first` so many; `seconds` are real."""

    match: str
    kind: Kind
    first: int | None = None
    status: int = 503
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b"out of order\n"
    seconds: float = 0.05
    text: bytes = b"{this line is not JSON"
    hits: int = 0

    def meets(self, target: str) -> bool:
        if (self.first is not None and self.hits >= self.first) or not re.search(self.match, target):
            return False
        self.hits += 1
        return True


@dataclass(frozen=True, slots=True)
class Sending:
    """Bytes in pieces, `pause` seconds before each, and how the connection ends: kept, closed or reset."""

    status: int
    pieces: tuple[bytes, ...]
    pause: float = 0.0
    ending: Literal["keep", "close", "reset"] = "keep"


def spoil(fault: Fault | None, answer: Answer, asked: Asked) -> Sending:
    """The answer as it goes out. Status 0 stands for no answer at all."""
    if fault and fault.kind == "reset":
        return Sending(0, (), ending="reset")
    answer = _changed(fault, answer, asked) if fault else answer
    wire = answer.render(with_body=asked.method != "HEAD")
    if fault and fault.kind == "truncate":
        return Sending(answer.status, (wire[: len(wire) - (len(answer.body) + 1) // 2],), ending="close")
    if fault and fault.kind == "drip":
        size = -(-len(wire) // _PIECES)
        pieces = tuple(wire[start : start + size] for start in range(0, len(wire), size))
        return Sending(answer.status, pieces, pause=fault.seconds / _PIECES)
    return Sending(answer.status, (wire,), pause=fault.seconds if fault and fault.kind == "latency" else 0.0)


def _changed(fault: Fault, answer: Answer, asked: Asked) -> Answer:
    match fault.kind:
        case "status":
            return Answer(fault.status, fault.body, headers=fault.headers)
        case "wrong_type":
            page = b"<!doctype html><title>Harbour closed</title><p>Please sign in.\n"
            return Answer(200, page, "text/html; charset=utf-8")
        case "redirect":
            return Answer(302, headers={"Location": asked.target})
        case "garbage" if answer.status == 200:
            lines = answer.body.splitlines(keepends=True)
            lines.insert(len(lines) // 2, fault.text + b"\n")
            return replace(answer, body=b"".join(lines))
        case _:
            return answer
