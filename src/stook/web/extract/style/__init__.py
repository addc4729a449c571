"""Style: which text of a page a browser does not paint."""

from stook.web.extract.style.visibility import mark_hidden

__all__ = ["mark_hidden"]
