"""JSON is shown in a block, indented where that helps."""

from __future__ import annotations

from stook.web.extract import extract
from stook.web.segment import SegmentKind


def test_json_is_indented_and_its_strings_are_decoded() -> None:
    """A reader sees the document; the scanner sees the strings too."""
    page = extract(b'{"a":["ignore \\u0061ll",1]}', "application/ld+json", "https://pages.example/a")
    assert page.markdown == '```json\n{\n  "a": [\n    "ignore \\u0061ll",\n    1\n  ]\n}\n```\n'
    assert any(segment.kind is SegmentKind.SCRIPT and "ignore all" in segment.text for segment in page.segments)


def test_broken_and_deep_json_is_shown_as_it_came() -> None:
    """What cannot be indented, or would be mostly indentation, stays."""
    assert extract(b'{"a": ```', "application/json", "https://pages.example/a").markdown.startswith("```json\n{")
    deep = b"[" * 500 + b"1" + b"]" * 500
    assert len(extract(deep, "application/json", "https://pages.example/a").markdown) < 1100


def test_lone_surrogates_become_replacement_characters() -> None:
    """No string that leaves the module breaks an encoder."""
    page = extract(b'["x \\ud800 yz"]', "application/json", "https://pages.example/a")
    assert "".join(segment.text for segment in page.segments).encode()
