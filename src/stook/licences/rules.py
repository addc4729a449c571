"""What the SPDX list does not say about names: successors, families, guesses, and values that name no licence."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

import msgspec

__all__ = ["Family", "LicenceRules", "Nothing", "default_rules"]

RULES = Path(__file__).parent / "data" / "rules.toml"


class Family(msgspec.Struct, frozen=True):
    """Names that several licences share; `ids` are beginnings of the ids they may mean."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    why: str


class Nothing(msgspec.Struct, frozen=True):
    """Values of a licence field that name no licence."""

    names: tuple[str, ...]
    why: str


class _Exceptions(msgspec.Struct, frozen=True):
    ids: frozenset[str]
    licences: frozenset[str]


class LicenceRules(msgspec.Struct, frozen=True):
    """The rules of `data/rules.toml`; its comments say what each part is."""

    successors: dict[str, str]
    exceptions: _Exceptions
    aliases: dict[str, tuple[str, ...]]
    guesses: dict[str, tuple[str, ...]]
    families: tuple[Family, ...]
    values: tuple[Nothing, ...]
    regexes: dict[str, tuple[str, ...]]

    def is_exception(self, short: str) -> bool:
        """Whether an id is that of an exception, which may only stand after WITH."""
        if short in self.exceptions.ids:
            return True
        return "-exception" in short and "-with-" not in short and short not in self.exceptions.licences


@lru_cache(maxsize=1)
def default_rules() -> LicenceRules:
    """The rules that the package ships, read once."""
    text = RULES.read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), LicenceRules)
