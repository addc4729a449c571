"""SPDX 2.3 JSON as an inventory: the packages whose external references have a package URL.

https://spdx.github.io/spdx-spec/v2.3/ is the reference; 2.2 has the same fields.
"""

from __future__ import annotations

import msgspec

from stook.advisories.formats.cyclonedx import listed_purl
from stook.advisories.formats.document import decode_document
from stook.advisories.formats.inventory import Inventory, ListedPackage, Unlisted
from stook.engine.errors import Malformed

__all__ = ["read_spdx"]

VERSIONS = frozenset({"SPDX-2.2", "SPDX-2.3"})


class _ExternalReference(msgspec.Struct, frozen=True):
    referenceType: str = ""  # noqa: N815
    referenceLocator: str = ""  # noqa: N815


class _SpdxPackage(msgspec.Struct, frozen=True):
    SPDXID: str = ""
    name: str = ""
    versionInfo: str | None = None  # noqa: N815
    externalRefs: list[_ExternalReference] | None = None  # noqa: N815


class _Relationship(msgspec.Struct, frozen=True):
    spdxElementId: str = ""  # noqa: N815
    relationshipType: str = ""  # noqa: N815
    relatedSpdxElement: str = ""  # noqa: N815


class _SpdxDocument(msgspec.Struct, frozen=True):
    spdxVersion: str  # noqa: N815
    packages: list[_SpdxPackage] | None = None
    documentDescribes: list[str] | None = None  # noqa: N815
    relationships: list[_Relationship] | None = None


def read_spdx(data: bytes) -> Inventory:
    """Packages in document order, but for those that the document describes. Raises Malformed."""
    document = decode_document(data, _SpdxDocument, "the SPDX document")
    if document.spdxVersion not in VERSIONS:
        raise Malformed(f"not SPDX 2.2 or 2.3: {document.spdxVersion[:40]!r}")
    subjects = _subjects(document)
    packages: list[ListedPackage] = []
    unlisted: list[Unlisted] = []
    for package in document.packages or ():
        if package.SPDXID and package.SPDXID in subjects:
            unlisted.append(Unlisted(package.name[:200], "the document's own subject"))
            continue
        found = _listed(package)
        if isinstance(found, ListedPackage):
            packages.append(found)
        else:
            unlisted.append(found)
    return Inventory(tuple(packages), tuple(unlisted))


def _subjects(document: _SpdxDocument) -> set[str]:
    """Both ways to say what the document is about; a single package is no list of dependencies, so it is looked up."""
    described = {
        link.relatedSpdxElement
        for link in document.relationships or ()
        if link.relationshipType == "DESCRIBES" and link.spdxElementId == "SPDXRef-DOCUMENT"
    }
    described.update(document.documentDescribes or ())
    names = {package.SPDXID for package in document.packages or ()}
    return described if names - described else set()


def _listed(package: _SpdxPackage) -> ListedPackage | Unlisted:
    references = package.externalRefs or ()
    purls = [link.referenceLocator for link in references if link.referenceType.rpartition("/")[2] == "purl"]
    return listed_purl(purls[0] if purls else "", package.name, package.versionInfo or "")
