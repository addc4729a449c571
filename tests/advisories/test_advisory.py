"""What a record means as a whole."""

from __future__ import annotations

from datetime import UTC, datetime

from stook.advisories.advisory import MAX_SUMMARY, Advisory, Review, interpret
from stook.advisories.severity import SeverityLevel

from .orders import ORDERS  # noqa: TID252
from .records import affected, record  # noqa: TID252


def advisory(**more: object) -> Advisory:
    return interpret(record("GO-2024-0001", affected("oar", {"introduced": "0"}), **more), ORDERS)


def test_times() -> None:
    """The year 1 is no time; a withdrawn record is one whatever its time."""
    unknown = advisory(modified="0001-01-01T00:00:00Z", withdrawn="0001-01-01T00:00:00Z")
    assert (unknown.modified, unknown.withdrawn, unknown.is_withdrawn) == (None, None, True)
    known = advisory(published="2024-04-01T00:00:00Z")
    assert (known.published, known.is_withdrawn) == (datetime(2024, 4, 1, tzinfo=UTC), False)


def test_aliases_and_cves() -> None:
    """Aliases are sorted, once each, without the id and without what is no identifier."""
    one = advisory(aliases=["GHSA-1-2-3", "CVE-2024-0002", "CVE-2024-0001", "GO-2024-0001", "CVE-2024-0001", "a b"])
    assert one.aliases == ("CVE-2024-0001", "CVE-2024-0002", "GHSA-1-2-3")
    assert one.cves == ("CVE-2024-0001", "CVE-2024-0002")
    assert len(one.notes) == 1


def test_review() -> None:
    """The Go database's status, GHSA's boolean, and silence."""
    assert advisory(database_specific={"review_status": "REVIEWED"}).review is Review.REVIEWED
    assert advisory(database_specific={"review_status": "UNREVIEWED"}).review is Review.UNREVIEWED
    assert advisory(database_specific={"github_reviewed": True}).review is Review.REVIEWED
    assert advisory(database_specific={"review_status": 1}).review is Review.UNSAID
    assert advisory().review is Review.UNSAID


def test_severity_word() -> None:
    """GHSA's word serves where there is no vector."""
    assert advisory(database_specific={"severity": "HIGH"}).severity.level is SeverityLevel.HIGH


def test_texts_are_cut() -> None:
    """Summaries have a length; without one, the first line of the details serves. Only web links are kept."""
    assert len(advisory(summary="x" * 5000).summary) == MAX_SUMMARY
    assert advisory(details="\n\n  First.\nSecond.").summary == "First."
    links = advisory(
        references=[{"type": "WEB", "url": "https://a.test"}, {"type": "WEB", "url": "javascript:x"}]
    ).links
    assert links == (("WEB", "https://a.test"),)
