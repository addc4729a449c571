"""The bounded parse: lexbor's tree becomes our own, or the page is too large."""

from __future__ import annotations

import re
from collections import defaultdict

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from stook.web.extract.errors import TooLarge
from stook.web.extract.html.inline import INLINE
from stook.web.extract.html.markup import check_markup
from stook.web.extract.html.tree import Document, Element
from stook.web.extract.limits import Limits

__all__ = ["parse"]

_DOCTYPE = re.compile(r"<!doctype[^>]{0,2000}", re.IGNORECASE)


def parse(markup: str, limits: Limits) -> Document:
    """Parse a whole page as a browser does. Raises `TooLarge`."""
    check_markup(markup, limits)
    # Without events: with them each option of a list is looked at again for every other one.
    parser = LexborHTMLParser(markup, options=LexborDocumentOptions.WO_EVENTS, scripting=True)
    doctype = _DOCTYPE.search(markup[:4096])
    document = Document(
        [Element("#document", {}, -1, [])], [0], [0], [], [], defaultdict(list), doctype[0] if doctype else ""
    )
    # The document's own children hold the comments before and after the html element.
    top = parser.root.parent if parser.root is not None else None
    if top is not None:
        _copy(top, document, limits)
    document.ends[0] = len(document.elements)
    return document


def _copy(top: LexborNode, document: Document, limits: Limits) -> None:
    """Copy in document order, without recursion: `path` holds where each open element goes on, and its parent."""
    elements, ends, blocks, places = document.elements, document.ends, document.blocks, document.places
    add_text, max_nodes = document.texts.append, limits.nodes
    path: list[tuple[LexborNode | None, int]] = []
    node, place = top.first_child, 0
    add_child = elements[0].children.append
    count, inline = 0, INLINE
    while True:
        while node is not None:
            count += 1
            tag = node.tag
            if tag == "-text":
                text = node.text_content or ""
                add_child(text)
                add_text((place, text))
            elif tag is None or tag[0] == "-":
                document.comments.append(_other_text(node, tag))
            else:
                element = Element(tag, node.attributes, place, [])
                add_child(element)
                own = len(elements)
                elements.append(element)
                ends.append(own + 1)
                blocks.append(blocks[place] if tag in inline else own)
                places[tag].append(own)
                if tag == "br":
                    add_text((place, "\n"))
                child = node.first_child if tag != "template" else _template_child(node)
                if child is not None:
                    path.append((node.next, place))
                    node, place, add_child = child, own, element.children.append
                    if len(path) >= limits.depth:
                        raise TooLarge(f"Elements stand more than {limits.depth} deep inside each other.")
                    continue
            node = node.next
        if count > max_nodes:
            raise TooLarge(f"The page has more than {limits.nodes} nodes.")
        ends[place] = len(elements)
        if not path:
            return
        node, place = path.pop()
        add_child = elements[place].children.append


def _template_child(node: LexborNode) -> LexborNode | None:
    """The content of a template is a tree of its own, beside the page's."""
    fragments = node.template_fragments()
    return fragments[0].first_child if fragments else node.first_child


def _other_text(node: LexborNode, tag: str | None) -> str:
    """A doctype says nothing here; a node without a name is a processing instruction."""
    if tag == "-comment":
        return node.comment_content or ""
    return node.html or "" if tag is None else ""
