"""Which version of a module is the latest, what its author took back, and whether it is deprecated.

The go command's rule (cmd/go/internal/modload, query.go and modfile.go): the highest release, else the highest
prerelease, else `@latest`; `+incompatible` versions only when the last compatible one has no go.mod; retractions and
deprecation are read from the go.mod of the raw latest alone, and what it retracts does not count.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from stook.engine.decoding import DECODE_ERRORS
from stook.engine.errors import FailureCode, Malformed
from stook.registries.golang.gomod.gomod import GoMod, Retraction, is_synthetic, parse_lax
from stook.registries.golang.gomod.syntax import fields
from stook.registries.golang.paths import major_problem
from stook.registries.golang.retractions import NO_REASON, RetractedRanges
from stook.registries.golang.times import datetime_nanoseconds, nanoseconds
from stook.registries.golang.versions.pseudo import parse_pseudo
from stook.registries.golang.versions.versions import is_incompatible, is_prerelease, is_pseudo, is_valid, order_key

__all__ = ["NO_MATCH", "NO_REASON", "Latest", "Need", "answer_latest", "find_latest", "reasons", "tagged_versions"]

NO_MATCH = "no matching versions"
LONGEST_LINE = 4096  # bytes of a line of a list
MOST_LINES = 200_000  # of a list; the longest real ones have a quarter of that

_YEAR_ONE = nanoseconds("0001-01-01T00:00:00Z")  # Go's zero time, which no version may have to be the newest


@dataclass(frozen=True, slots=True)
class Need:
    """A document the rule asks for: the answer of `@latest`, or the `.mod` of one version."""

    what: Literal["latest", "mod"]
    version: str = ""


@dataclass(frozen=True, slots=True)
class Latest:
    """The answer. `raw` ignores retractions, `version` heeds them; either is empty where there is none.

    `retracted` maps versions of the list to their reasons; for others (pseudo-versions) ask `reasons`.
    `problem` says why the go command would answer less than this, or nothing. `is_read`: the raw latest's go.mod could
    be read, without which nobody knows what is retracted or deprecated.
    """

    version: str = ""
    raw: str = ""
    deprecated: str = ""
    retractions: tuple[Retraction, ...] = ()
    retracted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    problem: str = ""
    is_read: bool = False


class _Info(msgspec.Struct, frozen=True):
    Version: str


_Asking = Generator[Need, bytes | None, str]


def find_latest(path: str, listing: bytes) -> Generator[Need, bytes | None, Latest]:
    """Apply the rule to the text of `@v/list`.

    Yields what it lacks, each document once and most often one `.mod`; send its bytes, or None for 404 and 410.
    """
    module = _Module(path, listing)
    try:
        raw = yield from module.query()
    except Malformed as error:
        return Latest(problem=error.reason)
    if not raw:
        return Latest(problem=NO_MATCH)
    go_mod, problem = _read(raw, (yield from module.ask(Need("mod", raw))))
    is_read = not problem
    module.ranges = RetractedRanges(go_mod.retracts)
    try:
        version = yield from module.query()
    except Malformed as error:
        version, problem = "", error.reason
    taken_back = module.ranges.reasons(module.tagged)
    problem = problem or (major_problem(path, version) if version else NO_MATCH)
    return Latest(version, raw, go_mod.deprecated, go_mod.retracts, taken_back, problem, is_read)


def answer_latest(path: str, listing: bytes, answers: Mapping[Need, bytes | None]) -> Latest | Need:
    """The same rule without a pause: the answer, or the first document that is not among the answers yet."""
    rule = find_latest(path, listing)
    try:
        need = next(rule)
        while need in answers:
            need = rule.send(answers[need])
    except StopIteration as end:
        latest: Latest = end.value
        return latest
    return need


def reasons(version: str, retractions: Iterable[Retraction]) -> tuple[str, ...]:
    """Why this version is retracted, in the order of go.mod; empty when it is not, NO_REASON when nobody said."""
    return RetractedRanges(retractions).reasons([version]).get(version, ())


def tagged_versions(listing: bytes) -> list[str]:
    """The versions of `@v/list` in order: the first word of each line, without invalid and pseudo ones."""
    found = [words[0] for words in _lines(listing) if is_valid(words[0]) and not is_pseudo(words[0])]
    return sorted(found, key=order_key)


class _Module:
    """One module while its latest is sought: what is known of it, and what was answered."""

    def __init__(self, path: str, listing: bytes) -> None:
        self.path = path
        self.listing = listing
        self.tagged = tagged_versions(listing)
        self.ranges = RetractedRanges()
        self.answers: dict[Need, bytes | None] = {}

    def ask(self, need: Need) -> Generator[Need, bytes | None, bytes | None]:
        if need not in self.answers:
            self.answers[need] = yield need
        return self.answers[need]

    def query(self) -> _Asking:
        """The latest among what is not retracted; empty for none, Malformed where the go command gives up."""
        versions = yield from self.candidates()
        if versions:
            return next((v for v in reversed(versions) if not is_prerelease(v)), versions[-1])
        answer = yield from self.ask(Need("latest"))
        version = _newest(self.listing) if answer is None else _info_version(answer)
        return "" if self.ranges.cover(version) else version

    def candidates(self) -> Generator[Need, bytes | None, list[str]]:
        """Tagged versions that count, ascending: incompatible ones only behind a version without go.mod."""
        chosen: list[str] = []
        compatible = ""
        for version in self.tagged:
            if self.ranges.cover(version):
                continue
            if not is_incompatible(version):
                compatible = version
            elif compatible and (yield from self.has_go_mod(compatible)):
                break
            chosen.append(version)
        return chosen

    def has_go_mod(self, version: str) -> Generator[Need, bytes | None, bool]:
        body = yield from self.ask(Need("mod", version))
        if body is None:
            raise Malformed(f"no .mod of {version}")
        return not is_synthetic(self.path, body)


def _read(version: str, body: bytes | None) -> tuple[GoMod, str]:
    """The go.mod of the raw latest, whatever path it declares; an empty one with the reason where there is none."""
    if body is None:
        return GoMod(), f"no .mod of {version}"
    try:
        return parse_lax(body), ""
    except Malformed as error:
        return GoMod(), f"{version}: {error.reason}"


def _info_version(answer: bytes) -> str:
    try:
        version = msgspec.json.decode(answer, type=_Info).Version
    except DECODE_ERRORS:
        raise Malformed("unreadable answer of @latest") from None
    if not is_valid(version):
        raise Malformed(f"@latest names an invalid version: {version[:60]!r}")
    return version


def _newest(listing: bytes) -> str:
    """The line with the latest time: its second word, or a pseudo-version's own; the first one of equals."""
    best, best_time = "", _YEAR_ONE
    for words in _lines(listing):
        if is_valid(words[0]) and (time := _line_time(words)) > best_time:
            best, best_time = words[0], time
    return best


def _line_time(words: list[str]) -> int:
    if len(words) > 1:
        try:
            return nanoseconds(words[1])
        except Malformed:
            return _YEAR_ONE
    stated = parse_pseudo(words[0]).time if is_pseudo(words[0]) else None
    return datetime_nanoseconds(stated) if stated else _YEAR_ONE


def _lines(listing: bytes) -> Iterator[list[str]]:
    """The words of each line that has any; of a long line, which names no version, nothing."""
    if listing.count(b"\n") > MOST_LINES:
        raise Malformed(f"the list of versions has more than {MOST_LINES} lines", FailureCode.TOO_LARGE)
    start = 0
    while start < len(listing):
        end = listing.find(b"\n", start)
        end = len(listing) if end < 0 else end
        if end - start <= LONGEST_LINE and (words := fields(listing[start:end].decode("utf-8", "replace"))):
            yield words
        start = end + 1
