"""Records: the typed facts that the registries product keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

__all__ = ["Enrichment", "Known", "ProductFacts", "Release", "Snapshot", "Unreadable", "VersionFacts"]


class Release(msgspec.Struct, frozen=True, gc=False):  # made by the hundred thousand
    """One version as its registry's authority tells it.

    `dependencies` and `features` are JSON text; `key` orders versions under memcmp; `digest` is of the
    authority's own bytes, so that an unchanged version is known without comparing columns.
    """

    version: str
    display_name: str
    key: bytes
    is_prerelease: bool
    yanked: bool
    checksum: str
    dependencies: str
    features: str
    links: str | None
    rust_version: str | None
    published: datetime | None
    digest: bytes


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A version, or a line without one, that could not be read; kept aside with its reason.

    `may_be_any`: not even its version can be told, so that it may be the line of any that is missing.
    """

    version: str
    reason: str
    digest: bytes
    may_be_any: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """A package, and who announced it."""

    name: str
    source: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole truth about a package at one moment: what is not in it is gone, unless an unreadable line hides it.

    `rewrite` writes every row again, changed or not.
    """

    known: Known
    releases: Sequence[Release]
    unreadable: Sequence[Unreadable] = ()
    rewrite: bool = False


class VersionFacts(msgspec.Struct, frozen=True, gc=False):  # made by the hundred thousand
    """What enrichment tells of one version; None where it tells nothing. Lists and `scm` are JSON text.

    `published_by` and `yanked_by` are names of users at the registry; the latter of a version that is yanked now.
    """

    version: str
    description: str | None = None
    license: str | None = None
    scm: str | None = None
    homepage: str | None = None
    documentation: str | None = None
    downloads: int | None = None
    size: int | None = None
    edition: str | None = None
    yank_message: str | None = None
    published: datetime | None = None
    published_by: str | None = None
    yanked_by: str | None = None
    yanked_at: datetime | None = None
    bin_names: str | None = None
    has_lib: int | None = None


@dataclass(frozen=True, slots=True)
class ProductFacts:
    """What enrichment tells of the package as a whole. Lists and `scm` are JSON text."""

    description: str | None = None
    scm: str | None = None
    homepage: str | None = None
    documentation: str | None = None
    keywords: str | None = None
    categories: str | None = None
    downloads: int | None = None


@dataclass(frozen=True, slots=True)
class Enrichment:
    """Facts beside existence: they fill rows that are there and never make one.

    `odd` names each value that could not be read.
    """

    name: str
    product: ProductFacts
    versions: Sequence[VersionFacts] = ()
    odd: Sequence[str] = ()
