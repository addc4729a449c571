"""A setting: a field of a frozen dataclass that also has a reader, a line of help and a rule how to show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from typing import Any

__all__ = ["Option", "options_of", "setting"]

_TYPES = {"str": "text", "float": "number", "int": "whole number", "bool": "true or false"}


@dataclass(frozen=True, slots=True)
class Option:
    """A setting as the settings' readers see it.

    `key` is its place in stook.toml, such as `work.tasks`; `name` is the key without its section, which is the field's
    name; `env` is its name in the environment.
    """

    key: str
    name: str
    env: str
    type: str
    default: Callable[[], object]
    default_name: str
    help: str
    read: Callable[[object], object]
    mask: Callable[[str], str] | None

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
    """A field of a section. `read` turns the text or value of a file, a variable or an option into the setting's value,
    or raises ValueError.

    A callable `default` is called each time; `default_name` stands for it in the reference. With `mask` the value is a
    secret: it stays out of `repr`, and only its masked form is shown.
    """
    facts = {"read": read, "help": help_line, "mask": mask, "default_name": default_name}
    if callable(default):
        return field(default_factory=default, metadata=facts, repr=mask is None)
    return field(default=default, metadata=facts, repr=mask is None)


@cache
def options_of(section: str, holder: type) -> tuple[Option, ...]:
    """The settings among a dataclass's fields."""
    prefix = f"{section}." if section else ""
    return tuple([_option(prefix + member.name, member) for member in fields(holder) if "read" in member.metadata])


def _option(key: str, member: Field[Any]) -> Option:
    facts = member.metadata
    default = (lambda: member.default) if member.default_factory is MISSING else member.default_factory
    written = member.type if isinstance(member.type, str) else getattr(member.type, "__name__", "")
    return Option(
        key=key,
        name=member.name,
        env="STOOK_" + key.replace(".", "_").upper(),
        type=_TYPES.get(written, "list"),
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
