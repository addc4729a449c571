"""The Go side's answers: module index, module proxy and package site, written from a world."""

from __future__ import annotations

import json
import re
from typing import Any

from stook.testing.answer import Answer, Asked, json_answer
from stook.testing.modules import GoVersion, is_pseudo, stamp, synthetic_mod, unescape
from stook.testing.world import World

__all__ = ["answer_index", "answer_pkgsite", "answer_proxy"]

_SINCE = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z")
_MOST = 2000  # events a page


def answer_index(world: World, path: str, asked: Asked) -> Answer:
    """Events at or after `since`, oldest first, `limit` at most."""
    since, limit = _ticks(asked.query.get("since", "1970-01-01T00:00:00Z")), asked.query.get("limit", str(_MOST))
    if path != "index":
        return Answer(404, b"not found")
    if since is None or not limit.isdigit():
        return Answer(400, b"bad request: invalid since or limit")
    shows_all = asked.query.get("include") == "all"
    rows = [
        {"Path": event.path, "Version": event.version, "Timestamp": stamp(event.announced)}
        for event in world.go.events
        if (shows_all or event.fate != "withdrawn") and (_ticks(stamp(event.announced)) or ("", "")) >= since
    ]
    body = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows[: min(int(limit), _MOST)])
    return Answer(200, body.encode(), "application/json")


def _ticks(text: str) -> tuple[str, str] | None:
    """A time as something that compares: whole seconds, then the fraction with all nine digits."""
    match = _SINCE.fullmatch(text)
    return (match[1], (match[2] or "").ljust(9, "0")) if match else None


def answer_proxy(world: World, path: str, asked: Asked) -> Answer:
    """`[cached-only/]{escaped}/@v/list`, `….info`, `….mod` and `/@latest`."""
    only_cached = path.startswith("cached-only/") or asked.headers.get("disable-module-fetch") == "true"
    escaped, _, rest = path.removeprefix("cached-only/").partition("/@")
    module = unescape(escaped)
    if module is None:
        return _missing("invalid escaped module path", 404)
    if rest == "v/list":
        return _list(world, module)
    if rest == "latest":
        latest = world.go.latest(module)
        return _info(latest) if latest else _missing(f"module {module}: no matching versions")
    match = re.fullmatch(r"v/(.+)\.(info|mod)", rest)
    return _file(world, module, match[1], match[2], only_cached) if match else _missing("unrecognized request")


def _file(world: World, module: str, escaped: str, ending: str, only_cached: bool) -> Answer:
    version = unescape(escaped)
    if version is None:
        return Answer(404, b"bad request: invalid escaped version", "text/plain; charset=UTF-8")
    event = world.go.find(module, version)
    if event is None or event.fate in ("missing", "withdrawn"):
        reason = event.reason if event and event.reason else f"invalid version: unknown revision {version}"
        return _missing(f"{module}@{version}: {reason}")
    if event.fate == "uncached" and only_cached:
        return _missing("temporarily unavailable")
    return _info(event) if ending == "info" else Answer(200, event.mod.encode(), "text/plain; charset=UTF-8")


def _list(world: World, module: str) -> Answer:
    events = world.go.of(module)
    if not events:
        return _missing(f"module {module}: no matching versions")
    names = [event.version for event in events if event.fate != "missing" and not is_pseudo(event.version)]
    return Answer(200, "\n".join(names).encode(), "text/plain; charset=UTF-8")


def _info(event: GoVersion) -> Answer:
    origin = {"VCS": "git", "URL": f"https://{event.path}", "Ref": f"refs/tags/{event.version}"}
    return json_answer({"Version": event.version, "Time": stamp(event.committed), "Origin": origin})


def _missing(reason: str, status: int = 404) -> Answer:
    headers = {"Cache-Control": "public, max-age=1800"}
    return Answer(status, f"not found: {reason}".encode(), "text/plain; charset=UTF-8", headers)


def answer_pkgsite(world: World, path: str, asked: Asked) -> Answer:
    """`v1/module/{path}`; most modules are unknown here, which says nothing about their existence."""
    module = path.removeprefix("v1/module/")
    page, latest = world.go.pages.get(module), world.go.latest(module)
    wanted = asked.query.get("version", "latest")
    event = latest if wanted == "latest" else world.go.find(module, wanted)
    if not path.startswith("v1/module/") or page is None or event is None or event.fate != "ok":
        return json_answer({"code": 404, "message": "not found"}, 404)
    return json_answer(_page(page, event, event is latest, with_licences=asked.query.get("licenses") == "true"))


def _page(page: dict[str, Any], event: GoVersion, is_latest: bool, *, with_licences: bool) -> dict[str, Any]:
    facts = {
        "path": event.path,
        "version": event.version,
        "commitTime": stamp(event.committed),
        "isLatest": is_latest,
        "isRedistributable": True,
        "isStandardLibrary": False,
        "hasGoMod": event.mod != synthetic_mod(event.path),
        "repoUrl": page["repository"],
    }
    if with_licences:
        facts["licenses"] = [{"types": page["licences"], "filePath": "LICENSE", "contents": "As the name says."}]
    return facts
