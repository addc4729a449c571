"""Attributes: which values are text, which are addresses."""

from __future__ import annotations

import re

from stook.web.extract.html import Element
from stook.web.extract.links import data_text, readable
from stook.web.extract.security.program import style_text
from stook.web.extract.security.prose import prose_in
from stook.web.segment import SegmentKind

__all__ = ["attribute_texts"]

# Always text, however short.
_TEXT = frozenset(
    "alt title aria-label aria-description aria-placeholder aria-roledescription aria-valuetext placeholder value "
    "content label summary abbr data-tooltip data-title data-content data-label download standby prompt".split()
)
_ADDRESSES = frozenset(
    "href src action formaction poster data cite background longdesc xlink:href ping manifest icon codebase "
    "classid profile archive lowsrc dynsrc data-src data-href data-url".split()
)
_ADDRESS_LISTS = frozenset(("srcset", "imagesrcset", "data-srcset"))
# Machine values: read only where they hold prose.
_MACHINE = frozenset(
    "class id name for style d points transform viewbox width height rel role type target lang xml:lang dir media "
    "sizes xmlns xmlns:xlink version method enctype charset http-equiv headers scope integrity nonce itemtype "
    "itemid itemprop property typeof vocab prefix resource about datetime aria-labelledby aria-describedby aria- "
    "controls aria-owns aria-details tabindex fill stroke color bgcolor align valign border cellpadding "
    "cellspacing".split()
)
_LONG = 16  # characters: shorter values without a space are words of a program
_HEAD = frozenset(("meta", "link"))
_LETTERS = re.compile(r"[^\W\d_]")
_ADDRESS = re.compile(r"\s*(?:[a-z][a-z0-9+.-]{1,20}:)?//", re.IGNORECASE)


def attribute_texts(elements: list[Element]) -> list[tuple[SegmentKind, str]]:
    """Return the texts in attributes, each with its kind; equal attributes are read once."""
    pairs: dict[tuple[str, str | None], None] = {}
    head_pairs: dict[tuple[str, str | None], None] = {}
    for element in elements:
        if element.attributes:
            (head_pairs if element.tag in _HEAD else pairs).update(dict.fromkeys(element.attributes.items()))
    found = [
        _text_of(name, value)
        for name, value in pairs
        # Most attributes are lists of classes and names of places, too short for a sentence.
        if value and not ((name == "class" or name == "id") and value.count(" ") < 3 and value.isascii())
    ]
    for name, value in head_pairs:
        kind, text = _text_of(name, value) if value else (SegmentKind.METADATA, "")
        found.append((SegmentKind.METADATA if kind is SegmentKind.ATTRIBUTE else kind, text))
    names = {name for name, _ in (*pairs, *head_pairs) if len(name) > _LONG}
    return found + [(SegmentKind.ATTRIBUTE, prose_in(name.replace("-", " ").replace("_", " "))) for name in names]


def _text_of(name: str, value: str) -> tuple[SegmentKind, str]:
    if name in _TEXT:
        return SegmentKind.ATTRIBUTE, value if _LETTERS.search(value) else ""
    if name in _ADDRESSES or name in _ADDRESS_LISTS:
        return SegmentKind.URL, readable(value)
    if name == "style":
        return SegmentKind.ATTRIBUTE, style_text(value) if len(value) > _LONG else ""
    if name in _MACHINE or name.startswith("on"):
        return SegmentKind.ATTRIBUTE, prose_in(value) if len(value) > _LONG or not value.isascii() else ""
    if name == "srcdoc":  # parsed as a page of its own
        return SegmentKind.ATTRIBUTE, ""
    if _ADDRESS.match(value):
        return SegmentKind.URL, readable(value)
    if value[:5].lower() == "data:":
        return SegmentKind.URL, data_text(value)
    is_text = (" " in value or len(value) >= _LONG) and _LETTERS.search(value)
    return SegmentKind.ATTRIBUTE, value if is_text else ""
