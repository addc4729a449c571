"""Pictures: whose alternative text says something to a reader who does not see them."""

from __future__ import annotations

import re

from stook.web.extract.content.vocabulary import spoken
from stook.web.extract.html import Document, Element

__all__ = ["idle_pictures"]

_FILE_NAME = re.compile(r"\.(?:jpe?g|png|gif|webp|svg|avif|bmp)$|^\S*_\S*$|^[\w-]*\d[\w-]*$", re.IGNORECASE)
_REPEATED = 0.6  # of the words


def idle_pictures(document: Document, title: str, *, is_article: bool) -> set[int]:
    """Return the ids of pictures to leave out.

    Their text is a file name or repeats the title of the page. In an article also those in figures, whose captions are
    left out too, and those that are links to other pages.
    """
    known = frozenset(spoken(title).split())
    return {
        id(picture)
        for picture in document.all("img")
        if "alt" in picture.attributes
        and (_says_nothing(picture.get("alt").strip(), known) or (is_article and _is_framed(picture, document)))
    }


def _says_nothing(text: str, known: frozenset[str]) -> bool:
    words = spoken(text).split()
    repeated = sum(word in known for word in words)
    return not words or bool(_FILE_NAME.search(text)) or (len(words) > 2 and repeated >= _REPEATED * len(words))


def _is_framed(picture: Element, document: Document) -> bool:
    place = picture.parent
    while place > 0:
        if document.elements[place].tag in ("figure", "a"):
            return True
        place = document.elements[place].parent
    return False
