"""Reading the JSON API's answer about a crate: enrichment, which never decides existence."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

import msgspec

from stook.engine.decoding import DECODE_ERRORS, storable
from stook.engine.errors import FailureCode, Malformed
from stook.registries.cargo.fields import read_fields
from stook.registries.cargo.names import canonical
from stook.registries.cargo.records import Enrichment, ProductFacts, VersionFacts
from stook.registries.cargo.values import moment

__all__ = ["read_crate"]


MOST_VERSIONS = 20_000  # the crate with the most has a few thousand
LONGEST_TEXT = 20_000  # characters of a description, a licence, a link
MOST_WORDS = 100  # keywords, or categories, or programs
MOST_ACTIONS = 1_000  # publishing, yanks and un-yanks of one version

_Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_Text = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]
_Word = Annotated[str, msgspec.Meta(max_length=200)]
_Words = Annotated[list[_Word], msgspec.Meta(max_length=MOST_WORDS)]
_Edition = Annotated[str, msgspec.Meta(max_length=16, pattern="^[ -~]*$")]


class _Crate(msgspec.Struct):
    name: str
    description: _Text | None = None
    homepage: _Text | None = None
    documentation: _Text | None = None
    repository: _Text | None = None
    keywords: _Words | None = None
    categories: _Words | None = None
    downloads: _Count | None = None


class _User(msgspec.Struct):
    login: _Word


class _Action(msgspec.Struct):
    action: _Word
    user: _User | None = None
    time: _Word | None = None


_Actions = Annotated[list[_Action], msgspec.Meta(max_length=MOST_ACTIONS)]


class _Version(msgspec.Struct):
    num: str
    created_at: str | None = None
    license: _Text | None = None
    description: _Text | None = None
    homepage: _Text | None = None
    documentation: _Text | None = None
    repository: _Text | None = None
    downloads: _Count | None = None
    crate_size: _Count | None = None
    edition: _Edition | None = None
    yank_message: _Text | None = None
    published_by: _User | None = None
    audit_actions: _Actions | None = None
    bin_names: _Words | None = None
    has_lib: bool | None = None


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

    Raises Malformed when the body is not such an answer, and with the code `too_large` when it has more versions than
    a crate has.
    """
    if body.count(b'"num"') > MOST_VERSIONS:
        raise Malformed(f"an API answer with more than {MOST_VERSIONS} versions", FailureCode.TOO_LARGE)
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
    yank = _yank(one.audit_actions or [])
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
        published=_moment(one, one.created_at, "created_at", odd),
        published_by=one.published_by.login if one.published_by else None,
        yanked_by=yank.user.login if yank and yank.user else None,
        yanked_at=_moment(one, yank.time, "audit_actions", odd) if yank else None,
        bin_names=_json(one.bin_names),
        has_lib=None if one.has_lib is None else int(one.has_lib),
    )


def _yank(actions: Sequence[_Action]) -> _Action | None:
    """The action by which a version is yanked now; the registry lists actions in the order of time."""
    last = [action for action in actions if action.action in ("yank", "unyank")][-1:]
    return last[0] if last and last[0].action == "yank" else None


def _moment(version: _Version, text: str | None, field: str, odd: list[str]) -> datetime | None:
    try:
        return moment(text)
    except ValueError as error:
        odd.append(f"version {version.num[:80]}: {field}: {error}")
        return None


def _scm(repository: str | None) -> str | None:
    if not repository:
        return None
    host = repository.partition("://")[2].partition("/")[0].lower()
    kind = "hg" if host.startswith("hg.") else "svn" if host.startswith("svn.") else "git"
    return _json({"type": kind, "url": repository})


def _json(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()
