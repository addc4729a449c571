"""Declarations of CSS: the properties that can hide text."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["RELEVANT", "Declaration", "parse_declarations", "without_comments"]

_PROPERTIES = (
    "display visibility opacity font font-size color background background-color background-image left top right "
    "bottom margin margin-left margin-top text-indent clip clip-path transform translate scale width height max-width "
    "max-height overflow overflow-x overflow-y position content-visibility filter zoom -webkit-text-fill-color"
)
_KNOWN = frozenset(_PROPERTIES.split())
# A quick look at a whole block: without one of these there is nothing to parse.
RELEVANT = re.compile(
    r"display|visibility|opacity|font|color|background|left|top|right|bottom|margin|text-indent|clip|trans|scale|width|height"
    r"|filter|zoom|\\",
    re.IGNORECASE,
)
_DECLARATION = re.compile(
    r"\s*([-\w\\]+)\s*:((?:[^;\"'(]|\"[^\"]*+\"?+|'[^']*+'?+|\((?:[^()]|\([^()]*+\))*+\)?+|\()*+);?+"
)
_COMMENT = re.compile(r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?+")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_IMPORTANT = re.compile(r"!\s*important\s*$", re.IGNORECASE)


class Declaration(NamedTuple):
    """One property with its value in small letters."""

    name: str
    value: str
    is_important: bool


def without_comments(css: str) -> str:
    return _COMMENT.sub(" ", css) if "/*" in css else css


def parse_declarations(block: str) -> list[Declaration]:
    """Read the inside of a block or a style attribute; unknown properties are left out."""
    if not RELEVANT.search(block):
        return []
    block = without_comments(block)
    found = (_parse(match[1], match[2]) for match in _DECLARATION.finditer(block))
    return [declaration for declaration in found if declaration is not None]


def _parse(name: str, value: str) -> Declaration | None:
    name = unescape(name).lower()
    if name not in _KNOWN:
        return None
    value = unescape(value).lower().strip()
    plain = _IMPORTANT.sub("", value) if "!" in value else value
    return Declaration(name, plain.strip(), plain != value)


def unescape(text: str) -> str:
    """Undo the escapes of CSS (CSS Syntax 3, section 4.3.7)."""
    return _ESCAPE.sub(_unescape, text) if "\\" in text else text


def _unescape(match: re.Match[str]) -> str:
    if not match[1]:
        return match[2] or ""
    code = int(match[1], 16)
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "�"
