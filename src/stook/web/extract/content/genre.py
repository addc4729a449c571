"""The genre of a page: an article, by its own metadata, or any other page."""

from __future__ import annotations

import re

from stook.web.extract.html import Document, Element

__all__ = ["is_article"]

_JSON_TYPE = re.compile(
    r'"@type"\s*:\s*\[?\s*"(?:\w{0,30}NewsArticle|Article|BlogPosting|LiveBlogPosting|Report|Review)"'
)  # https://schema.org/Article and its kinds; not TechArticle, which is documentation
_ITEM_TYPES = ("newsarticle", "/article", "blogposting")


def is_article(document: Document) -> bool:
    """Tell whether Open Graph, schema.org or microdata call the page an article or a post."""
    return any(_says_article(element) for element in document.elements if element.attributes)


def _says_article(element: Element) -> bool:
    attributes = element.attributes
    if element.tag == "meta":
        name = (attributes.get("property") or attributes.get("name") or "").lower()
        is_named = name == "og:type" and (attributes.get("content") or "").lower() in ("article", "blog")
        return is_named or name.startswith("article:")
    if element.tag == "script":
        texts = element.children if "json" in (attributes.get("type") or "") else ()
        return any(isinstance(text, str) and _JSON_TYPE.search(text) for text in texts)
    if "itemprop" in attributes and "articlebody" in (attributes["itemprop"] or "").lower():
        return True
    return "itemtype" in attributes and (attributes["itemtype"] or "").lower().endswith(_ITEM_TYPES)
