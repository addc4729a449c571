"""Markdown: what a reader sees of a page, as clean text."""

from stook.web.extract.markdown.plain import plain_text
from stook.web.extract.markdown.writer import Written, write_markdown

__all__ = ["Written", "plain_text", "write_markdown"]
