"""Text as a reader takes it: without invisible characters, as plain words, with look-alike letters made plain."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

__all__ = ["SENTENCE", "CleanText", "clean", "fold", "locate_words", "skeleton", "spell_out"]

SENTENCE = b"\x01"
"""The word that `spell_out` puts between two sentences; clean text has no such character."""

_INVISIBLE = frozenset(
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d"
    "\u202e\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f\u3164\ufeff\uffa0\ufff9\ufffa\ufffb"
)
_CONTROLS = frozenset(map(chr, [*range(9), 11, 12, *range(14, 32), *range(127, 160)]))
_JOINERS = frozenset("\u200c\u200d\u00ad\ufeff\u200e\u200f")  # common on honest pages
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{2,8}\U000e007f")  # England, Scotland, Wales, and their like
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
_STRIPPED = re.compile(
    "[" + "".join(map(re.escape, sorted(_INVISIBLE | _CONTROLS))) + "\ufe00-\ufe0f\U000e0000-\U000e01ef]+"
)
_TAG_CHARACTERS = frozenset(map(chr, range(0xE0000, 0xE0080)))
_PLAIN = bytes([9, 10, 13, *range(32, 127)])
_ESCAPE = re.compile(r"\x1b\[[0-9;]{0,16}[A-Za-z]")  # colours and cursor moves of a terminal
_REVERSED_RUN = re.compile("\u202e([^\u202c\u202e\n]{4,400})")
_FEW = 8  # characters that are taken out one by one, which is faster than by pattern
_SHORTEST = 8  # hidden characters that can carry an order; flags and emoji have fewer

# Every punctuation mark is a blank, and a mark that ends a sentence is a dot first. '@' and '$' stay: they stand for
# letters in disguised words.
_ENDERS = "!?;…؟؛।॥"
_UNSPACED_ENDERS = "。！？；｡"  # no blank need follow these
_WIDE_BLANKS = (
    "“”‘’„«»‹›—–―‑‐、，：「」『』（）【】《》〈〉・¿¡·•│｜→←⁄∕＂＇\u00a0\u2002\u2003\u2009\u2028\u2029\u202f\u3000"
)
_BLANKS = "\"'`,:()[]{}<>|/\\*_-+=~^#&%\t\r\n\x0b\x0c"
_MARKS = {
    **dict.fromkeys(_ENDERS, "."),
    **dict.fromkeys(_UNSPACED_ENDERS, ". "),
    **dict.fromkeys(_WIDE_BLANKS, " "),
}
_TABLE = bytes.maketrans(
    bytes(range(65, 91)) + _BLANKS.encode() + b"!?;",
    bytes(range(97, 123)) + b" " * len(_BLANKS) + b"...",
)
_TOKEN = re.compile(
    f"[{_UNSPACED_ENDERS}]"
    f"|[.{re.escape(_ENDERS)}](?=[ {re.escape(_BLANKS + _WIDE_BLANKS)}]|$)"
    f"|[^ .{re.escape(_BLANKS + _WIDE_BLANKS + _ENDERS + _UNSPACED_ENDERS)}]+"
)
_LETTERS = {ord(wide): plain for wide, plain in zip("ıđłøæœþðħŧŋ", "i d l o ae oe th d h t n".split(), strict=True)}


@dataclass(frozen=True, slots=True)
class CleanText:
    """A text without invisible characters; what those spelled; and counts that are findings by themselves.

    `smuggled` holds text that was written in invisible characters. `tags` counts characters of the Unicode tag block,
    `controls` directional controls and zero-width characters that no script needs.
    """

    text: str
    smuggled: tuple[str, ...] = ()
    tags: int = 0
    controls: int = 0


def clean(text: str) -> CleanText:
    """Take out what no reader sees. Text that was hidden in such characters is handed back beside the rest."""
    odd = {character for character in _different(text) if _STRIPPED.match(character)}
    if not odd:
        return CleanText(text)
    tags = _TAGS.findall(_FLAG.sub("", text)) if odd & _TAG_CHARACTERS else []
    smuggled = ["".join(chr(ord(tag) & 0x7F) for tag in "".join(tags))]
    if any("\ufe00" <= character <= "\ufe0f" or character >= "\U000e0100" for character in odd):
        smuggled.extend(_selected(run) for run in _SELECTORS.findall(text) if len(run) >= _SHORTEST)
    if "\u202e" in odd:
        smuggled.extend(run[::-1] for run in _REVERSED_RUN.findall(text))
    controls = sum(map(text.count, odd & _INVISIBLE - _JOINERS))
    plain = _ESCAPE.sub("", text) if "\x1b" in odd else text
    if len(odd) <= _FEW:
        for character in odd:
            plain = plain.replace(character, "")
    else:
        plain = _STRIPPED.sub("", plain)
    return CleanText(plain, tuple(filter(None, smuggled)), sum(map(len, tags)), controls)


def _different(text: str) -> set[str]:
    """The different characters of a text that are not printable ASCII."""
    return set(text.encode("utf-8", "replace").translate(None, _PLAIN).decode())


def _selected(run: str) -> str:
    """Bytes written as variation selectors: U+FE00 is 0, U+E0100 is 16."""
    values = (ord(selector) - (0xFE00 if selector < "\uff00" else 0xE0100 - 16) for selector in run)
    return bytes(values).decode("utf-8", "replace")


def spell_out(text: str) -> bytes:
    """The words of a text in lower case (ASCII letters), in UTF-8, each between single blanks, with `SENTENCE` marks.

    A dot ends a sentence only before a blank, so that `example.com` and `ignore.all.this` stay in one sentence.
    """
    if not text.isascii():
        for mark in _different(text).intersection(_MARKS):
            text = text.replace(mark, _MARKS[mark])
    plain = f" {text} ".encode("utf-8", "replace").translate(_TABLE)
    words = plain.replace(b". ", b" \x01 ").replace(b".", b" ").split()
    return b" %b " % b" ".join(words) if words else b" "


def locate_words(text: str, places: Sequence[int]) -> Iterator[int]:
    """Where the words of `spell_out` at these places (numbers in ascending order) begin in the text."""
    wanted = iter(places)
    place = next(wanted, None)
    for number, match in enumerate(_TOKEN.finditer(text)):
        while place == number:
            yield match.start()
            place = next(wanted, None)
        if place is None:
            return
    while place is not None:  # a word at the very end, cut off by a mark
        yield len(text)
        place = next(wanted, None)


@lru_cache(maxsize=131_072)
def fold(word: str) -> str:
    """A word without case, accents and compatibility forms: `Ｉｇｎóre` is `ignore`."""
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKD", word).casefold().translate(_LETTERS)
    return "".join(letter for letter in folded if unicodedata.category(letter) not in {"Mn", "Cf"})


def skeleton(word: str) -> str:
    """A folded word with letters of other alphabets replaced by the Latin ones that they look like (after UTS #39)."""
    return word.translate(_confusables())


@cache
def _confusables() -> dict[int, str]:
    table = tomllib.loads((Path(__file__).parent / "data" / "confusables.toml").read_text(encoding="utf-8"))
    return {ord(alike): letter for letter, alikes in table["letters"].items() for alike in alikes if alike != " "}
