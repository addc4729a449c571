"""What a proxy means by 404 or 410: a class for its message, and when to ask again.

Classes come from the messages the mirror gives (golang/go#34605, #49916, #57185, #80233 and pkgsite's mapping); it
caches a negative answer for thirty minutes, so an earlier second request is wasted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["FRESH_DELAY", "Absence", "NotFound", "judge"]

FRESH_DELAY = 35 * 60.0  # seconds

_MESSAGE_LIMIT = 300  # characters kept


class Absence(StrEnum):
    """Why the proxy has nothing."""

    TIMED_OUT = "timed_out"
    NOT_CACHED = "not_cached"
    BAD_REQUEST = "bad_request"
    BAD_ZIP = "bad_zip"
    PATH_MISMATCH = "path_mismatch"
    NO_GO_MOD = "no_go_mod"
    NO_IMPORT_META = "no_import_meta"
    UNKNOWN_REVISION = "unknown_revision"
    HOST_UNREACHABLE = "host_unreachable"
    INVALID_VERSION = "invalid_version"
    REPOSITORY_GONE = "repository_gone"
    BAD_UPSTREAM = "bad_upstream"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class NotFound:
    """The verdict. `delay` (seconds) asks for another look off the ladder; otherwise what is not terminal climbs it."""

    kind: Absence
    message: str
    delay: float | None
    is_terminal: bool


# Order matters: a message quotes other tools' output, so what the proxy says of itself comes first.
_PATTERNS: tuple[tuple[Absence, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (Absence.TIMED_OUT, r"fetch timed out|context deadline exceeded"),
        (Absence.NOT_CACHED, r"temporarily unavailable"),
        (Absence.BAD_REQUEST, r"bad request|invalid escaped"),
        (Absence.BAD_ZIP, r"create zip:"),
        (Absence.PATH_MISMATCH, r"go\.mod has (?:post-|non-|malformed )|missing module path"),
        (Absence.NO_GO_MOD, r"missing \S*go\.mod"),
        (Absence.NO_IMPORT_META, r"unrecognized import path"),
        (Absence.UNKNOWN_REVISION, r"unknown revision|no matching versions"),
        (
            Absence.HOST_UNREACHABLE,
            r"could not resolve host|no such host|(?:failed|couldn't|could not) (?:to )?connect|network is unreachable"
            r"|connection (?:was )?(?:refused|timed out|reset|closed)|operation timed out|i/o timeout|error: 5\d\d",
        ),
        (Absence.REPOSITORY_GONE, r"git ls-remote|exit status 128|repository .*not found|terminal prompts disabled"),
        (Absence.INVALID_VERSION, r"invalid (?:pseudo-)?version"),
        (Absence.BAD_UPSTREAM, r"bad upstream"),
    )
)

_FINAL = frozenset({Absence.BAD_REQUEST, Absence.BAD_ZIP, Absence.PATH_MISMATCH, Absence.NO_GO_MOD})
_FINAL_WHEN_REPEATED = frozenset({Absence.UNKNOWN_REVISION, Absence.INVALID_VERSION, Absence.REPOSITORY_GONE})


def judge(status: int, body: bytes, *, is_fresh: bool) -> NotFound:
    """Judge a 404 or 410; both mean the same (golang/go#33303). Any other status is a ValueError.

    `is_fresh`: this is the first such answer for the event. It is asked again after FRESH_DELAY, unless the message
    speaks of the version's immutable content or of our request. A `not_cached` answer says nothing about existence.
    """
    if status not in (404, 410):
        raise ValueError(f"only 404 and 410 mean absence, not {status}")
    message = body[: 4 * _MESSAGE_LIMIT].decode("utf-8", "replace").strip().removeprefix("not found:").strip()
    kind = next((kind for kind, pattern in _PATTERNS if pattern.search(message)), Absence.OTHER)
    is_final = kind in _FINAL or (kind in _FINAL_WHEN_REPEATED and not is_fresh)
    delay = FRESH_DELAY if is_fresh and not is_final else None
    return NotFound(kind, message[:_MESSAGE_LIMIT], delay, is_final)
