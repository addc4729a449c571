"""Extraction: from the bytes of a page to two documents, what a reader sees and what the scanner must see."""

from stook.web.extract.errors import TooLarge, UnsupportedType
from stook.web.extract.front_matter import front_matter
from stook.web.extract.limits import Limits
from stook.web.extract.page import Extract, extract
from stook.web.extract.page_text import Heading, Link

__all__ = ["Extract", "Heading", "Limits", "Link", "TooLarge", "UnsupportedType", "extract", "front_matter"]
