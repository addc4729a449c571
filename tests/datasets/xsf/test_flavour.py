"""XSF: a record for every extension protocol, with authors from the shared entities and nothing from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from stook.datasets.bulk import BulkFetcher
from stook.datasets.checkout import Checkout
from stook.datasets.flavour import ProblemKind
from stook.datasets.formats.yaml import load_yaml
from stook.datasets.model.bibitem import item_from
from stook.datasets.model.identifier import Identifier
from stook.datasets.report.run_report import RunEnd, RunReport
from stook.datasets.xsf.flavour import XsfFlavour
from stook.datasets.xsf.identifier import identify_xep

ENTITIES = """<!ENTITY ann "<author><firstname>Ann</firstname>
<surname>Example</surname><email>a@x.test</email></author>">
<!ENTITY LEGALNOTICE "<legal>free</legal>">"""
XEP = """<?xml version='1.0'?>
<!DOCTYPE xep SYSTEM 'xep.dtd' [<!ENTITY % ents SYSTEM 'xep.ent'> <!ENTITY own "Quick"> %ents;]>
<xep><header><title>&own;
  Response</title>&LEGALNOTICE;<number>0439</number>&ann;
<author><firstname>Bob</firstname><surname>B&#xE9;</surname></author>
<revision><version>2</version><date>2020-05-05</date></revision>
<revision><version>1</version><date>2019-01-01</date></revision></header>
<section1><title>not this</title><author><firstname>No</firstname></author></section1></xep>"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A checkout with one protocol."""
    folder = tmp_path / "xeps"
    folder.mkdir()
    (folder / "xep.ent").write_text(ENTITIES)
    (folder / "xep-0439.xml").write_text(XEP)
    (folder / "other.xml").write_text("<nothing>")
    return folder


def run(source: Path) -> RunReport:
    return BulkFetcher(XsfFlavour(), source.parent / "data").fetch(Checkout(source))


def test_a_record(source: Path) -> None:
    """Title and authors with entities resolved, date of the first revision, page, number."""
    assert run(source).written == 1
    item = item_from(load_yaml((source.parent / "data" / "xep-0439.yaml").read_bytes()))
    assert (item.title[0].content, item.docnumber, item.date[0].at) == ("Quick Response", "XEP-0439", "2020-05-05")
    people = [one.person for one in item.contributor if one.person]
    assert [one.name.completename.content for one in people if one.name.completename] == ["Ann Example", "Bob Bé"]
    assert [one.email for one in people] == [("a@x.test",), ()]
    assert item.source[0].content == "http://xmpp.org/extensions/xep-0439.html"


@pytest.mark.parametrize("number", ["README", "xxxx", "", "12345"])
def test_what_is_no_proposal_is_told(source: Path, number: str) -> None:
    """A template is not published, and does not make the set less whole."""
    (source / "xep-template.xml").write_text(XEP.replace("0439", number))
    report = run(source)
    assert (report.written, report.is_whole) == (1, True)
    assert report.problem_counts == {ProblemKind.SKIPPED: 1}


@pytest.mark.parametrize(
    "text",
    [
        "<xep>",
        "<xep/>",
        XEP.replace("&ann;", "&nobody;"),
        XEP.replace("'xep.ent'", "'/etc/passwd'"),
        XEP.replace("'xep.ent'", "'http://elsewhere.test/xep.ent'"),
    ],
)
def test_a_broken_proposal_is_a_failure(source: Path, text: str) -> None:
    """It is told, the others are published, and nothing would be deleted."""
    (source / "xep-0500.xml").write_text(text)
    report = run(source)
    assert (report.written, report.is_whole) == (1, False)
    assert report.problem_counts == {ProblemKind.FAILED: 1}


def test_without_the_entities_nothing_is_published(source: Path) -> None:
    """Records without authors would pass for complete."""
    (source / "xep.ent").unlink()
    report = run(source)
    assert report.end is RunEnd.REFUSED
    assert "xep.ent" in report.reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [("XEP 0001", "0001"), ("xep-1", "0001"), ("XSF XEP 45", "0045"), ("XEP 12345", None), ("XEP", None)],
)
def test_identifiers(text: str, expected: str | None) -> None:
    """Every way to write a number is the same protocol."""
    assert identify_xep(text) == (Identifier("XEP", expected) if expected else None)
