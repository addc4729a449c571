"""Letters that may be shown: text without control, invisible and direction characters."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["shown"]

# Control characters but tab and newline, soft hyphen, joiners and marks of direction, invisible operators, fillers,
# variation selectors, tags, private use (icon fonts), noncharacters and lone surrogates.
_SPECIAL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)
_JOINERS = "\u200c\u200d"
_PICTURE_STYLE = "\ufe0f"
_BREAKS = "\r\x0b\x0c\x85\u2028\u2029"


def shown(text: str) -> str:
    """Return the text as it may be displayed. Joiners stay where a script or an emoji needs them."""
    return _SPECIAL.sub(_replacement, text) if _SPECIAL.search(text) else text


def _replacement(match: re.Match[str]) -> str:
    character = match[0]
    if character in _BREAKS:
        return " "
    before = match.string[match.start() - 1 : match.start()]
    after = match.string[match.end() : match.end() + 1]
    if character in _JOINERS and _joins(before) and _joins(after):
        return character
    if character == _PICTURE_STYLE and before and unicodedata.category(before) in ("So", "Sk"):
        return character
    return "\ufffd" if "\ud800" <= character <= "\udfff" else ""


def _joins(character: str) -> bool:
    """Arabic, Syriac, the scripts of India and South-East Asia, Mongolian; emoji and what may follow one."""
    if not character:
        return False
    code = ord(character)
    return (
        0x0600 <= code <= 0x109F
        or 0x1780 <= code <= 0x18AF
        or code in (0x2640, 0x2642, 0x2695, 0xFE0F)
        or code >= 0x1F300
    )
