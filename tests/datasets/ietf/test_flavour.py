"""IETF: a record for every RFC and every number of a sub-series that is in use."""

from __future__ import annotations

from pathlib import Path

import pytest

from stook.datasets.bulk import BulkFetcher
from stook.datasets.checkout import Checkout
from stook.datasets.flavour import ProblemKind
from stook.datasets.formats.yaml import load_yaml
from stook.datasets.ietf.flavour import IetfFlavour
from stook.datasets.ietf.identifier import identify_rfc
from stook.datasets.model.bibitem import Bibitem, item_from
from stook.datasets.model.identifier import Identifier
from stook.datasets.report.run_report import RunEnd, RunReport

INDEX = """<?xml version="1.0" encoding="UTF-8"?>
<rfc-index xmlns="https://www.rfc-editor.org/rfc-index">
<bcp-entry><doc-id>BCP0001</doc-id></bcp-entry>
<bcp-entry><doc-id>BCP0014</doc-id><is-also><doc-id>RFC2119</doc-id><doc-id>RFC8174</doc-id></is-also></bcp-entry>
<std-entry><doc-id>STD0097</doc-id><is-also><doc-id>RFC9110</doc-id></is-also></std-entry>
<rfc-entry><doc-id>RFC0001</doc-id><title>Host Software</title><author><name>S. Crocker</name></author>
 <date><month>April</month><year>1969</year></date><current-status>UNKNOWN</current-status><stream>Legacy</stream>
 <doi>10.17487/RFC0001</doi></rfc-entry>
<rfc-entry><doc-id>RFC2119</doc-id><title>Key words</title><author><name>S. Bradner</name></author>
 <date><month>March</month><year>1997</year></date><is-also><doc-id>BCP0014</doc-id></is-also></rfc-entry>
<rfc-entry><doc-id>RFC8174</doc-id><title>Ambiguity</title><author><name>B. Leiba</name></author>
 <date><month>May</month><year>2017</year></date><updates><doc-id>RFC2119</doc-id></updates></rfc-entry>
<rfc-entry><doc-id>RFC9110</doc-id><title>HTTP Semantics</title>
 <author><name>R. Fielding</name><title>Editor</title></author><author><name>Internet Architecture Board</name></author>
 <date><month>June</month><year>2022</year></date><keywords><kw>HTTP</kw><kw>method</kw></keywords>
 <abstract><p>A &lt;b&gt; of</p><p>two.</p></abstract><updates><doc-id>RFC3864</doc-id></updates>
 <obsoleted-by><doc-id>RFC9999</doc-id></obsoleted-by><is-also><doc-id>STD0097</doc-id></is-also>
 <current-status>INTERNET STANDARD</current-status><stream>IETF</stream><wg_acronym>httpbis</wg_acronym></rfc-entry>
<rfc-not-issued-entry><doc-id>RFC0014</doc-id></rfc-not-issued-entry>
</rfc-index>"""


def run(folder: Path, text: str, **options: bool) -> RunReport:
    (folder / "source").mkdir(exist_ok=True)
    (folder / "source" / "rfc-index.xml").write_text(text, encoding="utf-8")
    return BulkFetcher(IetfFlavour(), folder / "data", **options).fetch(Checkout(folder / "source"))


def record(folder: Path, name: str) -> Bibitem:
    return item_from(load_yaml((folder / "data" / name).read_bytes()))


def test_files(tmp_path: Path) -> None:
    """RFCs and used numbers of sub-series, by the names of the index; what was not issued has none."""
    assert run(tmp_path, INDEX).written == 6
    names = ["bcp0014.yaml", "rfc0001.yaml", "rfc2119.yaml", "rfc8174.yaml", "rfc9110.yaml", "std0097.yaml"]
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == names


def test_an_rfc(tmp_path: Path) -> None:
    """Identifiers, people and bodies, abstract, relations, series, as Relaton has them."""
    run(tmp_path, INDEX)
    item = record(tmp_path, "rfc9110.yaml")
    assert (item.primary, item.docnumber, item.id) == ("RFC 9110", "RFC9110", "RFC9110")
    assert [(one.type, one.at) for one in item.date] == [("published", "2022-06")]
    roles = [one.role[0].type for one in item.contributor]
    assert roles == ["editor", "author", "publisher", "authorizer", "author"]
    person, board, *_, group = item.contributor
    assert person.person is not None
    assert person.person.name.surname is not None
    assert person.person.name.surname.content == "Fielding"
    assert board.organization is not None
    assert group.organization is not None
    assert group.organization.subdivision[0].identifier[0].content == "httpbis"
    assert item.abstract[0].content == "<p>A &lt;b&gt; of</p><p>two.</p>"
    assert [(one.type, one.bibitem.primary) for one in item.relation] == [
        ("updates", "RFC3864"),
        ("obsoletedBy", "RFC9999"),
    ]
    assert [(one.title[0].content, one.number) for one in item.series] == [("STD", "97"), ("RFC", "9110"), ("IETF", "")]
    assert [one.vocab.content for one in item.keyword] == ["HTTP", "method"]
    first = record(tmp_path, "rfc0001.yaml")
    assert [one.content for one in first.docidentifier] == ["RFC 1", "10.17487/RFC0001"]
    assert first.source[0].content == "https://www.rfc-editor.org/info/rfc1"


def test_a_sub_series(tmp_path: Path) -> None:
    """It holds the whole records of its RFCs, and the date of the newest."""
    run(tmp_path, INDEX)
    item = record(tmp_path, "bcp0014.yaml")
    assert item.title[0].content == "Best Current Practice 14"
    assert [one.bibitem.primary for one in item.relation] == ["RFC 2119", "RFC 8174"]
    assert [one.bibitem.title[0].content for one in item.relation] == ["Key words", "Ambiguity"]
    assert item.date[0].at == "2017-05"


def test_a_change_reaches_the_sub_series(tmp_path: Path) -> None:
    """With the ledger, an RFC that changes is written with every number that includes it, and nothing else."""
    run(tmp_path, INDEX, uses_ledger=True)
    report = run(tmp_path, INDEX.replace("Ambiguity", "Ambiguities"), uses_ledger=True)
    assert (report.written, report.skipped) == (2, 4)
    assert record(tmp_path, "bcp0014.yaml").relation[1].bibitem.title[0].content == "Ambiguities"


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("<rfc-index>", RunEnd.FAILED),
        ("<html/>", RunEnd.FAILED),
        (INDEX[:1000], RunEnd.FAILED),
        (INDEX, RunEnd.PUBLISHED),
    ],
)
def test_a_broken_index_publishes_nothing(tmp_path: Path, text: str, end: RunEnd) -> None:
    """An index that is cut short is no smaller catalogue."""
    assert run(tmp_path, text).end is end
    assert (tmp_path / "index-v1.yaml").exists() == (end is RunEnd.PUBLISHED)


def test_gaps_are_told(tmp_path: Path) -> None:
    """An entry without a number is a failure, a constituent that the index lacks a warning."""
    text = INDEX.replace("<doc-id>RFC0001</doc-id>", "", 1).replace(
        "<doc-id>RFC2119</doc-id><title>", "<doc-id>RFC2118</doc-id><title>"
    )
    report = run(tmp_path, text)
    assert report.problem_counts == {ProblemKind.FAILED: 1, ProblemKind.WARNING: 1}
    assert [one.bibitem.primary for one in record(tmp_path, "bcp0014.yaml").relation] == ["RFC 8174"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RFC 1", ("RFC", "1")),
        ("rfc0001", ("RFC", "1")),
        ("IETF BCP-14", ("BCP", "14")),
        ("RFC", None),
        ("RFC 1a", None),
    ],
)
def test_identifiers(text: str, expected: tuple[str, str] | None) -> None:
    """Zeros, blanks and case do not count."""
    assert identify_rfc(text) == (Identifier(*expected) if expected else None)
