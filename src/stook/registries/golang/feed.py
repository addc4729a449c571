"""The module index: its pages, its timestamps, and how its cursor moves.

Facts of index.golang.org: `since` is inclusive, a page holds up to 2000 lines, order is by time (golang/go#32312), and
timestamps drop trailing zeros, so that only integers may be compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from stook.engine.decoding import DECODE_ERRORS
from stook.engine.errors import FailureCode, Malformed
from stook.registries.golang.paths import is_valid_path, path_problem
from stook.registries.golang.times import MICROSECOND, nanoseconds, rfc3339
from stook.registries.golang.versions.versions import is_valid

__all__ = [
    "LONGEST_PATH",
    "LONGEST_VERSION",
    "PAGE_BYTES",
    "PAGE_LIMIT",
    "START",
    "Boundary",
    "Entry",
    "Gap",
    "Step",
    "advance",
    "parse_page",
]

PAGE_LIMIT = 2000
PAGE_BYTES = 8 << 20  # of a page; a line has less than a kilobyte, and a page of PAGE_LIMIT lines a tenth of this
MOST_LINES = 20_000  # of a page, however many were asked for
LONGEST_PATH, LONGEST_VERSION = 500, 240  # characters; what the list holds on every engine


class _Row(msgspec.Struct, frozen=True, gc=False):
    """One line of a page, as it stands there."""

    Path: str
    Version: str
    Timestamp: str


_ROWS = msgspec.json.Decoder(_Row)


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One announcement: `time` in nanoseconds since 1970, `raw` its text; `problem` says why it is junk, if it is."""

    path: str
    version: str
    time: int
    raw: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Boundary:
    """How far the feed was read: a moment, its text for the next request, and what was seen exactly there."""

    time: int = 0
    raw: str = ""
    seen: frozenset[tuple[str, str]] = frozenset()

    def packed(self) -> list[list[str]]:
        """`seen` for a JSON column, in a fixed order."""
        return [list(pair) for pair in sorted(self.seen)]

    @classmethod
    def unpacked(cls, raw: str, seen: Iterable[Sequence[str]] = ()) -> Boundary:
        """The boundary that was stored as text and JSON; an empty text is the beginning of time."""
        return cls(nanoseconds(raw) if raw else 0, raw, frozenset((path, version) for path, version in seen))


START = Boundary()


@dataclass(frozen=True, slots=True)
class Gap:
    """A moment shared by more events than one page shows: those beyond the page cannot be asked for."""

    raw: str
    shown: int


@dataclass(frozen=True, slots=True)
class Step:
    """What one page added. `fresh` are events for the queue, `junk` are malformed ones; both in page order.

    `ahead` counts the events whose time lies in the future.
    """

    fresh: tuple[Entry, ...]
    junk: tuple[Entry, ...]
    boundary: Boundary
    gap: Gap | None
    is_last: bool
    ahead: int = 0


def parse_page(body: bytes, *, is_tolerant: bool = False) -> list[Entry]:
    """All lines of a page, good and junk.

    A line that cannot be read fails the page: Malformed, with its number. It may be mended at the next try; when it is
    not, a tolerant reading keeps the line aside as junk.
    """
    if body.count(b"\n") > MOST_LINES:
        raise Malformed(f"an index page of more than {MOST_LINES} lines", FailureCode.TOO_LARGE)
    try:
        rows = _ROWS.decode_lines(body)
    except DECODE_ERRORS:
        rows = _decode_slowly(body, is_tolerant=is_tolerant)
    bad_paths = {path: problem for path in {row.Path for row in rows} if (problem := _path_problem(path))}
    entries = []
    for number, row in enumerate(rows, 1):
        version = row.Version
        is_good = len(version) <= LONGEST_VERSION and is_valid(version)
        problem = "" if is_good else _version_problem(version)
        try:
            time = nanoseconds(row.Timestamp)
        except Malformed as error:
            if not is_tolerant:
                raise Malformed(f"index page line {number}: {error.reason}") from None
            time, problem = 0, error.reason  # it stands before every boundary, and moves none
        if bad_paths:
            problem = bad_paths.get(row.Path, problem)
        entries.append(Entry(row.Path, version, time, row.Timestamp, problem))
    return entries


def advance(boundary: Boundary, page: Sequence[Entry], limit: int = PAGE_LIMIT, horizon: int | None = None) -> Step:
    """What a page, asked for with `since=boundary.raw`, adds; `limit` is the page size that was asked for.

    An event whose time lies behind `horizon` (nanoseconds; the present, with some room for clocks that differ) is an
    event like others, but it never moves the boundary: all that the index tells until then would be missed.

    A full page that shows only what was seen, all at the boundary, cannot be paged through: a gap is reported, and the
    boundary moves on by a microsecond. Lines older than the boundary are events like others and never move it back.
    The feed ends where a page does not move it on: a short page is no end, as an index may show fewer lines a page.
    """
    unseen = [
        entry for entry in page if entry.time != boundary.time or (entry.path, entry.version) not in boundary.seen
    ]
    is_full = len(page) >= limit
    if is_full and not unseen:
        return _step_over(boundary, len(page))
    present = [entry for entry in page if horizon is None or entry.time <= horizon]
    reached = _moved(boundary, present, is_full=is_full)
    return Step(
        fresh=tuple(entry for entry in unseen if not entry.problem),
        junk=tuple(entry for entry in unseen if entry.problem),
        boundary=reached,
        gap=None,
        is_last=reached == boundary,
        ahead=len(page) - len(present),
    )


def _moved(boundary: Boundary, page: Sequence[Entry], *, is_full: bool) -> Boundary:
    """The boundary after a page: its last line's moment, or its latest where the page is whole or out of order."""
    if not page:
        return boundary
    last = page[-1]
    if not (is_full and last.time > boundary.time):
        last = max(page, key=_time)
    if last.time < boundary.time:
        return boundary
    seen = frozenset((entry.path, entry.version) for entry in page if entry.time == last.time)
    if last.time == boundary.time:
        return Boundary(boundary.time, boundary.raw or last.raw, boundary.seen | seen)
    return Boundary(last.time, last.raw, seen)


def _step_over(boundary: Boundary, shown: int) -> Step:
    later = boundary.time - boundary.time % MICROSECOND + MICROSECOND
    return Step((), (), Boundary(later, rfc3339(later)), Gap(boundary.raw, shown), is_last=False)


def _time(entry: Entry) -> int:
    return entry.time


def _path_problem(path: str) -> str:
    if len(path) > LONGEST_PATH:
        return f"path is longer than this program keeps ({LONGEST_PATH} characters)"
    return "" if is_valid_path(path) else path_problem(path)


def _version_problem(version: str) -> str:
    if not version:
        return "version is empty"
    if len(version) > LONGEST_VERSION:
        return f"version is longer than this program keeps ({LONGEST_VERSION} characters)"
    return "version is not semantic" if version.isascii() else "version is not ASCII"


def _decode_slowly(body: bytes, *, is_tolerant: bool) -> list[_Row]:
    """The page line by line, to name the line that fails; blank lines are none.

    A line that is kept aside goes by its digest, as it has no name that can be read.
    """
    rows = []
    for number, line in enumerate(body.split(b"\n"), 1):
        if line.strip():
            try:
                rows.append(_ROWS.decode(line))
            except DECODE_ERRORS as error:
                if not is_tolerant:
                    raise Malformed(f"index page line {number}: {str(error)[:200]}") from None
                rows.append(_Row(f"line-{hashlib.sha256(line).hexdigest()[:16]}", "", ""))
    return rows
