"""Words in names of classes and ids that tell what a part of a page is for."""

from __future__ import annotations

import re

from stook.web.extract.html import Element

__all__ = ["AROUND_ARTICLES", "AROUND_PAGES", "has_word", "names_body", "spoken"]

# Parts of a site that stand around any page.
AROUND_PAGES = frozenset(
    "nav navbar navigation menu menus submenu breadcrumb breadcrumbs pagination pager sidebar footer masthead "
    "skip skiplink cookie cookies consent gdpr popup modal advert adverts advertisement advertising sponsored "
    "newsletter subscribe".split()
)
# What newspapers and blogs put around and between the paragraphs of an article.
AROUND_ARTICLES = AROUND_PAGES | frozenset(
    "aside foot comment comments disqus reply respond discussion share sharing sharebar social socials addthis "
    "sharedaddy follow related recommended recommendations trending popular mostread readmore subscription signup "
    "promo promos promotion promoted sponsor sponsors ads banner widget widgets toolbar tools tags byline bio "
    "author metadata dateline timestamp caption captions credit credits outbrain taboola login print player "
    "gallery carousel slideshow rating ratings".split()
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SPOKEN = re.compile(r"\w+")
_BODY = re.compile(
    r"(?:article|story|post|entry|news|page|blog|content|main|rich)[-_]{0,2}(?:body|content|text|copy)|articletext|storytext"
    r"|(?:^|\s)(?:entry|prose|markdown-body|bodytext|body-text|maincontent)(?=$|\s)",
    re.IGNORECASE,
)


def has_word(name: str, words: frozenset[str]) -> bool:
    """Tell whether a name has one of the words: "relatedPosts other" has "related", "posts" and "other"."""
    return not words.isdisjoint(word.lower() for word in _WORD.findall(name))


def names_body(element: Element) -> bool:
    """Tell whether the element calls itself the text of an article or a post."""
    return any(_BODY.search(element.get(name)) for name in ("class", "id") if name in element.attributes)


def spoken(text: str) -> str:
    """Return the words of a text in small letters, one space before, between and after them, to look for in another."""
    return f" {' '.join(_SPOKEN.findall(text.lower()))} "
