"""Work on large documents, moved off the loop: the bridge between a visit and `Compute`."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from stook.engine.words import Compute

__all__ = ["INLINE_BYTES", "off_loop"]

T = TypeVar("T")
INLINE_BYTES = 64 * 1024
"""Up to this size reading a document takes a millisecond or two, no more than sending it to another process."""


def off_loop(function: Callable[..., T], *arguments: Any, size: int) -> Generator[Compute, Any, T]:
    """The function's result, for `yield from` in a visit. `size` is the length of its input in bytes.

    A small input is worked on here and now; a large one in another process, with the limits that `Compute` has.
    """
    if size <= INLINE_BYTES:
        return function(*arguments)
    result: T = yield Compute(function, arguments)
    return result
