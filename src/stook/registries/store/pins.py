"""What locks name: one row for each version that a project pins at a tag, and the marks that follow from the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from stook.engine.ledger import Transaction, chunks
from stook.registries.store.schema import PIN

__all__ = [
    "FOLDER_TAG",
    "REGISTRY",
    "Marks",
    "Pin",
    "PinnedProject",
    "marks_of",
    "packages_of",
    "pins_of",
    "write_pins",
]

REGISTRY = "registry"
"""SOURCE of a pin whose package is of the registry itself; other sources are `git`, `path`, or a registry's URL."""
FOLDER_TAG = "untagged"
"""Stands in marks for the empty TAG of a folder."""
COLUMNS = "ORIGIN TAG LANGUAGE PRODUCT_KEY VERSION SOURCE PROJECT CHECKSUM DIRECT STATE SEEN_AT".split()
Marks = dict[str, dict[str, list[str]]]
"""Version to project to tags."""


@dataclass(frozen=True, slots=True)
class PinnedProject:
    """A project: its name, and where it is, a URL or path with its folder, to tell projects of one name apart."""

    name: str
    origin: str


@dataclass(frozen=True, slots=True)
class Pin:
    """A package that a lock names. `is_direct` is None where the lock does not tell, `state` empty before a check."""

    package: str
    version: str
    source: str = REGISTRY
    checksum: str = ""
    is_direct: bool | None = None
    state: str = ""


def write_pins(
    transaction: Transaction, language: str, project: PinnedProject, tags: Mapping[str, Iterable[Pin]], now: datetime
) -> None:
    """Make the rows of these tags of a project say what their locks name now; other tags keep theirs.

    Rows of a database before there were origins have the project's name for one, and are replaced.
    """
    for tag, pins in tags.items():
        ours = PIN.c["ORIGIN"].in_([project.origin, project.name])
        transaction.execute(sa.delete(PIN).where(ours, PIN.c["TAG"] == tag, PIN.c["LANGUAGE"] == language))
        seen = transaction.moment(now)
        rows = {
            (pin.package, pin.version, pin.source): (
                *(project.origin, tag, language, pin.package, pin.version, pin.source, project.name),
                *(pin.checksum or None, None if pin.is_direct is None else int(pin.is_direct), pin.state or None, seen),
            )
            for pin in pins
        }
        transaction.insert_missing(PIN, COLUMNS, list(rows.values()))


def packages_of(connection: sa.Connection, language: str, project: PinnedProject, tags: Sequence[str]) -> list[str]:
    """The packages of the registry that these tags of a project name."""
    column = PIN.c
    ours = column["ORIGIN"].in_([project.origin, project.name])
    rows = sa.select(column["PRODUCT_KEY"]).where(ours, column["LANGUAGE"] == language, column["TAG"].in_(tags))
    return list(connection.execute(rows.where(column["SOURCE"] == REGISTRY).distinct()).scalars())


def pins_of(
    connection: sa.Connection, language: str, project: PinnedProject, tags: Sequence[str]
) -> list[tuple[str, Pin]]:
    """The rows of these tags of a project: tag and pin."""
    names = ("TAG", "PRODUCT_KEY", "VERSION", "SOURCE", "CHECKSUM", "DIRECT", "STATE")
    column = PIN.c
    rows = sa.select(*(column[name] for name in names)).where(
        column["ORIGIN"] == project.origin, column["LANGUAGE"] == language, column["TAG"].in_(tags)
    )
    return [
        (tag, Pin(package, version, source, checksum or "", None if direct is None else bool(direct), state or ""))
        for tag, package, version, source, checksum, direct, state in connection.execute(rows)
    ]


def marks_of(transaction: Transaction, language: str, packages: Sequence[str]) -> dict[str, Marks]:
    """For each package that a lock names: the versions named, with projects and tags."""
    column = PIN.c
    wanted = [column[name] for name in ("PRODUCT_KEY", "VERSION", "PROJECT", "TAG")]
    found: dict[str, Marks] = {}
    for part in chunks(list(packages), 300):
        rows = sa.select(*wanted).where(
            column["LANGUAGE"] == language, column["PRODUCT_KEY"].in_(part), column["SOURCE"] == REGISTRY
        )
        for package, version, project, tag in transaction.execute(rows.order_by(column["PROJECT"], column["TAG"])):
            tags = found.setdefault(package, {}).setdefault(version, {}).setdefault(project, [])
            if (shown := tag or FOLDER_TAG) not in tags:
                tags.append(shown)
    return found
