"""Errors of extraction; each carries a short reason and no text of the page."""

from __future__ import annotations

from stook.engine.errors import Refused

__all__ = ["TooLarge", "UnsupportedType"]


class TooLarge(Refused):
    """The page is beyond a limit. It is refused as a whole and never cut."""


class UnsupportedType(Refused):
    """The content type is none that Stook reads."""
