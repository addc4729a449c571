"""Plain text: our own Markdown without its marks."""

from __future__ import annotations

import re

__all__ = ["plain_line", "plain_text"]

# An escaped character, a span of code, the target of a link, or a mark.
_INLINE = re.compile(
    r"\\([!-/:-@\[-`{-~])|(?P<fence>`+)(?P<pad> ?)(?P<code>.+?)(?P=pad)(?<!`)(?P=fence)(?!`)"
    r"|\]\([^()\s]*\)|\*\*|~~|[*\[\]]"
)
_PREFIX = re.compile(r"(?:> ?| +)*(?:(?:-|\d{1,9}\.) +)*(?:#{1,6} )?")
_RULE = re.compile(r"[\s>|*-]*$")
_FENCE = re.compile(r"[> \d.-]*?(`{3,})[^`]*$")


def plain_line(line: str) -> str:
    """Return one line of inline Markdown as a reader sees it."""
    return _INLINE.sub(_unmarked, line)


def _unmarked(match: re.Match[str]) -> str:
    return match[1] or match["code"] or ""


def plain_text(markdown: str) -> str:
    """Return the words of a document written by `write_markdown`; addresses of links are left out."""
    lines, fence, indent = [], "", 0
    for line in markdown.split("\n"):
        if fence:
            if line[indent:] == fence:
                fence = ""
            else:
                lines.append(line[indent:])
        elif found := _FENCE.match(line):
            fence, indent = found[1], found.start(1)
        elif _RULE.match(line):
            lines.append("")
        else:
            lines.append(_plain(line))
    return "\n".join(lines)


def _plain(line: str) -> str:
    start = _PREFIX.match(line)
    body = line[start.end() :] if start else line
    if body.startswith("| ") and body.endswith(" |"):
        return " ".join(plain_line(cell) for cell in body[2:-2].split(" | "))
    return plain_line(body.removesuffix("\\"))
