"""XML from outside into the few elements that a flavour wants; nothing is read but the bytes it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from xml.parsers import expat

from stook.engine.errors import Malformed

__all__ = ["XmlElement", "read_elements"]

MAX_DEPTH = 200
_BYTES_PER_ELEMENT = 16  # an element takes some 150 bytes: so a document takes ten times its size at most
_SPARE_ELEMENTS = 1000
_NONE: Mapping[str, str] = MappingProxyType({})  # most elements have no attribute
_SPARE = 1 << 20  # characters that even a tiny document may expand to


@dataclass(slots=True)
class XmlElement:
    """An element; `tag` is `{namespace}name` or the bare name, `content` its text and elements in order."""

    tag: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    content: list[str | XmlElement] = field(default_factory=list)

    def children(self, *tags: str) -> Iterator[XmlElement]:
        """The direct children of these tags, in order."""
        return (one for one in self.content if isinstance(one, XmlElement) and one.tag in tags)

    def child(self, tag: str) -> XmlElement | None:
        """The first child of this tag."""
        return next(self.children(tag), None)

    @property
    def text(self) -> str:
        """All text within, white space folded."""
        return " ".join(self.raw_text.split())

    @property
    def raw_text(self) -> str:
        """All text within, as it stands."""
        return "".join(self._texts())

    def text_of(self, tag: str) -> str:
        """The text of the first child of this tag; empty if there is none."""
        found = self.child(tag)
        return found.text if found is not None else ""

    def _texts(self) -> Iterator[str]:
        for one in self.content:
            if isinstance(one, str):
                yield one
            else:
                yield from one._texts()


def read_elements(
    data: bytes, wants: Callable[[XmlElement, str], bool], entities: Mapping[str, bytes] | None = None
) -> XmlElement:
    """The root of a document, with those elements below it that `wants(parent, tag)` asks for.

    Declared entities are refused, unless `entities` maps the external files that declarations may stand in to their
    bytes; what they expand to is limited to ten times the input. Raises Malformed with the line.
    """
    reader = _Reader(wants, entities, len(data))
    try:
        reader.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise Malformed(f"no XML: {expat.ErrorString(error.code)}, line {error.lineno}") from None
    except (LookupError, ValueError) as error:  # an encoding that Python does not know, or that has many bytes
        raise Malformed(f"no XML: {error}") from None
    if reader.root is None:
        raise Malformed("no XML: no element")
    return reader.root


class _Reader:
    """Builds the wanted elements while the parser goes through a document."""

    def __init__(
        self, wants: Callable[[XmlElement, str], bool], entities: Mapping[str, bytes] | None, size: int
    ) -> None:
        self.root: XmlElement | None = None
        self._wants = wants
        self._entities = entities
        self._room = 10 * size + _SPARE
        self._elements = size // _BYTES_PER_ELEMENT + _SPARE_ELEMENTS
        self._open: list[XmlElement] = []
        self._tags: dict[str, str] = {}  # one text for all elements of a name
        self._passed = 0  # depth within an element that is not wanted
        self.parser = parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.SkippedEntityHandler = self._skipped
        if entities is None:
            parser.EntityDeclHandler = self._declared
        else:
            parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
        parser.ExternalEntityRefHandler = self._external

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._passed:
            self._passed += 1
            return
        tag = self._tags.setdefault(name, f"{{{name}" if "}" in name else name)
        if self._open and not self._wants(self._open[-1], tag):
            self._passed = 1
            return
        if len(self._open) >= MAX_DEPTH:
            raise Malformed(f"no XML for us: more than {MAX_DEPTH} levels")
        self._elements -= 1
        if self._elements < 0:
            raise Malformed("no XML for us: more elements than a document of its size has")
        element = XmlElement(tag, attributes or _NONE)
        if self._open:
            self._open[-1].content.append(element)
        else:
            self.root = element
        self._open.append(element)

    def _end(self, name: str) -> None:
        if self._passed:
            self._passed -= 1
        else:
            self._open.pop()

    def _text(self, text: str) -> None:
        self._room -= len(text)
        if self._room < 0:
            raise Malformed("no XML for us: its entities expand to more than ten times its size")
        if not self._passed and self._open:
            self._open[-1].content.append(text)

    def _declared(self, name: str, *_: object) -> None:
        raise Malformed(f"no XML for us: it declares the entity {name[:80]!r}")

    def _skipped(self, name: str, is_parameter: bool) -> None:
        raise Malformed(f"no XML: the entity {name[:80]!r} is not declared")

    def _external(self, context: str | None, base: str | None, system: str | None, public: str | None) -> int:
        body = (self._entities or {}).get(system or "")
        if body is None:
            raise Malformed(f"no XML for us: it refers to {(system or '')[:80]!r}")
        inner = self.parser.ExternalEntityParserCreate(context)
        inner.Parse(body, True)
        return 1
