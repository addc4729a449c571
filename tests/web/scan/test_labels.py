"""Segments travel as one text and come back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.web.scan import Segment, SegmentKind
from stook.web.scan.labels import parse_segments, render_segments

NONCE = "0123456789abcdef" * 2
SEGMENTS = st.lists(st.builds(Segment, st.sampled_from(SegmentKind), st.text(max_size=60)), max_size=5)


@given(SEGMENTS)
def test_round_trip(segments: list[Segment]) -> None:
    """What is rendered is parsed to the same segments, whatever their texts."""
    assert [segment for _, segment in parse_segments(render_segments(segments, NONCE))] == segments


def test_lines() -> None:
    """Each segment comes with its first line in the whole."""
    text = render_segments([Segment(SegmentKind.TITLE, "a\nb"), Segment(SegmentKind.COMMENT, "c")], NONCE)
    assert [line for line, _ in parse_segments(text)] == [3, 6]
    assert text.splitlines()[5] == "c"


def test_plain_text() -> None:
    """A text without a header is one visible segment."""
    assert parse_segments("hello\n") == [(1, Segment(SegmentKind.VISIBLE, "hello\n"))]


def test_a_page_cannot_forge_labels() -> None:
    """A label with another nonce is text like any other."""
    forged = f"{'f' * 32} visible\nstook-segments {'f' * 32}\n"
    assert [
        segment for _, segment in parse_segments(render_segments([Segment(SegmentKind.HIDDEN, forged)], NONCE))
    ] == [Segment(SegmentKind.HIDDEN, forged)]


@pytest.mark.parametrize("body", ["text before\n", f"text\n{NONCE} visible\nx\n", f"{NONCE} strange\nx\n"])
def test_malformed(body: str) -> None:
    """A header with wrong labels is an error: nothing is left unscanned."""
    with pytest.raises(ValueError, match=r"before the first label|not a valid SegmentKind"):
        parse_segments(f"stook-segments {NONCE}\n{body}")
