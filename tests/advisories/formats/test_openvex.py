"""OpenVEX as suppressions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stook.advisories.formats import VexReading, read_openvex
from stook.engine.errors import Malformed

from ..records import crate, module  # noqa: TID252

OAR = {"@id": "pkg:cargo/oar@1.0.0"}


def statement(status: str = "not_affected", **more: Any) -> dict[str, Any]:
    return {
        "vulnerability": {"name": "CVE-2024-0001"},
        "products": [OAR],
        "status": status,
        "justification": "vulnerable_code_not_in_execute_path",
        **more,
    }


def reading(*statements: Any, **more: Any) -> VexReading:
    document = {"@context": "https://openvex.dev/ns/v0.2.0", "timestamp": "2024-01-01T00:00:00Z", **more}
    return read_openvex(json.dumps({**document, "statements": list(statements)}).encode(), origin="boat.vex.json")


def test_not_affected_and_fixed() -> None:
    """Both suppress, with the author's reason, for the products named."""
    first, second = reading(
        statement(vulnerability={"name": "CVE-2024-0001", "aliases": ["GHSA-1"]}, impact_statement="We never row."),
        statement("fixed", vulnerability="CVE-2024-0002", justification=None, status_notes="backported"),
    ).suppressions
    assert first.ids == {"CVE-2024-0001", "GHSA-1"}
    assert first.packages == (crate("oar", "1.0.0"),)
    assert first.reason == "not_affected: vulnerable_code_not_in_execute_path: We never row."
    assert first.origin == "boat.vex.json"
    assert (second.ids, second.reason) == ({"CVE-2024-0002"}, "fixed: backported")


def test_subcomponents_are_what_a_statement_is_about() -> None:
    """A product with subcomponents stands for them; an identifier may hold the purl."""
    product = {
        "@id": "pkg:oci/boat@sha256:00",
        "subcomponents": [OAR, {"identifiers": {"purl": "pkg:golang/example.com/mast@v1.0.0"}}],
    }
    suppressions = reading(statement(products=[product])).suppressions
    assert [one.packages for one in suppressions] == [(crate("oar", "1.0.0"),), (module("example.com/mast", "v1.0.0"),)]


@pytest.mark.parametrize("status", ["affected", "under_investigation"])
def test_a_later_statement_takes_it_back(status: str) -> None:
    """By its time, whatever the order in the document; for one name of several, that name only."""
    early = statement(timestamp="2024-02-01T00:00:00Z", vulnerability={"name": "CVE-2024-0001", "aliases": ["GHSA-1"]})
    late = statement(status, timestamp="2024-03-01T00:00:00Z")
    for order in ([early, late], [late, early]):
        (left,) = reading(*order).suppressions
        assert left.ids == {"GHSA-1"}
    undated = statement(status)
    assert len(reading(early, undated).suppressions) == 1
    assert [one.ids for one in reading(undated, early).suppressions] == [{"CVE-2024-0001", "GHSA-1"}]


@pytest.mark.parametrize(
    "bad",
    [
        statement(justification=None),
        statement(justification=" ", impact_statement=""),
        statement("harmless"),
        statement(products=[]),
        statement(products=[{"@id": "https://boat.test/"}]),
        statement(products=[{"@id": "pkg:npm/a@1"}]),
        statement(vulnerability={"aliases": ["GHSA-1"]}),
        {"status": "fixed"},
        7,
    ],
)
def test_unusable_statements(bad: Any) -> None:
    """Each is named with its reason, hides nothing, and costs no other."""
    result = reading(bad, statement())
    assert len(result.suppressions) == 1
    assert result.problems[0].startswith("statement 1: ")


def test_the_last_hours() -> None:
    """Times at the edge of the calendar, and times without a zone, are no trouble."""
    for moment in ("9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "2024-02-01T00:00:00"):
        assert len(reading(statement(timestamp=moment)).suppressions) == 1


def test_a_document_that_multiplies() -> None:
    """Many names times many products are refused before they fill the memory."""
    product = [{"@id": f"pkg:cargo/oar@1.0.{number}"} for number in range(1100)]
    names = {"name": "CVE-2024-0001", "aliases": [f"GHSA-{number}" for number in range(1000)]}
    with pytest.raises(Malformed, match="pairs"):
        reading(statement(products=product, vulnerability=names))


@pytest.mark.parametrize("data", [b"{}", b'{"@context": "https://spdx.org", "statements": []}', b"[]", b"\xff"])
def test_no_openvex(data: bytes) -> None:
    """Another document is an error."""
    with pytest.raises(Malformed):
        read_openvex(data, origin="x")
