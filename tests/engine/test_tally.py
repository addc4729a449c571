"""The counters of a run."""

from __future__ import annotations

import pytest

from stook.engine.errors import FailureCode
from stook.engine.tally import FAILURES_KEPT, Tally
from stook.engine.words import Code, Event, Outcome

EVENT = Event("shop", b"1", "a", "1.0", "version", 20)


def test_failures_are_counted_and_the_first_listed() -> None:
    """A worker that runs for months does not gather failures without end."""
    tally = Tally()
    for number in range(FAILURES_KEPT + 5):
        tally.fail(Event("shop", b"", f"e{number}", "", "page", 20), Outcome(Code.FAILED, "why"))
    assert (tally.failed, len(tally.failures)) == (FAILURES_KEPT + 5, FAILURES_KEPT)
    assert tally.failures[-1].name == f"e{FAILURES_KEPT - 1}"
    assert tally.codes == {FailureCode.MALFORMED: FAILURES_KEPT + 5}


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (Outcome(Code.PENDING, "timed out", failure=FailureCode.TIMEOUT), FailureCode.TIMEOUT),
        (Outcome(Code.FAILED, "too large", failure=FailureCode.TOO_LARGE), FailureCode.TOO_LARGE),
        (Outcome(Code.FAILED, "no JSON"), FailureCode.MALFORMED),
        (Outcome(Code.MALFORMED, "no JSON"), FailureCode.MALFORMED),
        (Outcome(Code.NOT_FOUND, "gone"), FailureCode.NOT_FOUND),
        (Outcome(Code.PENDING, "not yet"), None),
    ],
)
def test_code_of_a_failure(outcome: Outcome, code: FailureCode | None) -> None:
    """A failure has the code that its source gave, else the one that its outcome implies."""
    tally = Tally()
    tally.fail(EVENT, outcome)
    (failure,) = tally.failures
    assert (failure.event, failure.queue, failure.name, failure.version) == ("a@1.0", "shop", "a", "1.0")
    assert failure.code is code
    assert tally.codes.total() == (code is not None)


def test_rejected_records() -> None:
    """A record that was kept aside is a failure that belongs to no event."""
    tally = Tally()
    tally.reject("a@1.0", "no JSON")
    assert (tally.failed, tally.codes, tally.failures[0].queue) == (1, {FailureCode.MALFORMED: 1}, "")


def test_deferred_events() -> None:
    """Deferred events count by the lane that is closed, and those that enrichment does not have by their queue."""
    tally = Tally()
    tally.defer(EVENT, Outcome(Code.PENDING, "closed", is_deferred=True, lane="shop.api"))
    tally.defer(EVENT, Outcome(Code.NOT_FOUND, "unknown", is_deferred=True))
    assert (tally.deferred, tally.not_enriched, tally.failed) == ({"shop.api": 1}, {"shop": 1}, 0)
