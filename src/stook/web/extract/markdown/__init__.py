"""Markdown: what a reader sees of a page, as clean text."""

from stook.web.extract.markdown.code import code_block
from stook.web.extract.markdown.escape import escape_inline, escape_line_start
from stook.web.extract.markdown.plain import plain_text
from stook.web.extract.markdown.writer import MarkdownDocument, write_markdown

__all__ = ["MarkdownDocument", "code_block", "escape_inline", "escape_line_start", "plain_text", "write_markdown"]
