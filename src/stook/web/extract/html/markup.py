"""A look at the markup before the parse: it refuses what makes any parser of HTML slow or huge.

The HTML Standard lets a small page grow without bound: a paragraph repeats every formatting element that was left open,
a tag may search all open elements, and an attribute is compared with all before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from stook.web.extract.errors import TooLarge
from stook.web.extract.html.grammar import ATTRIBUTE, SPACE
from stook.web.extract.html.nesting import FORMATTING, Nesting
from stook.web.extract.limits import Limits

__all__ = ["check_markup"]

_RAW = "script style textarea title xmp iframe noembed noframes"  # their content is text, not markup
_PLAIN_ATTRIBUTE = re.sub(r"\?P<\w+>", "?:", ATTRIBUTE)
_ATTRIBUTES = rf"(?:[\t\n\f\r /]++|{_PLAIN_ATTRIBUTE})*+"


def _either_case(name: str) -> str:
    """Classes of letters instead of a flag: with the flag the search for the next tag takes twice as long."""
    return "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in name)


_TOKEN = re.compile(
    "|".join(
        (
            r"<!--[^-]*+(?:-(?!->)[^-]*+)*+",
            *(
                rf"<{name}(?=[\t\n\f\r />]){_ATTRIBUTES}[^<]*+(?:<(?!/{name}[\t\n\f\r />])[^<]*+)*+"
                for name in map(_either_case, _RAW.split())
            ),
            rf"</?[A-Za-z][^\t\n\f\r />]*+{_ATTRIBUTES}",
        )
    )
)
_FORMATTING = re.compile(rf"<(?:{'|'.join(map(_either_case, sorted(FORMATTING - {'a'})))})(?=[\t\n\f\r />])")
_START = re.compile(rf"<[A-Za-z]{_ATTRIBUTES}")
_NAME = re.compile(r"</?([A-Za-z][^\t\n\f\r />]*+)")
_ATTRIBUTE_NAME = re.compile(rf"[^\t\n\f\r />=]{SPACE}*+=|{SPACE}[^\t\n\f\r />=]|/[^\t\n\f\r />]")

_LONG_TAG = 1_000  # characters; the attributes of a shorter tag are too few to matter
_MAX_COMPARISONS = 100_000_000  # of attributes with those before them: about a third of a second
_QUIET_TAGS = 10_000  # so many tags are parsed at once, however they are nested
_GROWTH = 5  # how many times the limit of nodes may be repeated in the worst case


def check_markup(markup: str, limits: Limits) -> None:
    """Raise `TooLarge` for markup whose parse would take far more than its size."""
    tags = _TOKEN.findall(markup)
    _check_attributes(tags)
    # Each formatting element may be repeated at every tag.
    if len(tags) > _QUIET_TAGS or len(_FORMATTING.findall(markup)) * len(tags) > _GROWTH * limits.nodes:
        _check_nesting(tags, limits)


def _check_attributes(tags: Iterable[str]) -> None:
    comparisons = 0
    for tag in tags:
        start = _START.match(tag) if len(tag) > _LONG_TAG else None
        if start is not None:
            comparisons += len(_ATTRIBUTE_NAME.findall(start[0])) ** 2
            if comparisons > _MAX_COMPARISONS:
                raise TooLarge("The tags of the page have too many attributes.")


def _check_nesting(tags: Iterable[str], limits: Limits) -> None:
    nesting = Nesting()
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
        if nesting.repeated > _GROWTH * limits.nodes or nesting.steps > _MAX_COMPARISONS // 10:
            raise TooLarge("Too many elements of the page are left open.")
