"""How events end: the codes and delays of the tables contract."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.errors import FailureCode
from stook.engine.ledger.queue.codes import LADDER
from stook.engine.ledger.queue.settle import back_off, next_state
from stook.engine.words import Code, Event, Outcome

NOW = datetime(2026, 11, 1)
HOURS = (6, 12, 24, 48, 72, 120, 168, 336, 720)


def held_as(processed: int) -> Event:
    return Event("pages", b"", "a", "", "page", processed)


@pytest.mark.parametrize("code", [Code.COMPLETE, Code.EXCLUDED, Code.MALFORMED, Code.NOT_FOUND, Code.ALIAS])
def test_terminal_ends(bench, code):
    """A terminal outcome is the row's code, with its reason; nothing is due, and nobody holds it."""
    (identity,) = bench.announce("a")
    bench.end(bench.claim(), Outcome(code, "why", 200))
    row = bench.row(identity)
    assert (row["PROCESSED"], row["DUE_AT"], row["LEASE"]) == (int(code), None, None)
    assert (row["LAST_ERROR"], row["LAST_STATUS"], row["LAST_UPDATED"]) == ("why", 200, bench.now)


def test_the_ladder_from_bottom_to_top(bench):
    """Each failure waits on the next rung, 30 to 38, 10 % more or less than its time; the tenth gives up."""
    (identity,) = bench.announce("a")
    for rung, hours in enumerate(HOURS):
        bench.end(bench.claim(), Outcome(Code.FAILED, f"try {rung}"))
        row = bench.row(identity)
        wait = (row["DUE_AT"] - bench.now) / timedelta(hours=1)
        assert (row["PROCESSED"], row["ATTEMPTS"], row["LAST_ERROR"]) == (30 + rung, rung + 1, f"try {rung}")
        assert hours * 0.9 <= wait <= hours * 1.1
        bench.clock.advance(wait * 3600 + 1)
    bench.end(bench.claim(), Outcome(Code.FAILED, "the last"))
    row = bench.row(identity)
    assert (row["PROCESSED"], row["DUE_AT"], row["LAST_ERROR"], row["ATTEMPTS"]) == (39, None, "the last", 10)


@given(st.integers(20, 28), st.floats(-1, 1))
def test_jitter_is_ten_per_cent(processed, jitter):
    """Whatever the chance, a rung's wait is within 10 % of its time."""
    code, due = next_state(held_as(processed), Outcome(Code.FAILED), NOW, jitter)
    wait = (due - NOW).total_seconds()
    assert code == processed + 10
    assert 0.9 * LADDER[processed - 20] - 1 <= wait <= 1.1 * LADDER[processed - 20] + 1


@pytest.mark.parametrize("rung", [0, *range(30, 39)])
def test_pending_goes_back_where_it_was(bench, rung):
    """Trouble of the infrastructure does not climb: the event waits its own delay where it stood."""
    (identity,) = bench.announce("a")
    bench.put(identity, PROCESSED=rung)
    bench.end(bench.claim(), Outcome(Code.PENDING, "HTTP 503", 503, delay=90))
    row = bench.row(identity)
    assert (row["PROCESSED"], row["DUE_AT"], row["LEASE"]) == (rung, bench.later(90), None)
    assert (row["ATTEMPTS"], row["LAST_STATUS"], row["LAST_ERROR"]) == (1, 503, "HTTP 503")


def test_deferred_is_no_attempt(bench):
    """An event whose lane was closed was not even tried."""
    (identity,) = bench.announce("a")
    bench.end(bench.claim(), Outcome(Code.PENDING, "closed", delay=60, is_deferred=True))
    assert bench.row(identity)["ATTEMPTS"] == 0


def test_success_forgets_attempts(bench):
    """A completed event starts from nothing should it ever be woken."""
    (identity,) = bench.announce("a")
    bench.put(identity, ATTEMPTS=5, LAST_ERROR="old", LAST_STATUS=500)
    bench.end(bench.claim(), Code.COMPLETE)
    row = bench.row(identity)
    assert (row["ATTEMPTS"], row["LAST_ERROR"], row["LAST_STATUS"]) == (0, None, None)


def test_attempts_fit_their_column(bench):
    """An event that is tried for ever does not run its counter over."""
    (identity,) = bench.announce("a")
    bench.put(identity, ATTEMPTS=32000)
    bench.end(bench.claim(), Code.FAILED)
    assert bench.row(identity)["ATTEMPTS"] == 32000


@pytest.mark.parametrize("reason", ["x" * 3000, "nul \0 here", "half \ud800 a pair", "☃ 𝒳 'quoted' \\ %s"])
def test_every_reason_can_be_kept(bench, reason):
    """Reasons quote what came from outside: they are cut, and made such that any engine can store them."""
    (identity,) = bench.announce("a")
    bench.end(bench.claim(), Outcome(Code.FAILED, reason))
    stored = bench.row(identity)["LAST_ERROR"]
    assert len(stored) == min(len(reason), 500)
    assert stored[:4] == reason[:4]


def test_outcomes_set_columns(bench):
    """Facts of an outcome are columns of its row, and of no other's."""
    ids = bench.announce("a@1", "a@2", queue="cargo")
    events = bench.claim(queue="cargo")
    yanked = {ids[0]: Outcome(Code.COMPLETE, facts={"YANKED": 1, "DISPLAY_NAME": "A"})}
    bench.end(events, Code.COMPLETE, outcomes=yanked)
    rows = [bench.row(identity, "cargo") for identity in ids]
    assert [(row["YANKED"], row["DISPLAY_NAME"], row["PROCESSED"]) for row in rows] == [(1, "A", 1), (0, None, 1)]


@given(st.integers(0, 40000))
def test_back_off_doubles_from_a_minute_to_an_hour(attempts):
    """1, 2, 4 … 60 minutes."""
    assert back_off(attempts) == min(60 * 2 ** min(attempts, 20), 3600)


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (Outcome(Code.PENDING, "HTTP 503", 503, delay=9, failure=FailureCode.HTTP_STATUS), "http_status"),
        (Outcome(Code.FAILED, "torn", failure=FailureCode.BROKEN_BODY), "broken_body"),
        (Outcome(Code.NOT_FOUND, "gone", 404), "not_found"),
        (Outcome(Code.MALFORMED, "no JSON"), "malformed"),
        (Outcome(Code.FAILED), "malformed"),
        (Outcome(Code.COMPLETE, status=304), None),
        (Outcome(Code.PENDING, delay=9), None),
    ],
)
def test_the_failure_is_kept_as_a_code(bench, outcome, code):
    """LAST_CODE says what went wrong, beside status and reason; the next end writes its own."""
    (identity,) = bench.announce("a")
    bench.put(identity, LAST_CODE="dns")
    bench.end(bench.claim(), outcome)
    row = bench.row(identity)
    assert (row["LAST_CODE"], row["LAST_STATUS"]) == (code, outcome.status)


def test_afresh_begins_as_a_new_event(bench):
    """`is_afresh` with a delay: the next look knows nothing of rungs, tries and wishes before it."""
    (identity,) = bench.announce("a", resync=True)
    bench.put(identity, PROCESSED=34, ATTEMPTS=7)
    bench.end(bench.claim(), Outcome(Code.PENDING, delay=60, is_afresh=True))
    row = bench.row(identity)
    assert (row["PROCESSED"], row["ATTEMPTS"], row["RESYNC"], row["DUE_AT"]) == (0, 0, 0, bench.later(60))


@pytest.mark.parametrize(("more", "is_urgent"), [({}, True), ({"delay": 5.0}, False), ({"is_afresh": True}, False)])
def test_urgency_outlives_what_was_no_try(bench, more, is_urgent):
    """An urgent event that its visit only put off stays in front; one that begins anew, or waits, does not."""
    bench.announce("a", urgent=True)
    bench.end(bench.claim(), Outcome(Code.PENDING, is_deferred=True, **more))
    bench.clock.advance(10)
    assert [event.urgent for event in bench.claim()] == [is_urgent]
