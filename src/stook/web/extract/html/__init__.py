"""HTML: one bounded parse into a small tree."""

from stook.web.extract.html.parser import parse
from stook.web.extract.html.tree import Comment, Document, Element

__all__ = ["Comment", "Document", "Element", "parse"]
