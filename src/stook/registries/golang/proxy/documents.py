"""What a version's two documents say, its `.info` and its `.mod`, as one record."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from stook.engine.decoding import DECODE_ERRORS, storable
from stook.engine.errors import Malformed
from stook.engine.words import Reply
from stook.registries.golang.gomod import GoMod, Replacement, is_synthetic, read
from stook.registries.golang.gomod.sums import mod_sum
from stook.registries.golang.records import GoRelease
from stook.registries.golang.times import moment, nanoseconds

__all__ = ["check_info", "message", "read_release"]

LONGEST_GO_VERSION = 64
LONGEST_DOCUMENT = 4 << 20  # characters of one JSON column; databases have their limits


class _Info(msgspec.Struct):
    Version: str
    Time: str | None = None
    Origin: dict[str, Any] | None = None


def read_release(path: str, version: str, info: Reply, mod: Reply) -> GoRelease:
    """The record of a version that the proxy served under this path; Malformed when `.info` is about something else."""
    told, file = check_info(info.body, version), read(mod.body)
    requires = _json(_requires(file))
    mod_error = file.note
    if len(requires) > LONGEST_DOCUMENT:
        mod_error = f"its requirements take {len(requires)} characters, more than are kept ({LONGEST_DOCUMENT})"
    origin = told.Origin or {}
    url = origin.get("URL")
    return GoRelease(
        path=path,
        version=version,
        published=_published(told.Time),
        go_version=file.go[:LONGEST_GO_VERSION],
        has_go_mod=not is_synthetic(path, mod.body),
        mod_sum=mod_sum(mod.body),
        dependencies=None if mod_error else requires,
        toolchain=file.toolchain[:LONGEST_GO_VERSION],
        replaces=_list(_replaced(replacement) for replacement in file.replaces),
        excludes=_list({"name": excluded.path, "version": excluded.version} for excluded in file.excludes),
        tools=_list(file.tools),
        mod_error=mod_error,
        origin=_json(origin) if origin else None,
        scm=_json({"type": origin.get("VCS") or "git", "url": url}) if url else None,
    )


def _requires(file: GoMod) -> list[dict[str, Any]]:
    """The requirements by name; one that the module replaces says by what."""
    replaced = {(one.old.path, one.old.version): one for one in file.replaces}
    rows = []
    for required in file.requires:
        row: dict[str, Any] = {"name": required.path, "req": required.version, "indirect": required.is_indirect}
        replacement = replaced.get((required.path, required.version)) or replaced.get((required.path, ""))
        if replacement:
            row["replaced_by"] = {"path": replacement.new.path, "version": replacement.new.version or None}
        rows.append(row)
    return sorted(rows, key=lambda row: (row["name"], row["req"]))


def _replaced(replacement: Replacement) -> dict[str, Any]:
    old, new = replacement.old, replacement.new
    return {"name": old.path, "version": old.version or None, "path": new.path, "new_version": new.version or None}


def _list(values: Iterable[Any]) -> str | None:
    """JSON text; None for an empty list, and for one that is longer than any that is kept."""
    text = _json(list(values))
    return text if 2 < len(text) <= LONGEST_DOCUMENT else None


def check_info(body: bytes, version: str) -> _Info:
    """The `.info`; Malformed unless it names the version that was asked for."""
    try:
        info = msgspec.json.decode(storable(body), type=_Info)
    except DECODE_ERRORS as error:
        raise Malformed(f"unreadable .info of {version}: {str(error)[:200]}", status=200) from None
    if info.Version != version:
        raise Malformed(f"the .info of {version} is about {info.Version[:100]!r}", status=200)
    return info


def message(reply: Reply) -> str:
    """The proxy's own words, cut."""
    return reply.body[:300].decode("utf-8", "replace").strip() or f"HTTP {reply.status}"


def _published(time: str | None) -> datetime | None:
    """A version is there though its time be nonsense."""
    try:
        return moment(nanoseconds(time)) if time else None
    except (Malformed, OverflowError):
        return None


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
