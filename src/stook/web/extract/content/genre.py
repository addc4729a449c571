"""The genre of a page: an article, by its own metadata, or any other page."""

from __future__ import annotations

import re

from stook.web.extract.html import Document, Element

__all__ = ["is_article"]

# https://schema.org/Article and its kinds; not TechArticle, which is documentation.
_JSON_TYPE = re.compile(
    r'"@type"\s*:\s*\[?\s*"(?:\w{0,30}NewsArticle|Article|BlogPosting|LiveBlogPosting|Report|Review)"'
)
_ITEM_TYPES = ("newsarticle", "/article", "blogposting")


def is_article(document: Document) -> bool:
    """Tell whether Open Graph, schema.org or microdata call the page an article or a post."""
    return (
        any(map(_is_meta_of_article, document.all("meta")))
        or any(
            "json" in script.get("type") and _JSON_TYPE.search(script.own_text()) for script in document.all("script")
        )
        or any(map(_is_item, document.elements))
    )


def _is_meta_of_article(meta: Element) -> bool:
    name = (meta.get("property") or meta.get("name")).lower()
    return name.startswith("article:") or (name == "og:type" and meta.get("content").lower() in ("article", "blog"))


def _is_item(element: Element) -> bool:
    attributes = element.attributes
    if "itemprop" in attributes and "articlebody" in element.get("itemprop").lower():
        return True
    return "itemtype" in attributes and element.get("itemtype").lower().endswith(_ITEM_TYPES)
