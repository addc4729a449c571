"""What the locks of a project pin: written as rows, and compared with what the registry has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import sqlalchemy as sa

from stook.engine.errors import FailureCode
from stook.engine.ledger import Ledger, chunks
from stook.engine.words import Code
from stook.registries.cargo.keep.snapshots import LANGUAGE, keep_marks
from stook.registries.cargo.locks.child import without_credentials
from stook.registries.cargo.locks.project import UNTAGGED
from stook.registries.cargo.locks.readings import How, LockedPackage, LockReading, Origin
from stook.registries.cargo.names import canonical, is_crate_name
from stook.registries.cargo.sources import INDEX
from stook.registries.cargo.tables import RUST_LIST
from stook.registries.store import REGISTRY, Pin, PinnedProject, packages_of, pins_of, write_pins
from stook.run.report import Report

__all__ = ["check_pins", "record_pins"]

LONGEST_NAME, LONGEST_SOURCE = 512, 512  # what the columns hold
SENTENCES = {
    "unknown_package": "the registry has no such crate",
    "unknown_version": "the registry does not have this version",
    "deleted": "the registry no longer has this version",
    "checksum_differs": "the lock has another checksum than the registry",
    "yanked": "this version is yanked",
}


class _Listed(NamedTuple):
    """A version as the registry has it."""

    checksum: str | None
    is_yanked: bool
    is_gone: bool


def record_pins(ledger: Ledger, reading: LockReading) -> list[str]:
    """Write the pins of every tag that was read; the crates that these tags name, or named when last read."""
    project = _project(reading)
    read = {_tag(tag.tag): list(_pins(tag.packages)) for tag in reading.readings if tag.how is not How.FAILED}
    with ledger.reading() as connection:
        before = packages_of(connection, LANGUAGE, project, list(read))
    ledger.write(lambda transaction: write_pins(transaction, LANGUAGE, project, read, ledger.clock.now()))
    now = {pin.package for pins in read.values() for pin in pins if pin.source == REGISTRY}
    names = sorted(now.union(before))
    for part in chunks(names, 500):
        ledger.write(lambda transaction, part=part: keep_marks(transaction, part, ledger.clock.now()))  # type: ignore[misc]
    return names


def check_pins(ledger: Ledger, reading: LockReading, report: Report) -> None:
    """Give each pin its state, and list those that the registry does not have so as failures."""
    project = _project(reading)
    tags = [_tag(tag.tag) for tag in reading.readings if tag.how is not How.FAILED]
    with ledger.reading() as connection:
        pins = pins_of(connection, LANGUAGE, project, tags)
        names = sorted({pin.package for _, pin in pins if pin.source == REGISTRY})
        listed, unknown = _listed(connection, names), _unknown(connection, names)
    checked: dict[str, list[Pin]] = {tag: [] for tag in tags}
    for tag, pin in pins:
        checked[tag].append(replace(pin, state=_state(pin, listed, unknown)))
    if any(pin.state != before.state for tag, before in pins for pin in checked[tag] if _is_same(pin, before)):
        ledger.write(lambda transaction: write_pins(transaction, LANGUAGE, project, checked, ledger.clock.now()))
    _report(report, project, checked)


def _is_same(pin: Pin, other: Pin) -> bool:
    return (pin.package, pin.version, pin.source) == (other.package, other.version, other.source)


def _report(report: Report, project: PinnedProject, checked: Mapping[str, Sequence[Pin]]) -> None:
    """One failure for each version that is not as it should be, with the tags that pin it."""
    wrong: dict[tuple[str, str, str], list[str]] = {}
    states: Counter[str] = Counter()
    for tag, pins in checked.items():
        for pin in pins:
            states[pin.state] += 1
            if pin.state in SENTENCES:
                wrong.setdefault((pin.package, pin.version, pin.state), []).append(tag or UNTAGGED)
    for (package, version, state), tags in sorted(wrong.items()):
        where = f"{project.name} pins it at {', '.join(tags[:5])}{' …' if len(tags) > 5 else ''}"
        report.fail(f"{package}@{version}", FailureCode.PIN, f"{SENTENCES[state]}; {where}")
    if told := {state: count for state, count in sorted(states.items()) if state}:
        report.notes["pins"] = told


def _state(pin: Pin, listed: Mapping[tuple[str, str], _Listed], unknown: set[str]) -> str:
    """Empty where the crate could not be looked at, or is not of the registry."""
    if pin.source != REGISTRY:
        return ""
    row = listed.get((pin.package, pin.version))
    if row is None:
        if pin.package in unknown:
            return "unknown_package"
        return "unknown_version" if any(name == pin.package for name, _ in listed) else ""
    if row.is_gone:
        return "deleted"
    if pin.checksum and row.checksum and pin.checksum.lower() != row.checksum.lower():
        return "checksum_differs"
    return "yanked" if row.is_yanked else "ok"


def _listed(connection: sa.Connection, names: Sequence[str]) -> dict[tuple[str, str], _Listed]:
    """All versions of these crates."""
    column = RUST_LIST.c
    wanted = [column[name] for name in ("CRATE_NAME", "VERSION", "CHECKSUM", "YANKED", "DELETED_AT")]
    found: dict[tuple[str, str], _Listed] = {}
    for part in chunks(names, 500):
        rows = connection.execute(sa.select(*wanted).where(column["CRATE_NAME"].in_(part)))
        for name, version, checksum, yanked, deleted_at in rows:
            found[name, version] = _Listed(checksum, bool(yanked), deleted_at is not None)
    return found


def _unknown(connection: sa.Connection, names: Sequence[str]) -> set[str]:
    """Crates that the index was asked for and does not have."""
    found: set[str] = set()
    column = INDEX.table.c
    for part in chunks(names, 500):
        ids = [INDEX.id_of(name, "") for name in part]
        rows = sa.select(column["NAME"]).where(column["ID"].in_(ids), column["PROCESSED"] == Code.NOT_FOUND)
        found.update(connection.execute(rows).scalars())
    return found


def _pins(packages: Sequence[LockedPackage]) -> Iterator[Pin]:
    for package in packages:
        is_ours = package.origin is Origin.REGISTRY and is_crate_name(package.name)
        name = canonical(package.name) if is_ours else _ascii(package.name, LONGEST_NAME)
        version, source = _ascii(package.version, 255), _source(package)
        yield Pin(name, version, source, _ascii(package.checksum, 128), package.is_direct)


def _source(package: LockedPackage) -> str:
    """`registry`, `git`, `path`, or the URL of another registry."""
    if package.origin is Origin.OTHER_REGISTRY:
        return _ascii(without_credentials(package.source), LONGEST_SOURCE)
    return package.origin.value


def _ascii(text: str, most: int) -> str:
    """A lock is somebody else's text; the columns hold ASCII."""
    return text.encode("ascii", errors="backslashreplace").decode()[:most]


def _project(reading: LockReading) -> PinnedProject:
    return PinnedProject(reading.project, reading.origin)


def _tag(tag: str) -> str:
    return "" if tag == UNTAGGED else _ascii(tag, 255)
