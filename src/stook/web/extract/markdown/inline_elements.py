"""InlineWriter: what inline elements become."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from stook.web.extract.html import Element
from stook.web.extract.links import LinkResolver
from stook.web.extract.markdown.code import is_line_number, preformatted_text
from stook.web.extract.markdown.inline import Inline

__all__ = ["SKIPPED", "InlineWriter", "cell_text", "has_word"]

# Shown as something else than text, or not at all.
SKIPPED = frozenset(
    "head script style noscript noembed noframes iframe frame frameset object applet embed video audio canvas svg "
    "select option textarea input datalist meter progress button map area colgroup col param source track rp".split()
)
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "cite": "*", "dfn": "*", "var": "*"}
_MARKS |= {"del": "~~", "s": "~~", "strike": "~~"}
_CODES = frozenset("code tt kbd samp".split())
_LINK = "["
_WORD = re.compile(r"\w")
_VISIBLE = re.compile(r"\S")


class InlineWriter:
    """Writes inline elements into one run of text after the other."""

    def __init__(self, resolver: LinkResolver, dropped: Collection[int]) -> None:
        self._resolver = resolver
        self._dropped = dropped
        self._marked: dict[int, str] = {}  # by element, the mark to close
        self.inline = Inline()

    def skips(self, element: Element) -> bool:
        """Tell whether an element is left out. Where it has text, what stands around must not grow together."""
        if element.is_removed:
            return True
        if element.tag not in SKIPPED and id(element) not in self._dropped:
            return element.tag == "td" and is_line_number(element)
        if _shows(element, _VISIBLE):
            self.inline.add_text(" ")
        return True

    def enter(self, element: Element) -> bool:
        """Write the beginning of an element; True if its children are to follow."""
        tag = element.tag
        if tag == "br":
            if not element.is_hidden:
                self.inline.add_break()
        elif tag == "img":
            self._add_image(element)
        elif tag in _CODES and not _holds_link(element):
            self.inline.add_code(preformatted_text(element))
        elif tag == "a" and "href" in element.attributes:
            return self._enter_link(element)
        else:
            if tag in _MARKS:
                self.mark(element, _MARKS[tag])
            return True
        return False

    def mark(self, element: Element, mark: str, url: str = "") -> None:
        """Begin emphasis or a link that ends with the element."""
        if self.inline.open(mark, url):
            self._marked[id(element)] = mark

    def leave(self, element: Element) -> None:
        mark = self._marked.pop(id(element), None)
        if mark is not None:
            self.inline.close(mark)

    def _enter_link(self, element: Element) -> bool:
        href = element.attributes["href"] or ""
        if href.startswith("#") and not has_word(element):  # the mark beside a heading that links to the heading
            self.inline.add_text(" ")
            return False
        url = self._resolver.resolve(href)
        if url is not None:
            self.mark(element, _LINK, url)
        return True

    def _add_image(self, element: Element) -> None:
        alt = element.get("alt").strip()
        if alt and not element.is_hidden and element.attributes.get("width") not in ("0", "1"):
            self.inline.add_text(f" {alt} ")


def cell_text(cell: Element, resolver: LinkResolver, dropped: Collection[int]) -> str:
    """Return all that is painted in a table cell as one line; blocks in it are parted by a space."""
    writer = InlineWriter(resolver, dropped)
    for is_entered, element in _walk(cell, writer):
        if is_entered and element.tag in ("p", "div", "li", "dd", "dt", "tr", "td", "pre", "ul", "ol"):
            writer.inline.add_text(" ")
    return writer.inline.flush().replace("\n", " ")


def _walk(root: Element, writer: InlineWriter) -> Iterator[tuple[bool, Element]]:
    """Write all text below the root and yield each element, entered or left."""
    path = [(root, iter(root.children))]
    while path:
        element, children = path[-1]
        for child in children:
            if isinstance(child, str):
                if not element.is_hidden:
                    writer.inline.add_text(child)
            elif not writer.skips(child):
                yield True, child
                if child.tag == "pre":
                    writer.inline.add_code(preformatted_text(child))
                elif writer.enter(child):
                    path.append((child, iter(child.children)))
                    break
        else:
            path.pop()
            writer.leave(element)
            yield False, element


def has_word(root: Element) -> bool:
    """Tell whether an element shows a letter, a digit or a picture with a text."""
    return _shows(root, _WORD)


def _shows(root: Element, pattern: re.Pattern[str]) -> bool:
    rest = [root]
    while rest:
        element = rest.pop()
        for child in element.children:
            if isinstance(child, str):
                if not element.is_hidden and pattern.search(child):
                    return True
            else:
                if child.tag == "img" and child.get("alt"):
                    return True
                rest.append(child)
    return False


def _holds_link(root: Element) -> bool:
    rest = [root]
    while rest:
        for child in rest.pop().children:
            if isinstance(child, Element):
                if child.tag == "a" and "href" in child.attributes:
                    return True
                rest.append(child)
    return False
