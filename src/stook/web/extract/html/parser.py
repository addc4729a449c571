"""The bounded parse: lexbor's tree becomes our own, or the page is too large."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stook.web.extract.errors import TooLarge
from stook.web.extract.html.markup import check_markup
from stook.web.extract.html.tree import Comment, Document, Element, Node
from stook.web.extract.limits import Limits

__all__ = ["parse"]

_DOCTYPE = re.compile(r"<!doctype[^>]{0,2000}", re.IGNORECASE)


def parse(markup: str, limits: Limits) -> Document:
    """Parse a whole page as a browser does. Raises `TooLarge`."""
    check_markup(markup, limits)
    parser = LexborHTMLParser(markup)
    root = Element("#document", {}, -1)
    elements, nodes = [root], list[tuple[int, Node]]()
    # The document's own children hold the comments before and after the html element.
    top = parser.root.parent if parser.root is not None else None
    if top is not None:
        _copy(top, elements, nodes, limits)
    doctype = _DOCTYPE.search(markup[:4096])
    return Document(root, elements, nodes, doctype[0] if doctype else "")


def _copy(top: LexborNode, elements: list[Element], nodes: list[tuple[int, Node]], limits: Limits) -> None:
    """Copy in document order, without recursion: `path` holds where each open element goes on, and its parent."""
    path: list[tuple[LexborNode | None, int]] = [(top.first_child, 0)]
    while path:
        node, place = path.pop()
        siblings = elements[place].children
        while node is not None:
            tag = node.tag
            copied: Node
            if tag == "-text":
                copied = node.text_content or ""
            elif tag is None or tag[0] == "-":
                copied = Comment(_other_text(node, tag))
            else:
                copied = Element(tag if tag.islower() else tag.lower(), node.attributes, place)
            nodes.append((place, copied))
            siblings.append(copied)
            if isinstance(copied, Element):
                _check(len(path), len(nodes), limits)
                elements.append(copied)
                child = _first_child(node, copied.tag)
                if child is not None:
                    path.append((node.next, place))
                    node, place, siblings = child, len(elements) - 1, copied.children
                    continue
            node = node.next
    _check(0, len(nodes), limits)


def _check(depth: int, size: int, limits: Limits) -> None:
    if depth >= limits.depth:
        raise TooLarge(f"Elements stand more than {limits.depth} deep inside each other.")
    if size > limits.nodes:
        raise TooLarge(f"The page has more than {limits.nodes} nodes.")


def _other_text(node: LexborNode, tag: str | None) -> str:
    """A doctype says nothing here; a node without a name is a processing instruction."""
    if tag == "-comment":
        return node.comment_content or ""
    return node.html or "" if tag is None else ""


def _first_child(node: LexborNode, tag: str) -> LexborNode | None:
    """The content of a template is a tree of its own, beside the page's."""
    if tag == "template":
        fragments = node.template_fragments()
        if fragments:
            return fragments[0].first_child
    return node.first_child
