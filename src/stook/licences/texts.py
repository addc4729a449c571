"""Licence texts: the files of a package that hold them, and the licences that a text is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import groupby
from pathlib import Path

import msgspec

from stook.licences.rules import default_rules

__all__ = ["COVERAGE", "MAX_TEXT", "TextMatch", "files_of", "identify", "text_digest"]

TEXTS = Path(__file__).parent / "data" / "texts.txt"

COVERAGE = 75.0
"""Percent of a file's words that must be known licence text; the rule of pkg.go.dev."""

MAX_TEXT = 1 << 20
"""Characters of a text that are looked at; a longer one is not identified."""

MIN_TEXT = 50
"""Characters below which a file is no licence text: a link that was unpacked as a file, or a mention."""

# The names that pkg.go.dev looks for, without regard to case: golang/pkgsite, internal/licenses/licenses.go.
_FILE = re.compile(
    r"(?:copying(?:\.lesser)?(?:\.(?:md|markdown|txt))?"
    r"|licen[cs]e(?:\.(?:md|markdown|txt|rst|code|docs|mit)|-mit|-apache(?:-2\.0\.txt)?|-2\.0\.txt)?"
    r"|mit[-_]licen[cs]e|mit-licen[cs]e\.(?:md|markdown|txt)|unlicen[cs]e)",
    re.IGNORECASE,
)
_VENDORED = re.compile(r"(?:^|/)vendor/[^/]+/")
_WORD = re.compile(r"[^\W_]+")
_COPYRIGHT = re.compile(
    r"^[^\w\n]*(?:copyright|\(c\)|©)(?=.{0,60}?(?:\d{4}|<|\[|\(c\)|©|year|holder|owner|name)).*$"
    r"|^[^\w\n]*all rights reserved[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)


class TextMatch(msgspec.Struct, frozen=True):
    """A stretch of a text that is a licence: characters `start` to `end`.

    `others` are ids that have the same text: whether "or any later version" is granted stands elsewhere.
    """

    id: str
    start: int
    end: int
    others: tuple[str, ...] = ()


def files_of(names: Iterable[str]) -> list[str]:
    """The licence files among the paths of a package, "/" between folders, in the given order.

    By pkg.go.dev's rules: a fixed list of names; nothing below a folder inside of `vendor`.
    """
    return [name for name in names if _FILE.fullmatch(name.rpartition("/")[2]) and not _VENDORED.search(name)]


def identify(text: str) -> tuple[TextMatch, ...]:
    """The licences whose texts make up at least 75 % of a text, in their order; empty if it is none that is known.

    A text that the SPDX list publishes is found by its digest. Any other needs the extra `licences`
    (licenseclassifier, a port of google/licensecheck), and is empty without it.
    """
    if not MIN_TEXT <= len(text) <= MAX_TEXT:
        return ()
    published = _published().get(text_digest(text))
    if published is not None:
        return (TextMatch(published[0], 0, len(text), published[1:]),)
    return _without_appendices(_classified(text))


def text_digest(text: str) -> str:
    """A digest of a text's words, without case, punctuation and lines of copyright (SPDX matching guidelines)."""
    words = _WORD.findall(_COPYRIGHT.sub("", text).casefold())
    return blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


@lru_cache(maxsize=1)
def _published() -> dict[str, tuple[str, ...]]:
    """Ids by the digest of their text; the one without "or later" and without conditions stands first."""
    lines = TEXTS.read_text(encoding="utf-8").splitlines()
    parts = (line.split() for line in lines)
    return {digest: tuple(sorted(ids, key=_plainness)) for digest, *ids in parts}


def _plainness(short: str) -> tuple[bool, int]:
    return (not short.endswith("-only"), len(short))


def _classified(text: str) -> list[TextMatch]:
    try:
        from licenseclassifier import identify_license  # noqa: PLC0415 - an extra, and 90 MB when it works
    except ImportError:
        return []
    return [_match(found.id, found.start, found.end, text) for found in identify_license(text, COVERAGE)]


def _match(short: str, start: int, end: int, text: str) -> TextMatch:
    """A found stretch: if its words are a published text, that; else the id, in its form of today."""
    published = _published().get(text_digest(text[start:end]))
    if published is None:
        successor = default_rules().successors.get(short, short)
        published = _variants().get(successor, (successor,))
    return TextMatch(published[0], start, end, published[1:])


@lru_cache(maxsize=1)
def _variants() -> dict[str, tuple[str, ...]]:
    """For the plain id of those that share a text, all of them."""
    return {ids[0]: ids for ids in _published().values()}


def _without_appendices(matches: Sequence[TextMatch]) -> tuple[TextMatch, ...]:
    """Without "how to apply these terms" after a GNU licence, and without the GPL that the LGPL 3 builds on."""
    kept: list[TextMatch] = []
    for match in matches:
        whole = kept[-1] if kept else None
        if whole is not None and match.id in whole.others:
            continue
        if whole is not None and whole.id == "LGPL-3.0-only" and match.id.startswith("GPL-3.0-"):
            continue
        kept.append(match)
    return tuple(next(group) for _, group in groupby(kept, key=lambda match: (match.id, match.start)))
