"""The writer: walks the chosen part of a page and writes its blocks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from stook.web.extract.html import INLINE, Document, Element
from stook.web.extract.links import LinkResolver
from stook.web.extract.markdown.code import code_block, language_of, preformatted_text
from stook.web.extract.markdown.escape import escape_line_start
from stook.web.extract.markdown.inline_elements import InlineWriter, cell_text
from stook.web.extract.markdown.lines import Container, Lines
from stook.web.extract.markdown.plain import plain_line
from stook.web.extract.markdown.table import is_data_table, table_lines, table_rows
from stook.web.extract.page_text import Heading

__all__ = ["MarkdownDocument", "write_markdown"]

_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_LISTS = frozenset("ul ol menu dir".split())
_PREFORMATTED = frozenset("pre listing xmp plaintext".split())
_INDENTED = _PREFORMATTED | {"table"}
_RULE = "* * *"


class MarkdownDocument(NamedTuple):
    """The Markdown with its outline, and the languages that its blocks of code name."""

    markdown: str
    outline: list[Heading]
    languages: frozenset[str]


@dataclass(slots=True)
class _List:
    """An open list; `number` is None for one with bullets."""

    number: int | None
    depth: int  # containers around the list
    ends_in_item: bool = False  # then the next item follows without an empty line


def write_markdown(
    document: Document,
    resolver: LinkResolver,
    root: Element,
    dropped: Collection[int] = (),
    heading: Element | None = None,
) -> MarkdownDocument:
    """Write all that is painted in an element.

    `dropped` holds the ids of elements to leave out; `heading` is a heading from outside that comes first.
    """
    writer = _Writer(document, resolver, dropped)
    if heading is not None:
        writer.walk(Element("div", {}, -1, [heading]))
    writer.walk(root)
    return MarkdownDocument(writer.lines.text(), writer.outline, frozenset(writer.languages))


class _Writer:
    """One walk, without recursion, because a page decides how deep it is."""

    def __init__(self, document: Document, resolver: LinkResolver, dropped: Collection[int]) -> None:
        self._document = document
        self._resolver = resolver
        self._dropped = dropped
        self._inline_writer = InlineWriter(resolver, dropped)
        self._heading: Element | None = None
        self._lists: list[_List] = []
        self._quotes: set[int] = set()
        self.lines = Lines()
        self.outline: list[Heading] = []
        self.languages: set[str] = set()

    def walk(self, root: Element) -> None:
        add_text = self._inline_writer.inline.add_text
        path = [(root, iter(root.children))]
        while path:
            element, children = path[-1]
            for child in children:
                if isinstance(child, str):
                    if not element.is_hidden:
                        add_text(child)
                elif self._enter(child):
                    path.append((child, iter(child.children)))
                    break
            else:
                path.pop()
                if element is not root:
                    self._leave(element)
        self._flush()

    def _enter(self, element: Element) -> bool:
        """Begin an element; True if its children are to follow."""
        tag = element.tag
        if not (tag == "button" and self._heading is not None) and self._inline_writer.skips(element):
            return False
        if tag in INLINE or self._heading is not None:
            return self._inline_writer.enter(element)
        self._flush()
        if tag in _HEADINGS:
            self._heading = element
        elif tag in _PREFORMATTED:
            self._add_code(element)
            return False
        elif tag == "hr":
            if not element.is_hidden:
                self._add(_RULE)
        elif tag == "table":
            return not self._add_table(element)
        else:
            self._enter_container(element)
        return True

    def _enter_container(self, element: Element) -> None:
        tag = element.tag
        if tag == "blockquote" and not _only_indents(element):
            self.lines.enter(Container("> ", "> "))
            self._quotes.add(id(element))
        elif tag in _LISTS:
            start = element.get("start")
            number = (int(start) if _is_number(start) else 1) if tag == "ol" else None
            self._lists.append(_List(number, self.lines.depth))
        elif tag == "li":
            marker = self._marker(element)
            self.lines.enter(Container(marker, " " * len(marker)))
        elif tag == "dt":
            self._inline_writer.mark(element, "**")

    def _leave(self, element: Element) -> None:
        tag = element.tag
        if self._heading is not None and element is not self._heading:
            self._inline_writer.leave(element)
        elif tag in _HEADINGS:
            self._add_heading(element)
        elif tag in INLINE:
            self._inline_writer.leave(element)
        else:
            self._inline_writer.leave(element)
            self._flush()
            if tag == "li" or id(element) in self._quotes:
                self.lines.leave()
            elif tag in _LISTS:
                self._lists.pop()

    def _marker(self, element: Element) -> str:
        if not self._lists or self._lists[-1].number is None:
            return "- "
        value = element.get("value")
        number = int(value) if _is_number(value) else self._lists[-1].number
        self._lists[-1].number = number + 1
        return f"{number}. "

    def _flush(self) -> None:
        text = self._inline_writer.inline.flush()
        if text:
            lines = text.split("\n")
            # A backslash at the end of a line is a hard break.
            self._add("\\\n".join(map(escape_line_start, lines)))

    def _add(self, block: str) -> int:
        is_tight = bool(self._lists) and self.lines.is_at_item and self._lists[-1].ends_in_item
        for open_list in self._lists:
            open_list.ends_in_item = self.lines.depth > open_list.depth
        return self.lines.add(block, is_tight=is_tight)

    def _add_heading(self, element: Element) -> None:
        self._heading = None
        text = self._inline_writer.inline.flush(has_marks=False).replace("\n", " ")
        if text:
            level = int(element.tag[1])
            closed = text[:-1] + "\\#" if text.endswith("#") else text
            offset = self._add(f"{'#' * level} {closed}")
            self.outline.append(Heading(level, plain_line(text), offset))

    def _add_code(self, element: Element) -> None:
        language = language_of(element, self._document)
        block = code_block(preformatted_text(element), language)
        if block:
            self._add(block)
            self.languages.update((language,) if language else ())

    def _add_table(self, table: Element) -> bool:
        """Draw a table of data; False for a table that only places blocks, whose children follow as blocks."""
        rows = table_rows(table)
        if not is_data_table(table, rows):
            return False
        for caption in table.children:
            if isinstance(caption, Element) and caption.tag == "caption":
                text = cell_text(caption, self._resolver, self._dropped)
                if text:
                    self._add(escape_line_start(text))
        texts = [[cell_text(cell, self._resolver, self._dropped) for cell in row.cells] for row in rows]
        if any(any(line) for line in texts):
            self._add("\n".join(table_lines(rows, texts)))
        return True


def _only_indents(quote: Element) -> bool:
    """Tell whether an element for quotations holds nothing but code or tables, which old pages indent so."""
    inner = [child for child in quote.children if isinstance(child, Element) or not child.isspace()]
    return all(isinstance(child, Element) and child.tag in _INDENTED for child in inner) and bool(inner)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9
