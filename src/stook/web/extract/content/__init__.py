"""The main content of a page: where it is, and what in it is not part of it."""

from stook.web.extract.content.choice import Content, choose_content

__all__ = ["Content", "choose_content"]
