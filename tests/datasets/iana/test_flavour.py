"""IANA: a record for every registry and its direct children, from a checkout or the site."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from stook.datasets.bulk import BulkFetcher
from stook.datasets.checkout import Checkout
from stook.datasets.flavour import CatalogueEntry, IncompleteCrawl, Problem, ProblemKind
from stook.datasets.iana.flavour import IanaFlavour
from stook.datasets.iana.identifier import identify_registry
from stook.datasets.model.bibitem import DocumentDate
from stook.datasets.model.identifier import Identifier
from stook.engine.words import Reply, Request

XMLNS = 'xmlns="http://www.iana.org/assignments"'
TLS = f"""<?xml version='1.0' encoding='UTF-8'?>
<registry {XMLNS} id="tls">
  <title>Transport <xref type="text">Layer</xref> Security</title>
  <created>2005-08-23</created>
  <updated>2025-01-02</updated>
  <registry id="alerts"><title>Alerts &amp; more</title><record><title>not this</title><created>1999</created></record>
    <registry id="inner"><title>Not a record</title></registry>
  </registry>
  <registry id="ciphers"><created>2010-01-01</created></registry>
</registry>"""


def crawl(answers: Mapping[str, Any], source: str = "https://www.iana.org/") -> tuple[list[Any], list[Problem]]:
    """Entries and problems of the site that answers so; 404 for other paths."""
    steps = IanaFlavour().fetch(source)
    entries, problems = [], []
    try:
        step = next(steps)
        while True:
            if isinstance(step, Request):
                body = answers.get(step.url.removeprefix(source))
                status = 404 if body is None else 200
                step = steps.send(Reply(step.url, status, (body or "").encode()))
                continue
            (entries if isinstance(step, CatalogueEntry) else problems).append(step)
            step = next(steps)
    except StopIteration:
        return entries, problems


PAGE = '<a href="/assignments/tls/tls.xhtml">TLS</a> <a href="/assignments/tls"> <a href="/about">'


def test_records_of_one_file() -> None:
    """Root and direct children; a child without dates or title has the root's dates and its own id."""
    entries, problems = crawl({"protocols": PAGE, "assignments/tls/tls.xml": TLS})
    records = {entry.docid: entry.build() for entry in entries}
    assert problems == []
    assert list(records) == ["tls", "tls/alerts", "tls/ciphers"]
    assert [one.title[0].content for one in records.values()] == [
        "Transport Layer Security",
        "Alerts & more",
        "ciphers",
    ]
    both = (DocumentDate("created", "2005-08-23"), DocumentDate("updated", "2025-01-02"))
    assert [one.date for one in records.values()] == [both, both, (DocumentDate("created", "2010-01-01"),)]
    assert {one.source[0].content for one in records.values()} == {"https://www.iana.org/assignments/tls"}
    assert records["tls/alerts"].primary == "IANA tls/alerts"
    assert records["tls/alerts"].id == "IANAtlsalerts"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("<registry>", ProblemKind.FAILED),
        (TLS.replace("</registry>", "", 1), ProblemKind.FAILED),
        (f"<registry {XMLNS}><title>No id</title></registry>", ProblemKind.FAILED),
        (f'<!DOCTYPE a [<!ENTITY b "c">]>{TLS.partition("?>")[2]}', ProblemKind.FAILED),
        ("BEGIN:VCARD", ProblemKind.SKIPPED),
        ("<schema/>", ProblemKind.SKIPPED),
        ("<registry id='x'/>", ProblemKind.SKIPPED),
        (None, ProblemKind.FAILED),
    ],
)
def test_what_is_no_registry(body: str | None, kind: ProblemKind) -> None:
    """A broken registry is a failure, another file is passed over; both are told."""
    entries, problems = crawl({"protocols": PAGE, "assignments/tls/tls.xml": body})
    assert entries == []
    assert [one.kind for one in problems] == [kind]


@pytest.mark.parametrize("page", [None, "", "<html>Service unavailable</html>"])
def test_a_site_without_its_list(page: str | None) -> None:
    """No list of registries is an incomplete crawl, not an empty catalogue."""
    with pytest.raises(IncompleteCrawl):
        crawl({"protocols": page} if page is not None else {})


def test_clashing_records_both_have_a_file(tmp_path: Path) -> None:
    """A child and a root that give one name are two files, and an unchanged checkout changes none."""
    source = tmp_path / "checkout"
    for folder, text in (("tls", TLS), ("tls-alerts", TLS.replace('id="tls"', 'id="tls-alerts"', 1))):
        (source / folder).mkdir(parents=True)
        (source / folder / f"{folder}.xml").write_text(text)
    fetcher = BulkFetcher(IanaFlavour(), tmp_path / "data", uses_ledger=True)
    report = fetcher.fetch(Checkout(source))
    assert (report.written, report.collided) == (6, 1)
    assert len(list((tmp_path / "data").glob("tls-alerts*.yaml"))) == 4
    assert (fetcher.fetch(Checkout(source)).written, fetcher.fetch(Checkout(source)).skipped) == (0, 6)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IANA tls/alerts", Identifier("IANA", "tls", part="alerts")),
        ("iana tls", Identifier("IANA", "tls")),
        ("tls", Identifier("IANA", "tls")),
        ("two words", None),
        ("", None),
    ],
)
def test_identifiers(text: str, expected: Identifier | None) -> None:
    """Root and child are number and part."""
    assert identify_registry(text) == expected
