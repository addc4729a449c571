"""JSON: shown as it is, indented where that helps; its strings decoded for the scanner."""

from __future__ import annotations

import re

import msgspec

from stook.web.extract.letters import shown
from stook.web.extract.limits import Limits, check_text
from stook.web.extract.markdown import code_block
from stook.web.extract.page_text import PageText
from stook.web.extract.security.program import json_strings
from stook.web.segment import Segment, SegmentKind

__all__ = ["read_json"]

_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*+"|[^][{}"]++|"', re.DOTALL)
_MAX_INDENTED = 24  # levels: deeper documents would be mostly indentation


def read_json(text: str, limits: Limits) -> PageText:
    """Read a JSON document. What is no JSON is shown as it came. Raises `TooLarge`."""
    check_text([text], limits)
    pretty = _indented(text)
    if len(pretty) > limits.text // 4:
        pretty = text
    segments = [Segment(SegmentKind.VISIBLE, pretty), Segment(SegmentKind.SCRIPT, json_strings(text))]
    block = code_block("\n".join(shown(line) for line in pretty.split("\n")), "json")
    return PageText("", block + "\n" if block else "", segments)


def _indented(text: str) -> str:
    depth = deepest = 0
    for bracket in _STRUCTURE.sub("", text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > _MAX_INDENTED:
        return text
    try:
        return msgspec.json.format(text, indent=2)
    except msgspec.DecodeError:
        return text
