"""The security text: every text of a page that could carry an instruction, with its kind."""

from stook.web.extract.security.segments import page_segments

__all__ = ["page_segments"]
