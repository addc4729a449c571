"""CycloneDX JSON (1.4 to 1.7) as an inventory: the components that have a package URL.

https://cyclonedx.org/docs/1.6/json/ is the reference. `metadata.component` is what the document is about, and not
looked up.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from stook.advisories.formats.document import decode_document
from stook.advisories.formats.inventory import Inventory, ListedPackage, Unlisted
from stook.advisories.formats.purl import parse_purl
from stook.engine.errors import Malformed

__all__ = ["listed_purl", "read_cyclonedx"]

VERSIONS = frozenset({"1.4", "1.5", "1.6", "1.7"})


class _Component(msgspec.Struct, frozen=True):
    name: str = ""
    version: str | None = None
    purl: str | None = None
    components: list[_Component] | None = None


class _Bom(msgspec.Struct, frozen=True):
    bomFormat: str  # noqa: N815
    specVersion: str  # noqa: N815
    components: list[_Component] | None = None


def read_cyclonedx(data: bytes) -> Inventory:
    """Components in document order, nested ones after their parent. Raises Malformed for what is no such document."""
    bom = decode_document(data, _Bom, "the CycloneDX document")
    if bom.bomFormat != "CycloneDX" or bom.specVersion not in VERSIONS:
        raise Malformed(f"not CycloneDX 1.4 to 1.7: {bom.bomFormat[:40]!r} {bom.specVersion[:40]!r}")
    packages: list[ListedPackage] = []
    unlisted: list[Unlisted] = []
    for component in _all(bom.components or ()):
        found = listed_purl(component.purl or "", component.name, component.version or "")
        (packages if isinstance(found, ListedPackage) else unlisted).append(found)  # type: ignore[arg-type]
    return Inventory(tuple(packages), tuple(unlisted))


def _all(components: list[_Component] | tuple[()]) -> Iterator[_Component]:
    stack = list(reversed(components))
    while stack:
        component = stack.pop()
        yield component
        stack.extend(reversed(component.components or ()))


def listed_purl(purl: str, name: str, version: str) -> ListedPackage | Unlisted:
    """The package of a purl; `version` serves where the purl has none. Without a version it can only be listed."""
    if not purl:
        return Unlisted(name[:200], "no package URL")
    try:
        parsed = parse_purl(purl)
    except Malformed as error:
        return Unlisted(name[:200], error.reason)
    package = parsed.package
    if package is None:
        return Unlisted(name[:200], f"package URLs of type {parsed.type[:40]} are not looked up")
    if not package.version and not version:
        return Unlisted(name[:200], "no version")
    return ListedPackage(
        package._replace(version=package.version or version),
        other_source=parsed.other_source,
    )
