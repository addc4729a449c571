"""A parsed identifier, and what it means that one covers another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

__all__ = ["Identifier"]


@dataclass(frozen=True, slots=True)
class Identifier:
    """The components of an identifier; those it leaves out are None.

    `base` is the document that an amendment or another supplement belongs to.
    """

    publisher: str
    number: str
    copublisher: str | None = None
    part: str | None = None
    year: int | None = None
    edition: int | None = None
    language: str | None = None
    stage: str | None = None
    amendment: str | None = None
    corrigendum: str | None = None
    base: Identifier | None = None

    def covers(self, other: Identifier) -> bool:
        """Whether every component that this one has equals the other's; what it leaves out may be anything.

        Not symmetric: `ISO 1` covers `ISO 1:1999`, which does not cover `ISO 1`.
        """
        for name, value in self._set().items():
            found = getattr(other, name)
            if isinstance(value, Identifier):
                if not isinstance(found, Identifier) or not value.covers(found):
                    return False
            elif found != value:
                return False
        return True

    def exclude(self, *names: str) -> Identifier:
        """A copy without these components, in the documents it is based on too; raises ValueError for other names."""
        unknown = set(names) - _OPTIONAL
        if unknown:
            raise ValueError(f"no component that can be left out: {', '.join(sorted(unknown))}")
        base = self.base.exclude(*names) if self.base is not None and "base" not in names else None
        nothing: dict[str, Any] = dict.fromkeys(set(names) - {"base"})
        return replace(self, base=base, **nothing)

    def to_dict(self) -> dict[str, Any]:
        """The components that are set."""
        return {
            name: value.to_dict() if isinstance(value, Identifier) else value for name, value in self._set().items()
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Identifier:
        """The inverse of `to_dict`; raises TypeError for other keys."""
        base = values.get("base")
        return cls(**{**values, "base": cls.from_dict(base) if base is not None else None})

    def is_new_edition_of(self, other: Identifier) -> bool:
        """Whether this is a later year, or in the same year a later edition, of the same document.

        Raises ValueError if the documents differ, or have no years to compare.
        """
        mine, theirs = (one.exclude("year", "edition").to_dict() for one in (self, other))
        differing = sorted(name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name))
        if differing:
            raise ValueError(f"another document: the {differing[0]} differs")
        if self.year is None or other.year is None:
            raise ValueError("editions cannot be compared without their years")
        return (self.year, self.edition or 0) > (other.year, other.edition or 0)

    @property
    def root(self) -> Identifier:
        """The document that this one is based on at last."""
        one = self
        while one.base is not None:
            one = one.base
        return one

    def _set(self) -> dict[str, Any]:
        return {name: value for name in _COMPONENTS if (value := getattr(self, name)) is not None}


_COMPONENTS = tuple(one.name for one in fields(Identifier))
_OPTIONAL = frozenset(_COMPONENTS) - {"publisher", "number"}
