"""The links of a page, for those who go on from it."""

from __future__ import annotations

from stook.web.extract.html import Document, Element
from stook.web.extract.letters import shown
from stook.web.extract.links import LinkResolver
from stook.web.extract.page_text import Link

__all__ = ["page_links"]


def page_links(document: Document, resolver: LinkResolver) -> list[Link]:
    """Return all links that a reader can see, navigation included, each address once, with its first text."""
    found: dict[str, str] = {}
    for element in document.all("a", "area"):
        if element.get("href") and not element.is_hidden:
            url = resolver.resolve(element.get("href"))
            if url is not None and not found.get(url):
                found[url] = _text(element)
    return [Link(url, text) for url, text in found.items()]


def _text(link: Element) -> str:
    pieces: list[str] = []
    pictures: list[str] = [link.get("alt")]
    if all(isinstance(child, str) for child in link.children):
        return shown(" ".join(link.own_text().split()))
    rest: list[Element | str] = [link]
    while rest:
        node = rest.pop()
        if isinstance(node, str):
            pieces.append(node)
            continue
        if node.tag == "img":
            pictures.append(node.get("alt"))
        rest += [
            child
            for child in reversed(node.children)
            if isinstance(child, Element if node.is_hidden else Element | str)
        ]
    text = " ".join("".join(pieces).split()) or " ".join(" ".join(pictures).split())
    return shown(text)
