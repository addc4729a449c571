"""HTML: one bounded parse into a small tree."""

from stook.web.extract.html.inline import INLINE
from stook.web.extract.html.parser import parse
from stook.web.extract.html.tree import Document, Element

__all__ = ["INLINE", "Document", "Element", "parse"]
