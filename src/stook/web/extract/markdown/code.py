"""Blocks of code: their text, their language, their fence."""

from __future__ import annotations

import re

from stook.web.extract.html import Document, Element
from stook.web.extract.letters import shown

__all__ = ["code_block", "is_line_number", "language_of", "preformatted_text"]

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight-text|highlight|src|code)-|sourceCode\s+|brush:\s*)"
    r"([A-Za-z0-9+#_.-]{1,30})"
)
_NAME = re.compile(r"[A-Za-z0-9+#_.-]{1,30}")
_NO_LANGUAGES = frozenset(
    "default none text plain plaintext txt nohighlight auto notranslate highlight hljs block".split()
)
_ATTRIBUTES = ("data-lang", "data-language", "data-code-language", "lang")
_NUMBERS = re.compile(r"(?:^|\s)(?:linenos?|linenodiv|line-?numbers?|gutter|ln-num|hljs-ln-numbers|blob-num)(?:\s|$)")
_BLOCKS = frozenset("div p li tr section ol ul table".split())
_FENCE = re.compile(r"^ *(`{3,})", re.MULTILINE)
_REACH = 3  # elements around a block that may name its language


def code_block(text: str, language: str) -> str:
    """Return a fenced block; "" for nothing but space."""
    text = text.strip("\n").rstrip()
    if not text.strip():
        return ""
    fence = "`" * max((len(run) + 1 for run in _FENCE.findall(text)), default=3)
    return f"{fence}{language}\n{text}\n{fence}"


def language_of(element: Element, document: Document) -> str:
    """Return the language that the block, the code in it or an element close around it names; "" for none."""
    inner = [child for child in element.children if isinstance(child, Element) and child.tag in ("code", "samp")]
    candidates = [*inner[:1], element]
    place = element.parent
    while place > 0 and len(candidates) < _REACH + 2:
        candidates.append(document.elements[place])
        place = document.elements[place].parent
    return next(filter(None, map(_named, candidates)), "")


def _named(element: Element) -> str:
    attributes = element.attributes
    found = _LANGUAGE.search(attributes.get("class") or "")
    name = found[1] if found else ""
    if not name and element.tag in ("pre", "code", "div", "figure"):
        name = next(
            (attributes[key] or "" for key in _ATTRIBUTES[: 4 if element.tag == "pre" else 3] if key in attributes), ""
        )
    name = name.strip().lower().removesuffix(";")
    return name if _NAME.fullmatch(name) and name not in _NO_LANGUAGES else ""


def preformatted_text(root: Element) -> str:
    """Return the painted text with its lines as they stand, without the numbers of lines."""
    pieces: list[str] = []
    rest: list[tuple[Element, int]] = [(root, 0)]
    while rest:
        element, rank = rest.pop()
        if rank == 0 and element.tag in _BLOCKS:
            _end_line(pieces)
        while rank < len(element.children):
            child = element.children[rank]
            rank += 1
            if isinstance(child, str):
                pieces.append("" if element.is_hidden else child)
            elif isinstance(child, Element):
                if child.tag == "br":
                    pieces.append("\n")
                elif not is_line_number(child):
                    rest.append((element, rank))
                    rest.append((child, 0))
                    break
        else:
            if element.tag in _BLOCKS:
                _end_line(pieces)
    return "\n".join(shown(line).replace("\xa0", " ").rstrip("\r") for line in "".join(pieces).split("\n"))


def is_line_number(element: Element) -> bool:
    return bool(_NUMBERS.search(element.attributes.get("class") or "")) or "data-line-number" in element.attributes


def _end_line(pieces: list[str]) -> None:
    last = next((piece for piece in reversed(pieces) if piece), "\n")
    if not last.endswith("\n"):
        pieces.append("\n")
