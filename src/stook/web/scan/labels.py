"""Labels: segments as one text for a scanner's standard input, and back.

The first line is `stook-segments NONCE`, with 32 random hexadecimal digits. Each segment is a line `NONCE KIND` and
then its text. A page cannot know the nonce, so no text of a page can end its segment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from stook.web.segment import Segment, SegmentKind

__all__ = ["parse_segments", "render_segments"]

_HEADER = re.compile(r"stook-segments ([0-9a-f]{32})\n")


def render_segments(segments: Iterable[Segment], nonce: str) -> str:
    """The text for a scanner. `nonce` is 32 hexadecimal digits that nobody can guess."""
    blocks = (f"{nonce} {segment.kind}\n{segment.text}\n" for segment in segments)
    return "".join([f"stook-segments {nonce}\n", *blocks])


def parse_segments(text: str) -> Sequence[tuple[int, Segment]]:
    """The segments of a text, each with the number of its first line (from 1).

    A text without a header is one visible segment. A label with an unknown kind, or text before the first label,
    makes a `ValueError`.
    """
    header = _HEADER.match(text)
    if header is None:
        return [(1, Segment(SegmentKind.VISIBLE, text))]
    label = re.compile(rf"^{header[1]} (\S*)\n", re.MULTILINE)
    labels = list(label.finditer(text, header.end()))
    if (labels[0].start() if labels else len(text)) != header.end():
        raise ValueError("text before the first label")
    ends = [match.start() for match in labels[1:]] + [len(text)] if labels else []
    segments: list[tuple[int, Segment]] = []
    line = position = 0
    for match, end in zip(labels, ends, strict=True):
        line += text.count("\n", position, match.end())
        position = match.end()
        segments.append((line + 1, Segment(SegmentKind(match[1]), text[position:end].removesuffix("\n"))))
    return segments
