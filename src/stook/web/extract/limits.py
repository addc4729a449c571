"""Limits of one page: how large a document may be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stook.web.extract.errors import TooLarge

__all__ = ["Limits", "check_text"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds. A page beyond one of them raises `TooLarge`."""

    nodes: int = 200_000  # elements, texts and comments
    depth: int = 512  # elements inside each other
    text: int = 2 * 1024 * 1024  # bytes in UTF-8, of all text in the page together, and of the Markdown


def check_text(texts: Iterable[str], limits: Limits) -> None:
    """Raise `TooLarge` if the texts together are longer than the limit."""
    size = 0
    for text in texts:
        size += len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if size > limits.text:
            raise TooLarge(f"The text of the page is longer than {limits.text} bytes.")
