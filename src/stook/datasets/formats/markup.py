"""XML text from elements, attributes and text; characters that XML 1.0 forbids become the replacement character."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape

__all__ = ["XmlWriter"]

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class XmlWriter:
    """Writes one document, an element a line."""

    def __init__(self) -> None:
        self._lines = ['<?xml version="1.0" encoding="UTF-8"?>']
        self._open: list[str] = []

    def open(self, name: str, /, **attributes: str) -> None:
        """Begin an element."""
        self._lines.append(f"{self._indent}<{name}{_attributes(attributes)}>")
        self._open.append(name)

    def close(self) -> None:
        """End the innermost element."""
        name = self._open.pop()
        self._lines.append(f"{self._indent}</{name}>")

    def leaf(self, name: str, text: str, /, **attributes: str) -> None:
        """An element that holds text; nothing where there is no text."""
        if text:
            self._lines.append(f"{self._indent}<{name}{_attributes(attributes)}>{_escape(text)}</{name}>")

    def empty(self, name: str, /, **attributes: str) -> None:
        """An element without content."""
        self._lines.append(f"{self._indent}<{name}{_attributes(attributes)}/>")

    def document(self) -> str:
        """The whole text."""
        return "\n".join([*self._lines, ""])

    @property
    def _indent(self) -> str:
        return "  " * len(self._open)


def _attributes(attributes: Mapping[str, str]) -> str:
    """Empty ones are left out; an underscore in a name is a hyphen."""
    pairs = ((name.rstrip("_").replace("_", "-"), value) for name, value in attributes.items() if value)
    return "".join(f' {name}="{_escape(value, _IN_ATTRIBUTES)}"' for name, value in pairs)


_IN_ATTRIBUTES = {'"': "&quot;", "\n": "&#10;", "\t": "&#9;"}


def _escape(text: str, more: Mapping[str, str] | None = None) -> str:
    return escape(_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text), {"\r": "&#13;", **(more or {})})
