"""What a Go project pins: read from its files or a URL, written as rows, and compared with what the proxy has."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import sqlalchemy as sa

from stook.engine.alone import visit_alone
from stook.engine.errors import FailureCode, Unavailable, UserError
from stook.engine.ledger import Ledger, chunks
from stook.engine.words import Announcement, Code, Found, Reply, Request, Visit
from stook.registries.golang.keep.rows import KEY, rows_of
from stook.registries.golang.locks import LIMIT, GoLock, read_folder, read_text
from stook.registries.golang.queues import MODULE, VERSIONS
from stook.registries.golang.tables import GO_VERSION
from stook.registries.store import REGISTRY, Pin, PinnedProject, pins_of, write_pins
from stook.run.build import open_door
from stook.run.report import Report
from stook.settings import Settings

__all__ = ["GoProject", "announcements_of", "check_pins", "read_project", "record_pins"]

LANGUAGE = KEY[0]
SENTENCES = {
    "unknown_package": "the proxy has no such module",
    "unknown_version": "the proxy does not have this version",
    "deleted": "the proxy no longer has this version",
    "checksum_differs": "go.sum has another checksum of its go.mod than the proxy's file gives",
    "retracted": "its author has retracted this version",
}


class GoProject(NamedTuple):
    """A project and what it pins."""

    project: PinnedProject
    lock: GoLock


class _Stored(NamedTuple):
    mod_sum: str | None
    is_retracted: bool
    is_gone: bool


def read_project(settings: Settings, spec: str, name: str) -> GoProject:
    """The project at a path or the http(s) URL of one file. Raises UserError, or what the door and the file raise."""
    if "://" not in spec:
        path = Path(spec).expanduser().resolve()
        lock = read_folder(path)
        origin = str(path if path.is_dir() else path.parent)
        return GoProject(_project(name or lock.name or path.name, origin), lock)
    if urlsplit(spec).scheme not in ("http", "https"):
        raise UserError(
            "--lock takes a path, or the http or https URL of a go.mod or of the output of `go list -m all`"
        )
    body = asyncio.run(_fetch(settings, spec))
    file = urlsplit(spec).path.rpartition("/")[2]
    lock = read_text(file, body)
    return GoProject(_project(name or lock.name or file, re.sub(r"//[^/@\s]+@", "//", spec.partition("?")[0])), lock)


async def _fetch(settings: Settings, url: str) -> bytes:
    def visit() -> Visit:
        reply: Reply = yield Request(url, accept="text/plain", max_bytes=LIMIT)
        if reply.status != 200:
            raise Unavailable(f"HTTP {reply.status}", status=reply.status)
        return Found(records=[reply.body])

    async with open_door(settings) as door:
        found = await visit_alone(visit(), door)
    return bytes(found.records[0])


def record_pins(ledger: Ledger, project: GoProject) -> None:
    """Write a row for each module that is pinned."""
    pins = [
        Pin(each.path, each.version, "path" if each.is_local else REGISTRY, each.mod_sum, each.is_direct)
        for each in project.lock.modules
    ]
    ledger.write(lambda transaction: write_pins(transaction, LANGUAGE, project.project, {"": pins}, ledger.clock.now()))


def announcements_of(project: GoProject, *, resync: bool) -> list[Announcement]:
    """The modules pinned, and the very versions: a list does not name pseudo-versions."""
    told: list[Announcement] = []
    for path in sorted({each.path for each in project.lock.modules if not each.is_local}):
        facts = {"collect": True}
        told.append(
            Announcement(MODULE.name, path, source="go-lock", urgent=True, fresh_for=0.0, resync=resync, facts=facts)
        )
    for each in project.lock.modules:
        if not each.is_local:
            told.append(Announcement(VERSIONS.name, each.path, each.version, "go-lock", urgent=True))
    return told


def check_pins(ledger: Ledger, project: GoProject, report: Report) -> None:
    """Give each pin its state, and list those that the proxy does not have so as failures."""
    with ledger.reading() as connection:
        pins = [pin for _, pin in pins_of(connection, LANGUAGE, project.project, [""])]
        names = sorted({pin.package for pin in pins if pin.source == REGISTRY})
        stored, unknown = _stored(connection, names), _unknown(connection, names)
    checked = [replace(pin, state=_state(pin, stored, unknown)) for pin in pins]
    ledger.write(
        lambda transaction: write_pins(transaction, LANGUAGE, project.project, {"": checked}, ledger.clock.now())
    )
    for pin in checked:
        if pin.state in SENTENCES:
            reason = f"{SENTENCES[pin.state]}; {project.project.name} pins it"
            report.fail(f"{pin.package}@{pin.version}", FailureCode.PIN, reason)
    states = Counter(pin.state for pin in checked if pin.state)
    if states:
        report.notes["pins"] = dict(sorted(states.items()))


def _state(pin: Pin, stored: dict[tuple[str, str], _Stored], unknown: set[str]) -> str:
    if pin.source != REGISTRY:
        return ""
    row = stored.get((pin.package, pin.version))
    if row is None:
        is_known = any(path == pin.package for path, _ in stored)
        return "unknown_version" if is_known else "unknown_package" if pin.package in unknown else ""
    if row.is_gone:
        return "deleted"
    if pin.checksum and row.mod_sum and pin.checksum != row.mod_sum:
        return "checksum_differs"
    return "retracted" if row.is_retracted else "ok"


def _stored(connection: sa.Connection, paths: Sequence[str]) -> dict[tuple[str, str], _Stored]:
    column = GO_VERSION.c
    wanted = [column[name] for name in ("PRODUCT_KEY", "VERSION", "MOD_SUM", "RETRACTED", "PROCESSED")]
    found: dict[tuple[str, str], _Stored] = {}
    for part in chunks(paths, 300):
        for path, version, mod_sum, retracted, processed in connection.execute(
            sa.select(*wanted).where(*rows_of(GO_VERSION, part))
        ):
            found[path, version] = _Stored(mod_sum, bool(retracted), processed == Code.NOT_FOUND)
    return found


def _unknown(connection: sa.Connection, paths: Sequence[str]) -> set[str]:
    """Modules that the proxy was asked for and does not have."""
    column, found = MODULE.table.c, set[str]()
    for part in chunks(paths, 500):
        ids = [MODULE.id_of(path, "") for path in part]
        rows = sa.select(column["NAME"]).where(column["ID"].in_(ids), column["PROCESSED"] == Code.NOT_FOUND)
        found.update(connection.execute(rows).scalars())
    return found


def _project(name: str, origin: str) -> PinnedProject:
    plain = origin.encode("ascii", errors="backslashreplace").decode()
    return PinnedProject(name, plain[:1024])
