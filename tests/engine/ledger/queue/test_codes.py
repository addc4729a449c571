"""The states of an event: each code has one meaning, and SQL and Python agree on it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.ledger.queue import codes
from stook.engine.words import Code

ENDED = [int(code) for code in Code if code not in (Code.PENDING, Code.FAILED)]
ALL = [codes.PENDING, *ENDED, *range(20, 30), *codes.RUNGS, codes.GIVEN_UP]
NOON, MORNING = datetime(2026, 11, 1, 12), datetime(2026, 11, 1, 8)


def in_sql(expression, code):
    """What an engine makes of an expression about one code."""
    with sa.create_engine("sqlite://").connect() as connection:
        found = connection.execute(sa.select(expression(sa.literal(code)))).scalar_one()
    connection.engine.dispose()
    return found


def test_the_numbers_are_those_of_the_contract():
    """People read these numbers: they never change."""
    assert (0, 39, tuple(range(30, 39))) == (codes.PENDING, codes.GIVEN_UP, codes.RUNGS)
    assert (codes.REVIVED, codes.DONE, codes.ENDED_BADLY) == ((5, 39), (1, 3, 6), (3, 5, 39))
    assert [codes.held_code(code) for code in (0, 30, 38)] == [20, 21, 29]
    assert [codes.failed_code(code) for code in (20, 21, 29)] == [30, 31, 39]


@pytest.mark.parametrize("code", ALL)
def test_sql_and_python_agree(code):
    """Each transition is the same in a statement as in code."""
    assert bool(in_sql(codes.held_column, code)) is codes.is_held(code)
    if codes.is_held(code):
        assert in_sql(codes.released_value, code) == codes.released_code(code)
        assert codes.held_code(code) == code
    else:
        assert in_sql(codes.held_value, code) == codes.held_code(code)


@given(st.sampled_from(codes.WAITING))
def test_holding_and_releasing_are_inverse(code):
    """What is given back stands where it stood."""
    assert codes.released_code(codes.held_code(code)) == code
    assert codes.is_held(codes.held_code(code))


def test_the_ladder_has_an_end():
    """Failure by failure an event climbs every rung once, and is given up."""
    code, seen = codes.PENDING, []
    while code != codes.GIVEN_UP:
        code = codes.failed_code(codes.held_code(code))
        seen.append(code)
        assert (codes.rung_delay(code, 0) is None) is (code == codes.GIVEN_UP)
    assert seen == [*codes.RUNGS, codes.GIVEN_UP]


def test_the_groups_share_nothing():
    """No code is both waiting and done, or done and revived by any word."""
    groups = [set(codes.WAITING), set(codes.DONE), set(codes.REVIVED), set(range(20, 30)), {int(Code.EXCLUDED)}]
    assert sum(map(len, groups)) == len(set().union(*groups)) == len(ALL)


@pytest.mark.parametrize(
    ("code", "known", "announced", "revived"),
    [
        (5, None, None, True),
        (39, MORNING, None, True),
        (39, None, NOON, True),
        (5, MORNING, NOON, True),
        (5, NOON, NOON, False),
        (5, NOON, MORNING, False),
        (1, MORNING, NOON, False),
        (3, None, None, False),
        (20, None, None, False),
    ],
)
def test_what_an_announcement_revives(code, known, announced, revived):
    """Only what ended in nothing, and by a feed only if it happened since."""
    assert codes.is_revived(code, known, announced) is revived


def test_urgent_is_far_before_now():
    """No backlog reaches back as far as an urgent event."""
    assert codes.is_urgent(NOON - codes.URGENT, NOON)
    assert codes.is_urgent(NOON - codes.URGENT, NOON + timedelta(days=365))
    assert not codes.is_urgent(NOON - timedelta(days=365), NOON)
