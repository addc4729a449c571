"""Cargo.lock (formats 1 to 4) as an inventory, with the graph of dependencies and the line of each package."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from stook.advisories.ecosystems import Ecosystem, PackageVersion
from stook.advisories.formats.inventory import Inventory, ListedPackage, Unlisted
from stook.engine.errors import Malformed

__all__ = ["read_cargo_lock"]

MAX_BYTES = 8 * 1024 * 1024  # a thousand crates take a third of one
NEWEST = 4
_CRATES_IO = frozenset({"registry+https://github.com/rust-lang/crates.io-index", "sparse+https://index.crates.io"})


def read_cargo_lock(data: bytes) -> Inventory:
    """The packages of a lock in its order. Raises Malformed; a single unreadable package goes to `unlisted`."""
    lock = _tables(data)
    rows = [lock["root"]] if "root" in lock else []
    packages = lock.get("package", [])
    if not isinstance(packages, list):
        raise Malformed("Cargo.lock: package is not a list of tables")
    lines = [0] * len(rows) + _lines(data, len(packages))
    numbered = list(zip([*rows, *packages], lines, strict=True))
    readable = [(row, line) for row, line in numbered if _is_package(row)]
    broken = [Unlisted(f"package {place + 1}", "no name or no version") for place, (row, _) in enumerate(numbered)
              if not _is_package(row)]  # fmt: skip
    places = _places([row for row, _ in readable])
    checksums = lock.get("metadata", {})
    return Inventory(tuple(_listed(row, line, places, checksums) for row, line in readable), tuple(broken))


def _tables(data: bytes) -> dict[str, Any]:
    if len(data) > MAX_BYTES:
        raise Malformed(f"Cargo.lock has more than {MAX_BYTES} bytes")
    try:
        lock = tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Malformed(f"Cargo.lock cannot be read: {str(error)[:200]}") from error
    version = lock.get("version", 1)
    if not isinstance(version, int) or not 1 <= version <= NEWEST:
        raise Malformed(f"Cargo.lock has format {str(version)[:20]}; formats 1 to {NEWEST} are known")
    return lock


def _lines(data: bytes, count: int) -> list[int]:
    """The lines of the `[[package]]` headers; zeros if they do not tally with the tables, as in a text with quotes."""
    found = [number for number, line in enumerate(data.splitlines(), 1) if line.strip() == b"[[package]]"]
    return found if len(found) == count else [0] * count


def _is_package(row: Any) -> bool:
    return isinstance(row, Mapping) and all(isinstance(row.get(key), str) for key in ("name", "version"))


def _places(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Where each package stands, by every way in which a lock refers to it; a name alone only if it is unique."""
    places: dict[str, int] = {}
    names: dict[str, int] = {}
    for place, row in enumerate(rows):
        name, version, source = row["name"], row["version"], _text(row, "source")
        names[name] = names.get(name, 0) + 1
        places |= {f"{name} {version} ({source})": place, f"{name} {version}": place, name: place}
    return {reference: place for reference, place in places.items() if names.get(reference, 1) == 1}


def _listed(row: Mapping[str, Any], line: int, places: Mapping[str, int], checksums: Any) -> ListedPackage:
    name, version, source = row["name"], row["version"], _text(row, "source")
    references = row.get("dependencies", [])
    known = (places.get(text) for text in references if isinstance(text, str)) if isinstance(references, list) else ()
    return ListedPackage(
        package=PackageVersion(Ecosystem.CRATES, name, version),
        line=line,
        checksum=_text(row, "checksum") or _old_checksum(checksums, f"checksum {name} {version} ({source})"),
        other_source="" if source.rstrip("/") in _CRATES_IO else source or "path",
        depends_on=tuple(sorted({place for place in known if place is not None})),
    )


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key, "")
    return value if isinstance(value, str) else ""


def _old_checksum(checksums: Any, key: str) -> str:
    """Format 1 keeps checksums in `[metadata]`, and `<none>` for packages that have none."""
    found = _text(checksums, key) if isinstance(checksums, Mapping) else ""
    return "" if found == "<none>" else found
