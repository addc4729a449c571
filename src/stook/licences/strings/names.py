"""The key of a licence name: two names with one key are one name, written differently."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["STRAIGHT", "exception_key", "later_as_plus", "name_key", "stem_of", "url_key"]

STRAIGHT = str.maketrans("‘’‚‛“”„‟«»‐‑‒–—−\u00a0\u2028\u2029", '\'\'\'\'""""""------\u0020\u0020\u0020')
"""Typographic quotes, dashes and spaces to their ASCII forms; pass it to str.translate."""

_LATER_WORDS = ("later", "newer", "greater", "higher", "above", "subsequent")
_LATER = rf"(?:or|and)[\s-]+(?:\(?at your option\)?,?\s*)?(?:any\s+)?(?:{'|'.join(_LATER_WORDS)})\b(?:\s+versions?\b)?"
_LATER_IN_TEXT = re.compile(rf"\s{{0,3}}\({_LATER}\)|[\s,]{{1,3}}{_LATER}", re.IGNORECASE)
_AT_LEAST = re.compile(r" ?\(? ?>= ?(?=\d)(\d+(?:\.\d+){0,3})(?![\d.]) ?\)?")
_LATER_IN_KEY = re.compile(rf"[\s,(-]{{0,3}}\b{_LATER}")
_VERSION_COMMA = re.compile(r",(?=\s*(?:v\b|v?\.?\s?\d|version|ver\b|rev\b|release\b|only\b|january\b))")

_PARTING = str.maketrans(dict.fromkeys("-_:;'\"()[]*\\", " "))  # punctuation that only parts words
_VERSION = re.compile(r"v(?:er(?:s(?:ion)?)?)?\.?(?=\d)")
_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)*|[^\w\s.]")
_NOISE = frozenset(
    "the license licence licenses licences licensed licenced lic under version versions ver v gnu".split()
)
_SYNONYMS = {"two": "2", "three": "3", "four": "4", "clauses": "clause", "plus": "+"}
_PHRASES = (
    ("lesser general public", "lgpl"),
    ("library general public", "lgpl"),
    ("affero general public", "agpl"),
    ("general public", "gpl"),
    ("lesser gpl", "lgpl"),
    ("library gpl", "lgpl"),
    ("affero gpl", "agpl"),
)
_REMEMBERED = 250  # characters of a text whose key is remembered
_VERSION_TAIL = re.compile(r"(?: \d+(?:\.\d+)*)?(?: \+| only)?$")
_PORT = re.compile(r" (?:international|unported|generic)\b(?: public\b)?")
_SCHEME = re.compile(r"https?://(?:www\.)?", re.IGNORECASE)
_LOCALE = re.compile(r"/[a-z]{2}-[a-z]{2}/")
_PAGE = re.compile(r"(?:/legalcode|/deed)?(?:\.[a-z]{2})?(?:\.(?:html?|txt|php|md))?/?(?:[#?].*)?$")


def later_as_plus(text: str) -> str:
    """A text in which "or any later version" and ">=" are the sign "+", so that their "or" is no operator."""
    if ">=" in text:
        text = _AT_LEAST.sub(r" \1+", text)
    return _LATER_IN_TEXT.sub("+", text) if _says_later(text.lower()) else text


def name_key(text: str) -> str:
    """Words and numbers of a name in their order, without case, punctuation, "the", "licence" and trailing ".0".

    "Apache License, Version 2.0", "apache-2" and "Apache v2.0" have the key "apache 2".
    Signs that may change the meaning (`/ , & + ?` …) stay in the key.
    """
    return _remembered_key(text) if len(text) <= _REMEMBERED else _key(text)


def exception_key(text: str) -> str:
    """The key of an exception's name, in which the word "exception" says nothing."""
    return " ".join([word for word in name_key(text).split() if word not in {"exception", "exceptions"}])


def url_key(text: str) -> str | None:
    """Host and path of a web address, without what does not tell pages apart; None if the text is none."""
    match = _SCHEME.match(text)
    if match is None or " " in text:
        return None
    return _LOCALE.sub("/", _PAGE.sub("", text[match.end() :].rstrip("/").lower(), count=1), count=1)


def stem_of(key: str) -> str:
    """A key without the version at its end, and without what follows the version."""
    return _VERSION_TAIL.sub("", key)


def _says_later(folded: str) -> bool:
    if "er" not in folded and "above" not in folded and "subsequent" not in folded:
        return False
    return any(word in folded for word in _LATER_WORDS)


def _key(text: str) -> str:
    folded = (text if text.isascii() else text.translate(STRAIGHT)).casefold()
    if _says_later(folded):
        folded = _LATER_IN_KEY.sub("+", folded)
    if "," in folded:
        folded = _VERSION_COMMA.sub(" ", folded)
    key = " ".join([word for token in folded.translate(_PARTING).split() if (word := _words(token))])
    if "gpl" in key or "public" in key:
        for phrase, short in _PHRASES:
            key = key.replace(phrase, short)
    if key.startswith(("cc ", "creative commons ")):
        key = _PORT.sub("", key)  # they are the versions that belong to no country
    elif key.startswith("bsd ") and ".0" in folded:
        key += " .0"  # "BSD License 2.0" is no name of the licence with two clauses
    return key


_remembered_key = lru_cache(maxsize=16384)(_key)


@lru_cache(maxsize=16384)
def _words(token: str) -> str:
    """A token as the words and numbers that count: "gplv2.0" is "gpl 2", and "version" is nothing."""
    if token.isalpha() or token.isdigit():
        return _word(token)
    parts = _TOKEN.findall(_VERSION.sub(" ", token))
    return " ".join([word for part in parts if (word := _word(part))])


def _word(part: str) -> str:
    if part in _NOISE:
        return ""
    if part[0].isdigit():
        while part.endswith(".0"):
            part = part[:-2]
        return part
    return _SYNONYMS.get(part, part)
