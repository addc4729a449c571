"""Rules: data in TOML files, each with texts that it must catch and texts that it must let pass."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any

from ahocorasick_rs import BytesAhoCorasick

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
    """All rules, and the lexicon in whose classes they are written.

    `needles` finds the needles of all rules; `needle_rules` tells the rule of each.
    """

    rules: Sequence[Rule]
    lexicon: Lexicon
    needles: BytesAhoCorasick
    needle_rules: Sequence[Rule]

    def find_patterns(self, text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
        """The rules with a pattern that matches at one of its needles."""
        lowered = text.encode("utf-8", "replace").lower()  # ASCII letters only
        position = last = 0
        matches = self.needles.find_matches_as_indexes(lowered, overlapping=True)
        for number, start, _ in sorted(matches, key=itemgetter(1)):
            position += start - last if text.isascii() else len(lowered[last:start].decode("utf-8", "replace"))
            last = start
            rule = self.needle_rules[number]
            match = next(filter(None, (pattern.match(text, position) for pattern in rule.patterns)), None)
            if match is not None:
                yield rule, match


@cache
def load_rulebook() -> Rulebook:
    """The rules that come with Stook."""
    lexicon = build_lexicon(_entries())
    rules = [
        _rule(row, path.stem, lexicon)
        for path in sorted((_FOLDER / "families").glob("*.toml"))
        for row in _read(path)["rule"]
    ]
    needles = [(needle, rule) for rule in rules for needle in rule.needles]
    return Rulebook(
        rules=rules,
        lexicon=lexicon,
        needles=BytesAhoCorasick([needle.encode() for needle, _ in needles]),
        needle_rules=[rule for _, rule in needles],
    )


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
