"""Reading the JSON API's answer about a crate: enrichment, which never decides existence."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec

from stook.engine.decoding import DECODE_ERRORS, storable
from stook.engine.errors import Malformed
from stook.registries.cargo.fields import read_fields
from stook.registries.cargo.names import canonical
from stook.registries.cargo.records import Enrichment, ProductFacts, VersionFacts
from stook.registries.cargo.values import moment

__all__ = ["read_crate"]


_Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_Edition = Annotated[str, msgspec.Meta(max_length=16, pattern="^[ -~]*$")]


class _Crate(msgspec.Struct):
    name: str
    description: str | None = None
    homepage: str | None = None
    documentation: str | None = None
    repository: str | None = None
    keywords: list[str] | None = None
    categories: list[str] | None = None
    downloads: _Count | None = None


class _Version(msgspec.Struct):
    num: str
    created_at: str | None = None
    license: str | None = None
    description: str | None = None
    homepage: str | None = None
    documentation: str | None = None
    repository: str | None = None
    downloads: _Count | None = None
    crate_size: _Count | None = None
    edition: _Edition | None = None
    yank_message: str | None = None


class _Answer(msgspec.Struct):
    crate: _Crate
    versions: list[_Version] | None = None


class _RawAnswer(msgspec.Struct):
    crate: dict[str, msgspec.Raw]
    versions: list[dict[str, msgspec.Raw]] | None = None


_decode = msgspec.json.Decoder(_Answer).decode
_decode_raw = msgspec.json.Decoder(_RawAnswer).decode


def read_crate(name: str, body: bytes) -> Enrichment | None:
    """The facts about `name`; None when the API's fuzzy look-up answered with another crate.

    Raises Malformed when the body is not such an answer.
    """
    answer, odd = _read(storable(body))
    if canonical(answer.crate.name) != name:
        return None
    versions = tuple(_version(version, odd) for version in answer.versions or ())
    return Enrichment(name, _product(answer.crate), versions, tuple(odd))


def _read(body: bytes) -> tuple[_Answer, list[str]]:
    """The answer, and what of it cannot be read: an odd value costs no more than itself."""
    try:
        return _decode(body), []
    except DECODE_ERRORS as error:
        fault = str(error)
    odd: list[str] = []
    try:
        raw = _decode_raw(body)
        crate = read_fields(raw.crate, _Crate, "crate", odd)
        versions = [read_fields(version, _Version, "version", odd) for version in raw.versions or ()]
    except DECODE_ERRORS:
        raise Malformed(f"unreadable API answer: {fault[:200]}") from None
    if crate is None:
        raise Malformed(f"unreadable API answer: {fault[:200]}")
    return _Answer(crate, [version for version in versions if version is not None]), odd


def _product(crate: _Crate) -> ProductFacts:
    return ProductFacts(
        description=crate.description,
        scm=_scm(crate.repository),
        homepage=crate.homepage,
        documentation=crate.documentation,
        keywords=_json(crate.keywords),
        categories=_json(crate.categories),
        downloads=crate.downloads,
    )


def _version(one: _Version, odd: list[str]) -> VersionFacts:
    return VersionFacts(
        version=one.num,
        description=one.description,
        license=one.license,
        scm=_scm(one.repository),
        homepage=one.homepage,
        documentation=one.documentation,
        downloads=one.downloads,
        size=one.crate_size,
        edition=one.edition,
        yank_message=one.yank_message,
        published=_moment(one, odd),
    )


def _moment(version: _Version, odd: list[str]) -> datetime | None:
    try:
        return moment(version.created_at)
    except ValueError as error:
        odd.append(f"version {version.num[:80]}: created_at: {error}")
        return None


def _scm(repository: str | None) -> str | None:
    if not repository:
        return None
    host = repository.partition("://")[2].partition("/")[0].lower()
    kind = "hg" if host.startswith("hg.") else "svn" if host.startswith("svn.") else "git"
    return _json({"type": kind, "url": repository})


def _json(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()
