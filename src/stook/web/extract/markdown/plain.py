"""Plain text: our own Markdown without its marks."""

from __future__ import annotations

import re

__all__ = ["plain_line", "plain_text"]

_TARGET = re.compile(r"\]\([^()\s]*\)")
_SPAN = re.compile(r"(?<!\\)(`+)( ?)(.+?)\2\1(?!`)")
_MARK = re.compile(r"(?<!\\)(?:\*\*|~~|[*\[\]])")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_PREFIX = re.compile(r"^(?:> ?| {1,})*(?:(?:-|\d{1,9}\.) +)*(?:#{1,6} )?")
_RULES = re.compile(r"^[\s>|*-]*$")
_FENCE = re.compile(r"^[> \d.-]*(`{3,})[^`]*$")


def plain_line(line: str) -> str:
    """Return one line of inline Markdown as a reader sees it."""
    return _ESCAPED.sub(r"\1", _MARK.sub("", _SPAN.sub(r"\3", _TARGET.sub("]", line))))


def plain_text(markdown: str) -> str:
    """Return the words of a document written by `write_markdown`; addresses of links are left out."""
    lines, fence = [], ""
    for line in markdown.split("\n"):
        found = _FENCE.match(line)
        if found and (not fence or found[1] == fence):
            fence = "" if fence else found[1]
        elif fence:
            lines.append(line)
        elif not _RULES.match(line):
            lines.append(plain_line(_PREFIX.sub("", line.rstrip("\\"))).replace("| ", " ").strip("| "))
        else:
            lines.append("")
    return "\n".join(lines)
