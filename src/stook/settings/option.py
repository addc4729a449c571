"""One setting: a field of a frozen dataclass that also knows its reader, its help and how it may be shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any

__all__ = ["Option", "options_of", "setting"]

_TYPES = {"str": "text", "float": "number", "int": "whole number", "bool": "true or false"}


@dataclass(frozen=True, slots=True)
class Option:
    """`key` is the place in stook.toml (`cargo.index_gap`), `env` the name in the environment."""

    key: str
    type: str
    default: Callable[[], object]
    default_name: str
    help: str
    read: Callable[[object], object]
    mask: Callable[[str], str] | None

    @property
    def env(self) -> str:
        return "STOOK_" + self.key.replace(".", "_").upper()

    @property
    def default_text(self) -> str:
        """The default as the reference tells it, the same on every machine."""
        return self.default_name or self.show(self.default())

    @property
    def is_secret(self) -> bool:
        return self.mask is not None

    def show(self, value: object) -> str:
        """A value as people may see it: secrets masked, lists with commas."""
        shown = _as_text(value)
        return self.mask(shown) if self.mask else shown


def setting(
    default: Any,
    read: Callable[[object], object],
    help_line: str,
    *,
    mask: Callable[[str], str] | None = None,
    default_name: str = "",
) -> Any:
    """A field of the tree; a callable `default` is asked each time. Masked fields stay out of `repr`."""
    facts = {"read": read, "help": help_line, "mask": mask, "default_name": default_name}
    if callable(default):
        return field(default_factory=default, metadata=facts, repr=mask is None)
    return field(default=default, metadata=facts, repr=mask is None)


def options_of(section: str, holder: type) -> Iterator[Option]:
    """The settings among a dataclass's fields."""
    for one in fields(holder):
        if "read" in one.metadata:
            yield _option(f"{section}.{one.name}".lstrip("."), one)


def _option(key: str, one: Field[Any]) -> Option:
    facts = one.metadata
    default = (lambda: one.default) if one.default_factory is MISSING else one.default_factory
    return Option(
        key=key,
        type=_TYPES.get(str(one.type), "list"),
        default=default,
        default_name=facts["default_name"],
        help=facts["help"],
        read=facts["read"],
        mask=facts["mask"],
    )


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.15g}"
    return ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)
