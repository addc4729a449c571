"""Names of licences and exceptions by their keys, built from rows and rules."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

import msgspec

from stook.licences.rows import LicenceRow, literal
from stook.licences.rules import Family, LicenceRules
from stook.licences.strings.names import exception_key, name_key, stem_of, url_key

__all__ = ["NameIndex", "RejectedPattern"]

_SEPARATOR = re.compile(r" (?:and|or|with|[/,&|]) ")


class RejectedPattern(msgspec.Struct, frozen=True):
    """A regular expression of a row that cannot be compiled; the row's other names are used."""

    row: int
    pattern: str
    why: str


class NameIndex:
    """Built once, then only read. A key that several ids share holds all of them, and so names none."""

    def __init__(self, rows: Iterable[LicenceRow], rules: LicenceRules) -> None:
        self.successors = rules.successors
        self.ids: dict[str, str] = {}  # by lower-case id
        self.keys: dict[str, set[str]] = {}
        self.pages: dict[str, set[str]] = {}
        self._patterns: list[tuple[LicenceRow, str]] = []
        licences, exceptions = _parted(rows, rules)
        self._licences, self._exceptions = licences, exceptions
        for row in licences:
            self._add_id(row, rules)
        for row in licences:
            self._add_names(row, deprecated=row.name_short in rules.successors)
        self.guesses = {name_key(name): text for text, names in rules.guesses.items() for name in names}
        self.families: dict[str, Family] = {name_key(name): one for one in rules.families for name in one.names}
        self.values = {name_key(name): value.why for value in rules.values for name in value.names}
        self.spans = {
            key for key in (*self.keys, *self.guesses, *self.values) if _SEPARATOR.search(key)
        }  # names with operators
        parted = [_SEPARATOR.split(key) for key in self.spans]
        self.span_heads = {parts[0] for parts in parted}
        self.first_words = {key.partition(" ")[0] for key in (*self.keys, *self.families)}
        self.longest_span = max(map(len, parted), default=1)

    @cached_property
    def stems(self) -> dict[str, set[str]]:
        """Ids by the keys of their names without the version."""
        stems: dict[str, set[str]] = {}
        for row in self._licences:
            for name in (row.name_short, row.name):
                stems.setdefault(stem_of(name_key(name)), set()).add(row.name_short)
        return stems

    @cached_property
    def exceptions(self) -> dict[str, set[str]]:
        """Ids of exceptions by lower-case id, by key, and, where no name has that key, by key without the version."""
        exact: dict[str, set[str]] = {row.name_short.lower(): {row.name_short} for row in self._exceptions}
        stems: dict[str, set[str]] = {}
        for row in self._exceptions:
            for key in map(exception_key, (row.name_short, row.name, *_plain(row))):
                exact.setdefault(key, set()).add(row.name_short)
                stems.setdefault(stem_of(key), set()).add(row.name_short)
        return {**stems, **exact}

    @property
    def patterns(self) -> list[tuple[re.Pattern[str], str]]:
        """Expressions with their ids, in the order of the rows; compiled when first asked for."""
        return self._compiled[0]

    @property
    def rejected(self) -> list[RejectedPattern]:
        return self._compiled[1]

    @cached_property
    def _compiled(self) -> tuple[list[tuple[re.Pattern[str], str]], list[RejectedPattern]]:
        compiled, rejected = [], []
        for row, pattern in self._patterns:
            try:
                compiled.append((re.compile(pattern, re.IGNORECASE), row.name_short))
            except (re.error, OverflowError, RecursionError) as error:
                rejected.append(RejectedPattern(row.id, pattern, str(error)))
        return compiled, rejected

    def _add_id(self, row: LicenceRow, rules: LicenceRules) -> None:
        """An id keeps its key against names of other rows; of two ids with one key the deprecated one yields."""
        short = row.name_short
        self.ids[short.lower()] = short
        key = name_key(short)
        others = self.keys.setdefault(key, set())
        if not others or others <= rules.successors.keys():
            self.keys[key] = {short}
        elif short not in rules.successors:
            others.add(short)

    def _add_names(self, row: LicenceRow, deprecated: bool) -> None:
        """A row's name and mapping; the name of a deprecated id belongs to its successor."""
        short = row.name_short
        names = [(pattern, literal(pattern)) for pattern in row.mapping]
        self._patterns.extend((row, pattern) for pattern, name in names if name is None)
        plain = [name for _, name in names if name is not None]
        for name in plain if deprecated else (row.name, *plain):
            page = url_key(name)
            if page is not None:
                self.pages.setdefault(page, set()).add(short)
            else:
                self._add_key(name_key(name), short)

    def _add_key(self, key: str, short: str) -> None:
        holders = self.keys.setdefault(key, set())
        if not any(name_key(holder) == key for holder in holders):
            holders.add(short)


def _plain(row: LicenceRow) -> list[str]:
    """The names of a mapping, without the real expressions."""
    return [name for pattern in row.mapping if (name := literal(pattern)) is not None]


def _parted(rows: Iterable[LicenceRow], rules: LicenceRules) -> tuple[list[LicenceRow], list[LicenceRow]]:
    """Licences, and exceptions."""
    licences: list[LicenceRow] = []
    exceptions: list[LicenceRow] = []
    for row in rows:
        (exceptions if rules.is_exception(row.name_short) else licences).append(row)
    return licences, exceptions
