"""Reading a crate's index file: one JSON line a version, of every generation the index has seen."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from stook.engine.decoding import DECODE_ERRORS, storable
from stook.engine.errors import FailureCode, Malformed
from stook.registries.cargo.names import canonical, is_crate_name
from stook.registries.cargo.records import Release, Unreadable
from stook.registries.cargo.semver import parse_semver
from stook.registries.cargo.values import moment

__all__ = ["IndexFile", "read_index_file"]

NEWEST_SCHEMA = 2  # cargo skips lines of a higher `v`
LONGEST_VERSION = 240  # what VERSION holds, and room for the mark of a second line about it
LONGEST_LINE = 4 << 20  # bytes; the longest real line has a quarter of a megabyte, and a database has its limits, too
MOST_LINES = 100_000  # the crate with the most versions has a few thousand
MOST_UNREADABLE = 2_000  # lines kept aside; a file with more of them is not an index file
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CHECKSUM = re.compile(r"[0-9A-Fa-f]{64}")
_RUST_VERSION = re.compile(r"[!-~]{0,64}")


class _Dependency(msgspec.Struct, gc=False):
    name: str
    req: str
    features: list[str] | None = None
    optional: bool | None = None
    default_features: bool | None = None
    target: str | None = None
    kind: str | None = None
    package: str | None = None
    registry: str | None = None


class _Line(msgspec.Struct, gc=False):
    name: str
    vers: str
    deps: list[_Dependency]
    cksum: str
    features: dict[str, list[str]] | None = None
    features2: dict[str, list[str]] | None = None
    yanked: bool | None = None
    links: str | None = None
    v: int | None = None
    rust_version: str | None = None
    pubtime: str | None = None


class _Named(msgspec.Struct, gc=False):
    """As much of a broken line as tells which version it means."""

    name: str
    vers: str
    v: Any = None


@dataclass(frozen=True, slots=True)
class IndexFile:
    """What a crate's index file says; `unreadable` holds every line that is no release.

    `is_torn`: it ends within a line, so more of it is missing. `is_foreign`: no line tells of the crate; the registry
    removes the file of a crate without versions. Neither says that what is not in it is gone.
    """

    releases: Sequence[Release]
    unreadable: Sequence[Unreadable]
    is_torn: bool = False
    is_foreign: bool = False


_decode = msgspec.json.Decoder(_Line).decode
_decode_named = msgspec.json.Decoder(_Named).decode
_encode = msgspec.json.Encoder().encode


def read_index_file(name: str, body: bytes) -> IndexFile:
    """Every line of the file of `name`; of two lines for one version the later counts, as in cargo.

    Raises Malformed with the code `too_large` for a file with more lines, or more unreadable ones, than a crate has.
    """
    releases: dict[str, Release] = {}
    unreadable: list[Unreadable] = []
    for line in _lines(body):
        read = _read_line(name, line)
        if isinstance(read, Unreadable):
            unreadable.append(read)
            if len(unreadable) > MOST_UNREADABLE:
                reason = f"more than {MOST_UNREADABLE} unreadable lines, the first: {unreadable[0].reason}"
                raise Malformed(reason, FailureCode.TOO_LARGE)
            continue
        earlier = releases.get(read.version)
        if earlier is not None and earlier.digest != read.digest:
            unreadable.append(_superseded(earlier))
        releases[read.version] = read
    is_foreign = not releases and not any(_tells_of(name, line) for line in _lines(body))
    return IndexFile(tuple(releases.values()), _distinct(unreadable, releases), _is_torn(body), is_foreign)


def _lines(body: bytes) -> Iterator[bytes]:
    """The lines that are not blank, one at a time: a hostile file may have millions."""
    start, count = len(_BYTE_ORDER_MARK) if body.startswith(_BYTE_ORDER_MARK) else 0, 0
    while start < len(body):
        end = body.find(b"\n", start)
        end = len(body) if end < 0 else end
        line = body[start:end]
        start, count = end + 1, count + 1
        if count > MOST_LINES:
            raise Malformed(f"more than {MOST_LINES} lines", FailureCode.TOO_LARGE)
        if line.strip():
            yield line


def _is_torn(body: bytes) -> bool:
    """A last line may lack its end, but not a part of itself."""
    last = body.rpartition(b"\n")[2]
    try:
        msgspec.json.decode(last, type=msgspec.Raw)
    except DECODE_ERRORS:
        return bool(last.strip())
    return False


def _tells_of(name: str, raw: bytes) -> bool:
    try:
        return canonical(_decode_named(raw).name) == name
    except DECODE_ERRORS:
        return False


def _read_line(name: str, raw: bytes) -> Release | Unreadable:
    digest = hashlib.sha256(raw).digest()[:16]
    if len(raw) > LONGEST_LINE:
        return Unreadable(_anonymous(digest), f"a line of {len(raw)} bytes", digest, may_be_any=True)
    try:
        line = _decode(storable(raw))
    except DECODE_ERRORS as error:
        return _broken(raw, digest, str(error))
    semver = parse_semver(line.vers)
    if semver is None:
        return Unreadable(_anonymous(digest), f"not a semantic version: {line.vers[:80]!r}", digest)
    if reason := _objection(name, line):
        return Unreadable(_place(line.vers, digest), reason, digest)
    try:
        return _release(line, semver.key, semver.is_prerelease, digest)
    except ValueError as error:
        return Unreadable(line.vers, str(error), digest)


def _release(line: _Line, key: bytes, is_prerelease: bool, digest: bytes) -> Release:
    return Release(
        version=line.vers,
        display_name=line.name,
        key=key,
        is_prerelease=is_prerelease,
        yanked=bool(line.yanked),
        checksum=line.cksum,
        dependencies=_dependencies(line.deps),
        features=_encode(_merged_features(line.features, line.features2)).decode(),
        links=line.links,
        rust_version=line.rust_version,
        published=moment(line.pubtime),
        digest=digest,
    )


def _objection(name: str, line: _Line) -> str | None:
    if canonical(line.name) != name or not is_crate_name(line.name):
        return f"the line is about another crate: {line.name[:80]!r}"
    if (line.v or 1) > NEWEST_SCHEMA:
        return f"index schema {line.v} is newer than this program reads ({NEWEST_SCHEMA})"
    if len(line.vers) > LONGEST_VERSION:
        return f"a version of {len(line.vers)} characters is longer than this program keeps ({LONGEST_VERSION})"
    if not _CHECKSUM.fullmatch(line.cksum):
        return f"not a SHA-256 checksum: {line.cksum[:80]!r}"
    if not _RUST_VERSION.fullmatch(line.rust_version or ""):
        return f"not a rust_version: {line.rust_version or '':.80}"
    return None


def _dependencies(deps: list[_Dependency]) -> str:
    """JSON, sorted by kind, name and requirement; the index's own order decides the rest."""
    rows = [
        {
            "name": dep.name,
            "package": dep.package or dep.name,
            "req": dep.req,
            "kind": dep.kind if dep.kind in ("build", "dev") else "normal",  # as cargo reads any other kind
            "optional": bool(dep.optional),
            "default_features": dep.default_features is not False,
            "features": dep.features or [],
            "target": dep.target,
            "registry": dep.registry,
        }
        for dep in deps
    ]
    rows.sort(key=lambda row: (row["kind"], row["name"], row["req"]))
    return _encode(rows).decode()


def _merged_features(features: dict[str, list[str]] | None, newer: dict[str, list[str]] | None) -> dict[str, list[str]]:
    """`features2` holds what old cargo could not read; a key in both lists its values of both."""
    if not newer:
        return features or {}
    merged = dict(features or {})
    for key, values in newer.items():
        merged[key] = merged.get(key, []) + values
    return merged


def _broken(raw: bytes, digest: bytes, reason: str) -> Unreadable:
    """A line that is not what an index line should be; kept under its version where that can be told."""
    try:
        named = _decode_named(storable(raw))
    except DECODE_ERRORS:
        return Unreadable(_anonymous(digest), f"unreadable index line: {reason[:200]}", digest, may_be_any=True)
    return Unreadable(
        _place(named.vers, digest), f"unreadable index line for {named.vers[:80]!r}: {reason[:200]}", digest
    )


def _superseded(earlier: Release) -> Unreadable:
    name = f"{earlier.version}#{earlier.digest.hex()[:12]}"
    return Unreadable(name, f"a later line of the file is about {earlier.version} too; that one counts", earlier.digest)


def _place(version: str, digest: bytes) -> str:
    """Where a line that is no release is kept: under its version, if it has one that we keep."""
    return version if len(version) <= LONGEST_VERSION and parse_semver(version) else _anonymous(digest)


def _anonymous(digest: bytes) -> str:
    return f"line-{digest.hex()[:16]}"


def _distinct(unreadable: Sequence[Unreadable], releases: dict[str, Release]) -> tuple[Unreadable, ...]:
    """One entry a version; a version that another line tells well keeps its place."""
    chosen: dict[str, Unreadable] = {}
    for one in unreadable:
        taken = one.version in releases or one.version in chosen
        version = f"{one.version}#{one.digest.hex()[:12]}" if taken else one.version
        chosen[version] = replace(one, version=version)
    return tuple(chosen.values())
