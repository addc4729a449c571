"""Answers what the latest rule asks for, from dictionaries."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping

from stook.registries.golang.latest import Latest, Need

__all__ = ["answer"]


def answer(
    asking: Generator[Need, bytes | None, Latest],
    mods: Mapping[str, bytes],
    latest: str = "",
    asked: list[Need] | None = None,
) -> Latest:
    """Drive the generator to its end; `asked` gathers what it wanted, in order."""
    reply: bytes | None = None
    try:
        need = next(asking)
        while True:
            if asked is not None:
                asked.append(need)
            reply = json.dumps({"Version": latest}).encode() if latest else None
            need = asking.send(mods.get(need.version) if need.what == "mod" else reply)
    except StopIteration as end:
        found: Latest = end.value
        return found
