"""A few threads that do the same with many things."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

__all__ = ["WorkersPool"]

T = TypeVar("T")
R = TypeVar("R")


class WorkersPool:
    """`size` threads; fewer than one are one."""

    def __init__(self, size: int = 2) -> None:
        self.size = max(1, size)

    def map(self, function: Callable[[T], R], things: Iterable[T]) -> list[R]:
        """The results in the order of the things.

        After an error no further thing is begun; when all threads are done, the error of the first thing in order that
        had one is raised.
        """
        work = _Work(function, things)
        threads = [threading.Thread(target=work.go_on, daemon=True) for _ in range(self.size)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if work.errors:
            raise work.errors[min(work.errors)]
        return [work.results[place] for place in sorted(work.results)]


class _Work(Generic[T, R]):
    """What the threads share."""

    def __init__(self, function: Callable[[T], R], things: Iterable[T]) -> None:
        self._function = function
        self._things = enumerate(things)
        self._lock = threading.Lock()
        self.results: dict[int, R] = {}
        self.errors: dict[int, Exception] = {}

    def go_on(self) -> None:
        """Take the next thing until there is none, or one had an error."""
        while (taken := self._take()) is not None:
            place, thing = taken
            try:
                self.results[place] = self._function(thing)
            except Exception as error:
                self.errors[place] = error

    def _take(self) -> tuple[int, T] | None:
        with self._lock:
            try:
                return None if self.errors else next(self._things, None)
            except Exception as error:  # of whoever gives the things; they end here
                self.errors[len(self.results)] = error
                return None
