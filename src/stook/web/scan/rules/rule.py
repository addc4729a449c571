"""Rules: data in TOML files, each with texts that it must catch and texts that it must let pass."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from stook.web.scan.finding import Severity
from stook.web.scan.rules.lexicon import Lexicon, build_lexicon
from stook.web.scan.rules.shape import Shape, parse_shape

__all__ = ["Rule", "Rulebook", "load_rulebook"]

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule fires on a shape of words, or on a pattern of characters near one of its `needles`.

    `needles` are literals in lower case; a text without any of them is not searched. Each pattern is tried at the
    places of a needle, so it begins with it.
    """

    id: str
    family: str
    severity: Severity
    says: str
    shapes: tuple[Shape, ...]
    patterns: tuple[re.Pattern[str], ...]
    needles: tuple[str, ...]
    catches: tuple[str, ...]
    passes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All rules, and the lexicon in whose classes they are written."""

    rules: Sequence[Rule]
    lexicon: Lexicon


@cache
def load_rulebook() -> Rulebook:
    """The rules that come with Stook."""
    lexicon = build_lexicon(_entries())
    rules = [
        _rule(row, path.stem, lexicon)
        for path in sorted((_FOLDER / "families").glob("*.toml"))
        for row in _read(path)["rule"]
    ]
    return Rulebook(rules, lexicon)


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _entries() -> Iterator[tuple[str, str]]:
    """Every (class, entry) of every language."""
    for path in sorted((_FOLDER / "words").glob("*.toml")):
        for classes in _read(path).values():
            for name, entries in classes.items():
                for entry in re.split(r"[,\n]+", entries):
                    if entry.strip():
                        yield name, entry.strip()


def _rule(row: dict[str, Any], family: str, lexicon: Lexicon) -> Rule:
    return Rule(
        id=row["id"],
        family=family,
        severity=Severity(row["severity"]),
        says=row["says"],
        shapes=tuple(parse_shape(shape, lexicon.bits) for shape in row.get("shapes", ())),
        patterns=tuple(re.compile(pattern, re.IGNORECASE) for pattern in row.get("patterns", ())),
        needles=tuple(row.get("needles", ())),
        catches=tuple(row.get("catches", ())),
        passes=tuple(row.get("passes", ())),
    )
