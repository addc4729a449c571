"""The crate registry's answers: sparse index, JSON API and feeds, written from a world."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Any
from xml.sax.saxutils import escape

from stook.testing.answer import Answer, Asked, errors, json_answer
from stook.testing.crates import Crate, Dependency, Release, default_release, fold, index_path, precedence
from stook.testing.world import World

__all__ = ["answer_api", "answer_index", "answer_static", "index_file"]

_KINDS = ("normal", "build", "dev")
_PARTS = frozenset({"versions", "keywords", "categories", "badges", "downloads", "default_version", "full"})
_FULL = frozenset({"versions", "keywords", "categories", "downloads"})


def answer_index(world: World, path: str, bases: Mapping[str, str]) -> Answer:
    """`config.json` or a crate's file; the path must be the lower-case one."""
    if path == "config.json":
        config = {"dl": bases["static"] + "/crates", "api": bases["api"]}
        return Answer(200, json.dumps(config).encode(), "application/json", modified=datetime(2024, 1, 1))
    crate = world.crates.get(fold(path.rpartition("/")[2]))
    if crate is None or index_path(crate.name) != path or not crate.releases:
        return Answer(404, b"not found\n")
    return Answer(200, index_file(crate), headers={"Cache-Control": "public,max-age=600"}, modified=crate.updated)


def index_file(crate: Crate) -> bytes:
    lines = [json.dumps(_line(crate, release), separators=(",", ":")) for release in crate.releases]
    lines[1:1] = crate.garbage
    return "".join(f"{line}\n" for line in lines).encode()


def _line(crate: Crate, release: Release) -> dict[str, Any]:
    deps = sorted(release.deps, key=lambda dep: (dep.alias or dep.crate, _KINDS.index(dep.kind), dep.req))
    line: dict[str, Any] = {
        "name": crate.name,
        "vers": release.version,
        "deps": [_dependency(dep, release.is_old) for dep in deps],
        "cksum": release.checksum,
        "features": release.features,
        "features2": release.features2 or None,
        "yanked": release.is_yanked,
        "links": release.links,
        "rust_version": release.rust_version,
        "pubtime": f"{release.published:%Y-%m-%dT%H:%M:%SZ}" if crate.has_pubtime else None,
        "v": release.line_format or (2 if release.features2 else None),
    }
    return {key: value for key, value in line.items() if value is not None or (key == "links" and release.is_old)}


def _dependency(dep: Dependency, is_old: bool) -> dict[str, Any]:
    row = {
        "name": dep.alias or dep.crate,
        "req": dep.req,
        "features": list(dep.features),
        "optional": dep.optional,
        "default_features": dep.default_features,
        "target": dep.target,
        "kind": None if is_old and dep.kind == "normal" else dep.kind,
    }
    return row | ({"package": dep.crate} if dep.alias else {})


def answer_api(world: World, path: str, asked: Asked) -> Answer:
    """`api/v1/crates/{name}`, found whatever its case and separators, and `…/owners`."""
    if not asked.headers.get("user-agent"):
        return errors(403, "We require that all requests include a `User-Agent` header with a way to contact you.")
    name, _, rest = path.removeprefix("api/v1/crates/").partition("/")
    if not path.startswith("api/v1/crates/") or rest not in ("", "owners"):
        return errors(404, "Not Found")
    crate = world.crates.get(fold(name))
    if crate is None or not crate.releases:
        return errors(404, f"crate `{name}` does not exist")
    if rest == "owners":
        return json_answer({"users": [_user(crate) | {"kind": "user"}]})
    include = asked.query.get("include")
    parts = _FULL if include is None else frozenset(filter(None, include.split(",")))
    if unknown := parts - _PARTS:
        return errors(400, f"invalid component for ?include=: {min(unknown)}")
    return json_answer(_api_page(crate, _FULL if "full" in parts else parts))


def _api_page(crate: Crate, parts: frozenset[str]) -> dict[str, Any]:
    newest_first = sorted(crate.releases, key=lambda release: release.id, reverse=True)
    if "versions" not in parts:
        newest_first = [default_release(crate)] if "default_version" in parts else []
    return {
        "categories": [_word(slug, "category") for slug in crate.categories] if "categories" in parts else None,
        "crate": _api_crate(crate, parts),
        "keywords": [_word(word, "keyword") for word in crate.keywords] if "keywords" in parts else None,
        "versions": [_api_version(crate, release) for release in newest_first] or None,
    }


def _word(text: str, key: str) -> dict[str, Any]:
    return {"id": text, key: text, "slug": text, "crates_cnt": 1, "created_at": "2015-01-01T00:00:00.000001Z"}


def _api_crate(crate: Crate, parts: frozenset[str]) -> dict[str, Any]:
    default, link = default_release(crate), f"/api/v1/crates/{crate.name}"
    downloads = sum(release.downloads for release in crate.releases)
    return {
        "id": crate.name,
        "name": crate.name,
        "created_at": _stamp(crate.created),
        "updated_at": _stamp(crate.updated),
        "versions": [release.id for release in reversed(crate.releases)] if "versions" in parts else None,
        "keywords": crate.keywords if "keywords" in parts else None,
        "categories": crate.categories if "categories" in parts else None,
        "badges": [],
        "downloads": downloads,
        "recent_downloads": downloads // 12 if "downloads" in parts else None,
        "default_version": default.version,
        "num_versions": len(crate.releases),
        "yanked": default.is_yanked,
        **_maxima(crate if "versions" in parts else None),
        "description": crate.description,
        "homepage": crate.homepage,
        "documentation": crate.documentation,
        "repository": crate.repository,
        "links": {"owners": f"{link}/owners", "reverse_dependencies": f"{link}/reverse_dependencies"},
        "exact_match": False,
        "trustpub_only": False,
    }


def _maxima(crate: Crate | None) -> dict[str, str | None]:
    """The deprecated fields; the registry writes `0.0.0` when it did not load the versions."""
    live = [release for release in crate.releases if not release.is_yanked] if crate else []
    by_order = sorted((release.version for release in live), key=precedence)
    stable = [version for version in by_order if "-" not in version.partition("+")[0]]
    newest = max(live, key=lambda release: release.published, default=None)
    return {
        "max_version": by_order[-1] if by_order else "0.0.0",
        "newest_version": newest.version if newest else "0.0.0",
        "max_stable_version": stable[-1] if stable else None,
    }


def _api_version(crate: Crate, release: Release) -> dict[str, Any]:
    link = f"/api/v1/crates/{crate.name}/{release.version}"
    return {
        "id": release.id,
        "crate": crate.name,
        "num": release.version,
        "dl_path": f"{link}/download",
        "readme_path": f"{link}/readme",
        "created_at": _stamp(release.published),
        "updated_at": _stamp(release.yank_changed or release.published),
        "downloads": release.downloads,
        "features": {**release.features, **release.features2},
        "yanked": release.is_yanked,
        "yank_message": release.yank_message,
        "lib_links": release.links,
        "license": release.license,
        "links": {"dependencies": f"{link}/dependencies", "version_downloads": f"{link}/downloads"},
        "crate_size": release.size,
        "published_by": _user(crate) if not release.is_old else None,
        "audit_actions": [],
        "checksum": release.checksum,
        "rust_version": release.rust_version,
        "has_lib": True,
        "bin_names": [],
        "edition": release.edition,
        "description": crate.description,
        "homepage": crate.homepage,
        "documentation": crate.documentation,
        "repository": crate.repository,
    }


def _user(crate: Crate) -> dict[str, Any]:
    return {"id": 1 + crate.id % 7, "login": crate.owner, "name": None, "url": f"https://git.example/{crate.owner}"}


def _stamp(moment: datetime) -> str:
    return f"{moment.isoformat(timespec='microseconds')}Z"


def answer_static(world: World, path: str) -> Answer:
    """The feed of updates: the last hour's versions, and no fewer than a hundred."""
    if path != "rss/updates.xml":
        return Answer(403, b"<Error><Code>AccessDenied</Code></Error>", "application/xml")
    pairs = [(crate, release) for crate in world.crates.values() for release in crate.releases]
    pairs.sort(key=lambda pair: (pair[1].published, pair[1].id), reverse=True)
    recent = sum(release.published > world.now - timedelta(hours=1) for _, release in pairs)
    items = "".join(_item(crate, release) for crate, release in pairs[: max(recent, 100)])
    head = '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:crates="https://crates.io/"><channel>'
    text = f"{head}<title>crates.io: recent updates</title>\n{items}</channel></rss>\n"
    return Answer(200, text.encode(), "text/xml; charset=UTF-8", modified=world.now)


def _item(crate: Crate, release: Release) -> str:
    name, version = crate.name, escape(release.version)
    link = f"https://crates.io/crates/{name}/{version}"
    date = format_datetime(release.published).replace("-0000", "+0000")
    return (
        f"<item><title>New crate version published: {name} v{version}</title><link>{link}</link><guid>{link}</guid>"
        f"<description>{escape(crate.description)}</description><pubDate>{date}</pubDate>"
        f"<crates:name>{name}</crates:name><crates:version>{version}</crates:version></item>\n"
    )
