"""Lines of a Markdown document: blocks one after the other, inside of quotes and list items."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Container", "Lines"]

_MAX_CONTAINERS = 12  # deeper ones are written without a prefix of their own


@dataclass(slots=True)
class Container:
    """A quote or a list item: its prefix for the first line, and for all others."""

    first: str
    rest: str
    is_used: bool = False


class Lines:
    """Collects blocks and counts characters."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._containers: list[Container] = []
        self.length = 0

    def enter(self, container: Container) -> None:
        self._containers.append(container)

    def leave(self) -> Container:
        return self._containers.pop()

    @property
    def depth(self) -> int:
        return len(self._containers)

    @property
    def is_at_item(self) -> bool:
        """Tell whether the next block begins the innermost container."""
        return bool(self._containers) and not self._containers[-1].is_used

    def add(self, block: str, *, is_tight: bool = False) -> int:
        """Write a block and return the place of its first character after the prefix."""
        containers = self._containers[:_MAX_CONTAINERS]
        if self._lines and not is_tight:
            self._append("".join(container.rest for container in containers if container.is_used).rstrip())
        first, *others = block.split("\n")
        prefix = "".join(container.rest if container.is_used else container.first for container in containers)
        place = self.length + len(prefix)
        self._append((prefix + first).rstrip())
        for container in self._containers:
            container.is_used = True
        prefix = "".join(container.rest for container in containers)
        for line in others:
            self._append((prefix + line).rstrip() if not line else prefix + line)
        return place

    def text(self) -> str:
        return "\n".join(self._lines) + "\n" if self._lines else ""

    def _append(self, line: str) -> None:
        self._lines.append(line)
        self.length += len(line) + 1
