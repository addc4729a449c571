"""The facts of locks about crates, as the index's events keep them: `locks`, by project and tag, the versions named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from stook.engine.ledger.schema import POLL
from stook.registries.cargo.locks.readings import How, LockReading
from stook.registries.cargo.names import canonical, is_crate_name
from stook.registries.store import decoded

__all__ = ["lock_facts", "named_before", "pins_of", "tags_of"]

Locks = Mapping[str, Mapping[str, Sequence[str]]]  # project to tag to versions; a tag that names none has an empty list


def lock_facts(reading: LockReading, before: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """Of each crate that a lock names, and of those it named `before`: the facts to announce, of every tag read.

    A tag read again replaces what it told last time; tags that were not read, or failed, keep it.
    """
    read = [tag.tag for tag in reading.readings if tag.how is not How.FAILED]
    by_crate: dict[str, dict[str, list[str]]] = {name: {tag: [] for tag in read} for name in before}
    for crate in reading.crates.values():
        if not is_crate_name(crate.name):  # a lock is somebody else's text
            continue
        tags = by_crate.setdefault(canonical(crate.name), {tag: [] for tag in read})
        for version, some in crate.versions.items():
            for tag in some:
                tags[tag].append(version)
    return {name: {"locks": {reading.project: tags}} for name, tags in by_crate.items()}


def named_before(connection: sa.Connection, queue: str, reading: LockReading) -> list[str]:
    """Crates that these tags of the project named when they were read before, whether or not they still do."""
    read = [tag.tag for tag in reading.readings if tag.how is not How.FAILED]
    facts = POLL.c["FACTS"]
    rows = connection.execute(sa.select(POLL.c["NAME"], facts).where(POLL.c["QUEUE"] == queue, facts.is_not(None)))
    named = {name: decoded(packed).get("locks", {}).get(reading.project, {}) for name, packed in rows}
    return sorted(name for name, tags in named.items() if any(tags.get(tag) for tag in read))


def tags_of(locks: Locks) -> dict[str, list[str]]:
    """For each project the tags whose lock names the crate; of one that no longer does, none."""
    return {project: sorted(tag for tag, versions in tags.items() if versions) for project, tags in locks.items()}


def pins_of(locks: Locks) -> dict[str, dict[str, list[str]]]:
    """For each project the versions named, each with its tags."""
    pins: dict[str, dict[str, list[str]]] = {project: {} for project in locks}
    for project, tags in locks.items():
        for tag, versions in sorted(tags.items()):
            for version in versions:
                pins[project].setdefault(version, []).append(tag)
    return pins
