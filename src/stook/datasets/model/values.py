"""Values of other people's documents in one shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["as_list", "normalise_keys"]


def as_list(value: Any) -> list[Any]:
    """A list as it is, None as the empty list, anything else as a list of itself."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def normalise_keys(value: Any, key: Callable[[str], str] = str.lower) -> Any:
    """The same maps and lists with `key` applied to every text key; other keys and all scalars stay."""
    if isinstance(value, dict):
        return {(key(name) if isinstance(name, str) else name): normalise_keys(one, key) for name, one in value.items()}
    if isinstance(value, list):
        return [normalise_keys(one, key) for one in value]
    return value
