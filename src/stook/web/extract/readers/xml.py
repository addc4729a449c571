"""XML for feeds: a small tree by expat, without entities of the document's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from xml.parsers import expat

from stook.engine.errors import Malformed
from stook.web.extract.errors import TooLarge
from stook.web.extract.limits import Limits
from stook.web.segment import Segment, SegmentKind

__all__ = ["XmlElement", "parse_xml"]


@dataclass(slots=True)
class XmlElement:
    """An element; names are local and in small letters. `parts` holds texts and children in order."""

    name: str
    attributes: dict[str, str]
    parts: list[XmlElement | str] = field(default_factory=list)

    @property
    def children(self) -> list[XmlElement]:
        return [part for part in self.parts if isinstance(part, XmlElement)]

    def first(self, name: str) -> XmlElement | None:
        return next((child for child in self.children if child.name == name), None)

    def own_text(self) -> str:
        return "".join(part for part in self.parts if isinstance(part, str))

    def text(self, names: Iterable[str]) -> str:
        """Return the text of the first child that has one of these names, tried in order."""
        return next((child.own_text() for name in names if (child := self.first(name))), "")

    def markup(self, names: Iterable[str]) -> str:
        """Return the same child as HTML: what it holds escaped, written out, or as elements."""
        child = next((child for name in names if (child := self.first(name))), None)
        if child is None:
            return ""
        if child.attributes.get("type") == "xhtml":
            return _written(child)
        return escape(child.own_text()) if child.attributes.get("type") == "text" else child.own_text()


def _written(root: XmlElement) -> str:
    """Write what is in an element as HTML, without recursion."""
    pieces: list[str] = []
    rest: list[tuple[bool, XmlElement | str]] = [(False, part) for part in reversed(root.parts)]
    while rest:
        is_end, part = rest.pop()
        if isinstance(part, str):
            pieces.append(escape(part))
        elif is_end:
            pieces.append(f"</{part.name}>")
        else:
            attributes = "".join(f' {name}="{escape(value)}"' for name, value in part.attributes.items())
            pieces.append(f"<{part.name}{attributes}>")
            rest.append((True, part))
            rest += [(False, inner) for inner in reversed(part.parts)]
    return "".join(pieces)


def parse_xml(text: str, limits: Limits) -> tuple[XmlElement, list[Segment]]:
    """Parse a document; return its root and all texts in it. Raises `Malformed` and `TooLarge`."""
    builder = _XmlBuilder(limits)
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.text
    parser.CommentHandler = builder.comment
    parser.ProcessingInstructionHandler = builder.instruction
    parser.EntityDeclHandler = builder.entity
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise Malformed(
            f"The page is no well-formed XML: {expat.errors.messages[error.code]} in line {error.lineno}."
        ) from None
    return builder.root, builder.segments()


class _XmlBuilder:
    """Takes the events of expat."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._path = [XmlElement("", {})]
        self._count = 0
        self._texts: dict[SegmentKind, list[str]] = {kind: [] for kind in SegmentKind}

    @property
    def root(self) -> XmlElement:
        return self._path[0].children[0]

    def segments(self) -> list[Segment]:
        return [Segment(kind, "\n\n".join(texts)) for kind, texts in self._texts.items() if texts]

    def start(self, name: str, attributes: dict[str, str]) -> None:
        element = XmlElement(_local(name), {_local(key): value for key, value in attributes.items()})
        self._add(element)
        self._path.append(element)
        if len(self._path) > self._limits.depth:
            raise TooLarge(f"Elements stand more than {self._limits.depth} deep inside each other.")
        self._texts[SegmentKind.ATTRIBUTE] += filter(None, attributes.values())

    def end(self, _name: str) -> None:
        self._path.pop()

    def text(self, text: str) -> None:
        self._add(text)
        if not text.isspace():
            self._texts[SegmentKind.HIDDEN].append(text)

    def comment(self, text: str) -> None:
        self._texts[SegmentKind.COMMENT].append(text)

    def instruction(self, target: str, text: str) -> None:
        self._texts[SegmentKind.COMMENT].append(f"{target} {text}")

    def entity(self, *_declaration: object) -> None:
        raise Malformed("The page is XML that declares entities of its own, which is refused.")

    def _add(self, part: XmlElement | str) -> None:
        self._count += 1
        if self._count > self._limits.nodes:
            raise TooLarge(f"The page has more than {self._limits.nodes} nodes.")
        self._path[-1].parts.append(part)


def _local(name: str) -> str:
    """Names without their prefix: feeds mean the same by content:encoded and encoded."""
    return name.rpartition(":")[2].lower()
