"""Pictures: whose alternative text says something to a reader who does not see them."""

from __future__ import annotations

import re

from stook.web.extract.content.vocabulary import spoken
from stook.web.extract.html import Element

__all__ = ["idle_pictures"]

_FILE_NAME = re.compile(r"\.(?:jpe?g|png|gif|webp|svg|avif|bmp)$|^\S*_\S*$|^[\w-]*\d[\w-]*$", re.IGNORECASE)
_REPEATED = 0.6  # of the words


def idle_pictures(elements: list[Element], title: str, *, is_article: bool) -> set[int]:
    """Return the ids of pictures to leave out.

    Their text is a file name or repeats the title of the page. In an article also those in figures, whose captions are
    left out too, and those that are links to other pages.
    """
    known = frozenset(spoken(title).split())
    found = set()
    is_framed = [False] * len(elements)
    for place, element in enumerate(elements):
        is_framed[place] = element.tag in ("figure", "a") or (element.parent >= 0 and is_framed[element.parent])
        if element.tag == "img" and ((is_article and is_framed[place]) or _says_nothing(element, known)):
            found.add(id(element))
    return found


def _says_nothing(picture: Element, known: frozenset[str]) -> bool:
    text = (picture.attributes.get("alt") or "").strip()
    words = spoken(text).split()
    repeated = sum(word in known for word in words)
    return not words or bool(_FILE_NAME.search(text)) or (len(words) > 2 and repeated >= _REPEATED * len(words))
