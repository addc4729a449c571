"""A look at the markup before the parse: it refuses what makes any parser of HTML slow or huge.

The HTML Standard lets a small page grow without bound: a paragraph repeats every formatting element that was left open,
a tag may search all open elements, and an attribute is compared with all before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from stook.web.extract.errors import TooLarge
from stook.web.extract.html.grammar import ATTRIBUTE
from stook.web.extract.html.open_elements import FORMATTING, OpenElements
from stook.web.extract.limits import Limits

__all__ = ["check_markup"]

_RAW = (
    "script",
    "style",
    "textarea",
    "title",
    "xmp",
    "iframe",
    "noembed",
    "noframes",
    "noscript",
)  # their content is text, not markup
_PLAIN_ATTRIBUTE = re.sub(r"\?P<\w+>", "?:", ATTRIBUTE)
_ATTRIBUTES = rf"(?:[\t\n\f\r /]++|{_PLAIN_ATTRIBUTE})*+"


def _either_case(name: str) -> str:
    """Classes of letters instead of a flag: with the flag the search for the next tag takes twice as long."""
    return "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in name)


_COMMENT = r"<!--[^-]*+(?:-(?!->)[^-]*+)*+"
_CONTENTS = [
    rf"<{name}(?=[\t\n\f\r />]){_ATTRIBUTES}[^<]*+(?:<(?!/{name}[\t\n\f\r />])[^<]*+)*+"
    for name in map(_either_case, _RAW)
]
# Start tags; comments, and elements whose content is text, are taken whole.
_START = re.compile("|".join((_COMMENT, *_CONTENTS, rf"<[A-Za-z]{_ATTRIBUTES}")))
_TAG = re.compile("|".join((_COMMENT, *_CONTENTS, rf"</?[A-Za-z]{_ATTRIBUTES}")))
_FORMATTING = re.compile(rf"<(?:{'|'.join(map(_either_case, sorted(FORMATTING - {'a'})))})(?=[\t\n\f\r />])")
_BARE_TAG = re.compile(rf"<[A-Za-z]{_ATTRIBUTES}")
_NAME = re.compile(r"</?([A-Za-z][^\t\n\f\r />]*+)")
_ATTRIBUTE = re.compile(_PLAIN_ATTRIBUTE)

_LONG_TAG = 1_000  # characters; the attributes of a shorter tag are too few to matter
_MAX_COMPARISONS = 400_000_000  # of attributes with those before them: about a second
_MAX_STEPS = 10_000_000  # of our own search among open elements
_QUIET_TAGS = 10_000  # so many tags are parsed at once, however they are nested
_GROWTH = 2  # how many times the limit of nodes may be repeated in the worst case


def check_markup(markup: str, limits: Limits) -> None:
    """Raise `TooLarge` for markup whose parse would take far more than its size."""
    comparisons = 0
    for tag in _START.findall(markup):
        if len(tag) > _LONG_TAG:
            comparisons += _attribute_count(tag) ** 2
    if comparisons > _MAX_COMPARISONS:
        raise TooLarge("The tags of the page have too many attributes.")
    tags = markup.count("<")
    growth = _GROWTH * limits.nodes
    # A formatting element needs two tags and may be repeated at all others.
    if tags > _QUIET_TAGS or (tags**2 > 4 * growth and len(_FORMATTING.findall(markup)) * tags > growth):
        _check_nesting(_TAG.findall(markup), limits)


def _attribute_count(tag: str) -> int:
    """Count the attributes of a tag; its content may stand behind it."""
    attributes = _BARE_TAG.match(tag)
    return len(_ATTRIBUTE.findall(attributes[0])) if attributes else 0


def _check_nesting(tags: Iterable[str], limits: Limits) -> None:
    nesting = OpenElements()
    for tag in tags:
        found = _NAME.match(tag)
        if found is None:  # a comment
            continue
        if tag[1] == "/":
            nesting.close(found[1].lower())
        else:
            nesting.open(found[1].lower(), tag)
        if nesting.depth > 4 * limits.depth:
            raise TooLarge(f"Elements stand more than {limits.depth} deep inside each other.")
        if nesting.repeated > _GROWTH * limits.nodes or nesting.steps > _MAX_STEPS:
            raise TooLarge(f"The page has, with what it leaves open, more than {limits.nodes} nodes.")
