"""The key of a licence name: two names with one key are one name, written differently."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["STRAIGHT", "exception_key", "later_as_plus", "name_key", "stem_of", "url_key"]

STRAIGHT = str.maketrans("‘’‚‛“”„‟«»‐‑‒–—−\u00a0\u2028\u2029", "''''\"\"\"\"\"\"------\u0020\u0020\u0020")
"""Typographic quotes, dashes and spaces to their ASCII forms; pass it to str.translate."""

# A word, a number, or any character that no name may lose silently.
_TOKEN = re.compile(r"""[^\W\d_]+|\d+(?:\.\d+)*|[^\w\s.:'"()\[\]*\\-]""")
_VERSION = re.compile(r"v(?:er(?:s(?:ion)?)?)?[.\s-]*(?=\d)")
_VERSION_COMMA = re.compile(r",(?=\s*(?:\d|only\b))")
_LATER = re.compile(
    r"[\s,(-]*\b(?:or|and)\s*-?\s*(?:\(?at your option\)?,?\s*)?(?:any\s+)?"
    r"(?:later|newer|greater|higher|above|subsequent)\b(?:\s+versions?\b)?\)?"
)
_LATER_PHRASE = r"(?:or|and)\s+(?:\(?at your option\)?,?\s*)?(?:any\s+)?(?:later|newer|greater|higher|above|subsequent)\b(?:\s+versions?\b)?"
_LATER_WORDS = re.compile(rf"\s*\({_LATER_PHRASE}\)|[\s,]+{_LATER_PHRASE}", re.IGNORECASE)
_LATER_WORD = re.compile(r"later|newer|greater|higher|above|subsequent")
_NOISE = frozenset("the license licence licenses licences licensed licenced lic under version versions gnu".split())
_SYNONYMS = {"two": "2", "three": "3", "four": "4", "clauses": "clause", "plus": "+", "v": "", "ver": ""}
_PHRASES = (
    ("lesser general public", "lgpl"),
    ("library general public", "lgpl"),
    ("affero general public", "agpl"),
    ("general public", "gpl"),
    ("lesser gpl", "lgpl"),
    ("library gpl", "lgpl"),
    ("affero gpl", "agpl"),
)
_VERSION_TAIL = re.compile(r"(?: \d+(?:\.\d+)*)?(?: \+| only)?$")
_SCHEME = re.compile(r"https?://(?:www\.)?", re.IGNORECASE)
_PAGE = re.compile(r"(?:/legalcode|/deed)?(?:\.[a-z]{2})?(?:\.(?:html?|txt|php|md))?/?(?:[#?].*)?$")


def name_key(text: str) -> str:
    """Words and numbers of a name in their order, without case, punctuation, "the", "licence" and trailing ".0".

    "Apache License, Version 2.0", "apache-2" and "Apache v2.0" have the key "apache 2".
    Signs that may change the meaning (`/ , & + ?` …) stay in the key.
    """
    folded = text.casefold()
    if _LATER_WORD.search(folded):
        folded = _LATER.sub("+", folded)
    if "v" in folded:
        folded = _VERSION.sub(" ", folded)
    if "," in folded:
        folded = _VERSION_COMMA.sub(" ", folded)
    key = " ".join([word for token in _TOKEN.findall(folded) if (word := _word(token))])
    if "gpl" in key or "public" in key:
        for phrase, short in _PHRASES:
            key = key.replace(phrase, short)
    return key


def later_as_plus(text: str) -> str:
    """A text in which the words "or any later version" are the sign "+", so that their "or" is no operator."""
    return _LATER_WORDS.sub("+", text) if _LATER_WORD.search(text.lower()) else text


def exception_key(text: str) -> str:
    """The key of an exception's name, in which the word "exception" says nothing."""
    return " ".join([word for word in name_key(text).split() if word not in {"exception", "exceptions"}])


def url_key(text: str) -> str | None:
    """Host and path of a web address, without what does not tell pages apart; None if the text is none."""
    match = _SCHEME.match(text)
    if match is None or " " in text:
        return None
    return _PAGE.sub("", text[match.end() :].rstrip("/").lower(), count=1)


def stem_of(key: str) -> str:
    """A key without the version at its end, and without what follows the version."""
    return _VERSION_TAIL.sub("", key)


@lru_cache(maxsize=4096)
def _word(token: str) -> str:
    """What a token counts for in a key; empty if for nothing."""
    if token in _NOISE:
        return ""
    if token[0].isdigit():
        while token.endswith(".0"):
            token = token[:-2]
        return token
    return _SYNONYMS.get(token, token)
