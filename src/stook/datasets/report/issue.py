"""The text of the issue in which a run reports to those who care for a catalogue."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["ISSUE_TITLE", "issue_body"]

ISSUE_TITLE = "Error fetching documents"
_MAX_CHARACTERS = 65_536  # GitHub's limit of a body
_ROOM = 200  # for the line that tells how much is left out


def issue_body(lines: Iterable[str]) -> str:
    """The lines, each once, in their order; cut between lines with a note of how many more there are."""
    unique = list(dict.fromkeys(lines))
    if len("\n".join(unique)) <= _MAX_CHARACTERS:
        return "\n".join(unique)
    kept: list[str] = []
    room = _MAX_CHARACTERS - _ROOM
    for line in unique:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, f"… and {len(unique) - len(kept)} more"])
