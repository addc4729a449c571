"""OSV records for tests, as the JSON that a database would publish."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from stook.advisories import Advisories, PackageVersion, decode_record
from stook.advisories.osv import OsvRecord

from .orders import ORDERS  # noqa: TID252

Fields = Mapping[str, Any]


def affected(name: str = "lamp", *events: Fields, ecosystem: str = "crates.io", **more: Any) -> dict[str, Any]:
    """One affected entry with one range of these events; none without events."""
    ranges = [{"type": "SEMVER", "events": list(events)}] if events else []
    return {"package": {"ecosystem": ecosystem, "name": name}, "ranges": ranges, **more}


def data(id: str = "RUSTSEC-2024-0001", *entries: Fields, **more: Any) -> bytes:
    """A record's bytes."""
    return json.dumps({"id": id, "modified": "2024-05-01T12:00:00Z", "affected": list(entries), **more}).encode()


def record(id: str = "RUSTSEC-2024-0001", *entries: Fields, **more: Any) -> OsvRecord:
    return decode_record(data(id, *entries, **more))


def advisories(*records: OsvRecord) -> Advisories:
    return Advisories.from_records(records, ORDERS)


def crate(name: str, version: str) -> PackageVersion:
    return PackageVersion("crates.io", name, version)


def module(name: str, version: str) -> PackageVersion:
    return PackageVersion("Go", name, version)


def found(known: Advisories, packages: Iterable[PackageVersion]) -> list[tuple[str, str, str]]:
    """Version, advisory and certainty of each finding."""
    return [(one.package.version, one.advisory.id, str(one.certainty)) for one in known.find_all(packages)]
