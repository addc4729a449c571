"""Readers: one for each kind of content."""

from stook.web.extract.readers.feed import read_feed
from stook.web.extract.readers.html import read_html
from stook.web.extract.readers.json import read_json
from stook.web.extract.readers.markdown import read_markdown
from stook.web.extract.readers.text import read_text

__all__ = ["read_feed", "read_html", "read_json", "read_markdown", "read_text"]
