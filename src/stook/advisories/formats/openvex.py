"""OpenVEX 0.2 as suppressions: what its author says is not affected or fixed, with the reason given there.

https://github.com/openvex/spec is the reference. A later statement about the same product and vulnerability replaces
an earlier one; one that says affected or under investigation takes a suppression back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from stook.advisories.ecosystems import PackageVersion
from stook.advisories.formats.document import decode_document
from stook.advisories.formats.purl import parse_purl
from stook.advisories.osv import in_utc
from stook.advisories.policy import Suppression
from stook.engine.errors import Malformed

__all__ = ["VexReading", "read_openvex"]

MAX_PAIRS = 1_000_000  # of names and products in all statements together: a document can multiply them
_CONTEXT = "https://openvex.dev/ns"
_STATUSES = frozenset({"not_affected", "fixed", "affected", "under_investigation"})
_SUPPRESSING = frozenset({"not_affected", "fixed"})


class _Vulnerability(msgspec.Struct, frozen=True):
    name: str = ""
    aliases: list[str] | None = None


class _Identified(msgspec.Struct, frozen=True):
    id: str = msgspec.field(name="@id", default="")
    identifiers: dict[str, str] | None = None


class _Product(msgspec.Struct, frozen=True):
    id: str = msgspec.field(name="@id", default="")
    identifiers: dict[str, str] | None = None
    subcomponents: list[_Identified] | None = None


class _VexStatement(msgspec.Struct, frozen=True):
    vulnerability: _Vulnerability | str
    status: str
    products: list[_Product] | None = None
    justification: str | None = None
    impact_statement: str | None = None
    status_notes: str | None = None
    timestamp: datetime | None = None
    last_updated: datetime | None = None


class _VexDocument(msgspec.Struct, frozen=True):
    context: str = msgspec.field(name="@context")
    statements: list[msgspec.Raw]
    timestamp: datetime | None = None
    last_updated: datetime | None = None


@dataclass(frozen=True, slots=True)
class VexReading:
    """Suppressions, and sentences about the statements that could not be used, in document order."""

    suppressions: tuple[Suppression, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Claim:
    ids: tuple[str, ...]
    targets: tuple[PackageVersion, ...]
    is_suppressing: bool
    reason: str
    at: datetime


def read_openvex(data: bytes, *, origin: str) -> VexReading:
    """The decisions of a document; `origin` names it in reports. Raises Malformed for what is no OpenVEX."""
    document = decode_document(data, _VexDocument, "the OpenVEX document")
    if not document.context.startswith(_CONTEXT):
        raise Malformed(f"not OpenVEX: the context is {document.context[:100]!r}")
    claims: list[_Claim] = []
    problems: list[str] = []
    for number, raw in enumerate(document.statements, 1):
        try:
            statement = decode_document(bytes(raw), _VexStatement, "the statement")
            claims.append(_claim(statement, document.last_updated or document.timestamp))
        except Malformed as error:
            problems.append(f"statement {number}: {error.reason}")
    if sum(len(claim.ids) * len(claim.targets) for claim in claims) > MAX_PAIRS:
        raise Malformed(f"the OpenVEX document has more than {MAX_PAIRS} pairs of vulnerability and product")
    return VexReading(tuple(_suppressions(claims, origin)), tuple(problems))


def _claim(statement: _VexStatement, document_time: datetime | None) -> _Claim:
    """A statement in our words. Raises Malformed for one that OpenVEX does not allow, or that fits no package."""
    if statement.status not in _STATUSES:
        raise Malformed(f"unknown status {statement.status[:40]!r}")
    justification = statement.justification or ""
    impact = statement.impact_statement or ""
    if statement.status == "not_affected" and not (justification.strip() or impact.strip()):
        raise Malformed("not_affected needs a justification or an impact statement")
    reason = ": ".join(filter(None, (statement.status, justification, impact or statement.status_notes)))
    at = statement.last_updated or statement.timestamp or document_time
    return _Claim(
        ids=_ids(statement.vulnerability),
        targets=_targets(statement.products or ()),
        is_suppressing=statement.status in _SUPPRESSING,
        reason=reason[:1000],
        at=in_utc(at) if at else datetime(1, 1, 1, tzinfo=UTC),
    )


def _ids(vulnerability: _Vulnerability | str) -> tuple[str, ...]:
    """Name and aliases; OpenVEX 0.0.1 wrote the name alone."""
    if isinstance(vulnerability, str):
        vulnerability = _Vulnerability(vulnerability)
    names = tuple(dict.fromkeys(name for name in (vulnerability.name, *(vulnerability.aliases or ())) if name))
    if not vulnerability.name:
        raise Malformed("the vulnerability has no name")
    return names


def _targets(products: Sequence[_Product]) -> tuple[PackageVersion, ...]:
    """The packages a statement is about: a product's subcomponents, or the product itself where it has none."""
    found: dict[PackageVersion, None] = {}
    for product in products:
        for part in product.subcomponents or (product,):
            package = _package(part)
            if package is not None:
                found[package] = None
    if not found:
        raise Malformed("no product or subcomponent has a package URL of a crate or a Go module")
    return tuple(found)


def _package(part: _Product | _Identified) -> PackageVersion | None:
    purl = (part.identifiers or {}).get("purl", "") or part.id
    try:
        return parse_purl(purl).package
    except Malformed:
        return None  # another identifier: the statement counts if any other product has a purl


def _suppressions(claims: Sequence[_Claim], origin: str) -> Iterator[Suppression]:
    """The last claim about each pair of name and package decides."""
    last: dict[tuple[str, PackageVersion], int] = {}
    for place in sorted(range(len(claims)), key=lambda place: claims[place].at):
        for target in claims[place].targets:
            last |= {(name, target): place for name in claims[place].ids}
    for place, claim in enumerate(claims):
        for target in claim.targets if claim.is_suppressing else ():
            ids = frozenset(name for name in claim.ids if last[name, target] == place)
            if ids:
                yield Suppression(ids, claim.reason, (target,), origin=origin)
