"""Reading the JSON API's answer about a crate: enrichment, which never decides existence."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from stook.engine.errors import Malformed
from stook.registries.cargo.names import canonical
from stook.registries.cargo.records import Enrichment, ProductFacts, VersionFacts
from stook.registries.cargo.values import moment, without_nul

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


_decode = msgspec.json.Decoder(_Answer).decode


def read_crate(name: str, body: bytes) -> Enrichment | None:
    """The facts about `name`; None when the API's fuzzy look-up answered with another crate.

    Raises Malformed when the body is not such an answer.
    """
    try:
        answer = _decode(without_nul(body))
        if canonical(answer.crate.name) != name:
            return None
        return Enrichment(name, _product(answer.crate), tuple(_version(one) for one in answer.versions or ()))
    except ValueError as error:
        raise Malformed(f"unreadable API answer: {str(error)[:200]}") from None


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


def _version(one: _Version) -> VersionFacts:
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
        published=moment(one.created_at),
    )


def _scm(repository: str | None) -> str | None:
    if not repository:
        return None
    host = repository.partition("://")[2].partition("/")[0].lower()
    kind = "hg" if host.startswith("hg.") else "svn" if host.startswith("svn.") else "git"
    return _json({"type": kind, "url": repository})


def _json(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()
