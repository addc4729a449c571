"""Cargo.lock to packages: formats 1 to 4, by the TOML parser and nothing looser."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from stook.engine.errors import FailureCode, Malformed
from stook.registries.cargo.locks.readings import LockedPackage, Origin

__all__ = ["parse_lock"]

NEWEST = 4
LONGEST_LINE = 2_000  # characters; the TOML parser's time grows with the square of a dotted key
CONFLICT = re.compile(r"^(<{7}|={7}|>{7})( |$)", re.MULTILINE)
PUBLIC = frozenset({"registry+https://github.com/rust-lang/crates.io-index", "sparse+https://index.crates.io"})


def parse_lock(text: str | bytes, *, index_url: str) -> tuple[LockedPackage, ...]:
    """The packages of a lock in its order; `[[patch.unused]]` are none. Raises Malformed.

    A package is the registry's if its source is crates.io, as cargo writes it in either protocol, or `index_url`.
    """
    lock = _tables(text)
    ours = PUBLIC | {f"{kind}+{index_url.rstrip('/')}" for kind in ("sparse", "registry")}
    checksums = lock.get("metadata", {})
    rows = list(_rows(lock))
    direct = _direct(rows)
    packages = tuple(_package(row, checksums, ours, direct) for row in rows)
    seen: set[tuple[str, str, str]] = set()
    for package in packages:
        if (key := (package.name, package.version, package.source)) in seen:
            raise Malformed(f"Cargo.lock: package {package.name[:100]} {package.version[:50]} is specified twice")
        seen.add(key)
    return packages


def _direct(rows: Iterable[Mapping[str, Any]]) -> frozenset[tuple[str, str]] | None:
    """What the project's own packages require, as name and version, empty where the name says enough.

    None where a lock names no package of the project, or none that requires anything: it does not tell then.
    """
    own = [row.get("dependencies", []) for row in rows if not row.get("source")]
    named = [text.split() for some in own if isinstance(some, list) for text in some if isinstance(text, str)]
    if not named:
        return None
    return frozenset((words[0], words[1] if len(words) > 1 else "") for words in named if words)


def _tables(text: str | bytes) -> dict[str, Any]:
    try:
        plain = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        if any(len(line) > LONGEST_LINE for line in plain.splitlines()):
            reason = f"Cargo.lock cannot be read: a line of more than {LONGEST_LINE} characters"
            raise Malformed(reason, FailureCode.TOO_LARGE)
        if marker := CONFLICT.search(plain):
            line = plain.count("\n", 0, marker.start()) + 1
            raise Malformed(f"Cargo.lock has conflict markers (line {line}): a merge is not finished")
        lock = tomllib.loads(plain)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Malformed(f"Cargo.lock cannot be read: {str(error)[:200]}") from error
    version = lock.get("version", 1)
    if not isinstance(version, int) or not 1 <= version <= NEWEST:
        raise Malformed(f"Cargo.lock has format {str(version)[:20]}; formats 1 to {NEWEST} are known")
    return lock


def _rows(lock: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The oldest locks keep the project itself in `[root]`; all others are `[[package]]`."""
    rows = lock.get("package", [])
    if "root" in lock:
        yield _row(lock["root"])
    if not isinstance(rows, list):
        raise Malformed("Cargo.lock: package is not a list of tables")
    for row in rows:
        yield _row(row)


def _row(row: Any) -> Mapping[str, Any]:
    if not isinstance(row, Mapping) or not all(isinstance(row.get(key), str) for key in ("name", "version")):
        raise Malformed("Cargo.lock has a package without a name or a version")
    if not all(isinstance(row.get(key, ""), str) for key in ("source", "checksum")):
        raise Malformed(f"Cargo.lock: the source or checksum of {row['name'][:100]} is not a text")
    return row


def _package(
    row: Mapping[str, Any], checksums: Any, ours: frozenset[str], direct: frozenset[tuple[str, str]] | None
) -> LockedPackage:
    name, version, source = row["name"], row["version"], row.get("source", "")
    checksum = row.get("checksum") or _old_checksum(checksums, f"checksum {name} {version} ({source})")
    is_direct = None if direct is None else not direct.isdisjoint({(name, version), (name, "")})
    return LockedPackage(name, version, source, checksum, _origin(source, ours), is_direct)


def _old_checksum(checksums: Any, key: str) -> str:
    """Format 1 keeps checksums in `[metadata]`, and `<none>` for what has none."""
    found = checksums.get(key, "") if isinstance(checksums, Mapping) else ""
    return found if isinstance(found, str) and found != "<none>" else ""


def _origin(source: str, ours: frozenset[str]) -> Origin:
    if not source:
        return Origin.PATH
    if source.rstrip("/") in ours:
        return Origin.REGISTRY
    return Origin.GIT if source.startswith("git+") else Origin.OTHER_REGISTRY
