"""What a version's two documents say, its `.info` and its `.mod`, as one record."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from stook.engine.decoding import DECODE_ERRORS, storable
from stook.engine.errors import Malformed
from stook.engine.words import Reply
from stook.registries.golang.gomod.gomod import is_synthetic, read
from stook.registries.golang.gomod.sums import mod_sum
from stook.registries.golang.records import GoRelease
from stook.registries.golang.times import moment, nanoseconds

__all__ = ["check_info", "message", "read_release"]

LONGEST_GO_VERSION = 64


class _Info(msgspec.Struct):
    Version: str
    Time: str | None = None
    Origin: dict[str, Any] | None = None


def read_release(path: str, version: str, info: Reply, mod: Reply, *, rewrite: bool = False) -> GoRelease:
    """The record of a version that the proxy served under this path; Malformed when `.info` is about something else."""
    told, file = check_info(info.body, version), read(mod.body)
    requires = [{"name": one.path, "req": one.version, "indirect": one.is_indirect} for one in file.requires]
    requires.sort(key=lambda row: (str(row["name"]), str(row["req"])))
    origin = told.Origin or {}
    url = origin.get("URL")
    return GoRelease(
        path=path,
        version=version,
        published=_published(told.Time),
        go_version=file.go[:LONGEST_GO_VERSION],
        has_go_mod=not is_synthetic(path, mod.body),
        mod_sum=mod_sum(mod.body),
        dependencies=_json(requires),
        origin=_json(origin) if origin else None,
        scm=_json({"type": origin.get("VCS") or "git", "url": url}) if url else None,
        rewrite=rewrite,
    )


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
