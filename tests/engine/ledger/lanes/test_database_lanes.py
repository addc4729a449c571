"""Lanes in the database: one pace, one cooldown and one latch for all processes of all hosts."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from stook.engine.clock import RealClock
from stook.engine.door import BackOff, Lane, LaneSettings, LaneState, Ticket
from stook.engine.door.lane import flight, governor, pacer
from stook.engine.errors import LaneClosed, Unavailable
from stook.engine.ledger import connect
from stook.engine.ledger.lanes import DatabaseLanes
from stook.engine.ledger.lanes.database_lanes import CLEANING, NEXT_CLEANING, TRUST
from stook.engine.ledger.lanes.row import RUNS_KEPT
from stook.engine.ledger.lanes.rows import DELETE_AT_MOST
from stook.engine.ledger.schema import LANE, METADATA
from stook.testing import ManualClock

GAP = 0.04
LATER = Ticket(9e9)  # left after every cooldown
BACK_OFF = BackOff(base=60.0, maximum=900.0, give_up=3)


class OtherHost(RealClock):
    """A machine whose clocks are wrong by an hour."""

    def now(self) -> datetime:
        return super().now() + timedelta(hours=1)

    def monotonic(self) -> float:
        return super().monotonic() + 3600.0


class Host:
    """One process: an engine of its own, and a store in it."""

    def __init__(self, url: str, run: str = "run", clock: Any = None, patience: float = 30.0) -> None:
        self.engine, dialect = connect(url)
        self.clock = clock or RealClock()
        self.store = DatabaseLanes(self.engine, dialect, run, self.clock, patience=patience)

    def lane(self, gap: float = GAP, batch: int = 1, name: str = "host") -> Lane:
        return Lane(name, LaneSettings(gap, BACK_OFF), self.clock, self.store, batch)

    def change(self, step: Callable[[LaneState, float], Any], gap: float = 1.0, name: str = "host") -> Any:
        """The answer of one step."""
        return asyncio.run(self.store.change(name, LaneState(gap), step))[1]

    def state(self, gap: float = 1.0, name: str = "host") -> LaneState:
        state, _ = asyncio.run(self.store.change(name, LaneState(gap), lambda state, now: (state, None)))
        return state

    def now(self) -> float:
        return float(self.change(lambda state, now: (state, now)))

    def throttle(self, ticket: Ticket = LATER, back_off: BackOff = BACK_OFF, **more: Any) -> None:
        self.change(lambda state, now: governor.throttled(state, now, ticket, back_off, **more))

    def succeed(self, ticket: Ticket = LATER) -> None:
        self.change(lambda state, now: governor.succeeded(state, now, ticket, BACK_OFF))

    def pass_time(self, seconds: float) -> None:
        """The lane's times come so much nearer, or go so much further back."""
        self.change(
            lambda state, now: (
                replace(
                    state,
                    cooldown_until=state.cooldown_until - seconds,
                    next_at=state.next_at - seconds,
                    started_at=state.started_at - seconds,
                ),
                None,
            )
        )


@pytest.fixture
def hosts(database_url: str) -> Iterator[Callable[..., Host]]:
    """Makes hosts on one database, on every engine."""
    opened: list[Host] = []

    def make(run: str = "run", **more: Any) -> Host:
        opened.append(Host(database_url, run, **more))
        if len(opened) == 1:
            METADATA.create_all(opened[0].engine, tables=[LANE])
        return opened[-1]

    yield make
    for host in opened:
        host.engine.dispose()


def together(*actions: Callable[[], None]) -> None:
    """Run all at the same time, each in its thread; the first error is raised."""
    errors: list[BaseException] = []
    barrier = Barrier(len(actions))

    def run(action: Callable[[], None]) -> None:
        barrier.wait()
        try:
            action()
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=run, args=[action]) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def starter(host: Host, starts: list[float], count: int, *, batch: int = 1, gap: float = GAP) -> Callable[[], None]:
    """Starts so many requests on one lane, all waiting together; `starts` are on the database's clock."""

    async def main() -> None:
        lane = host.lane(gap, batch)
        tickets = await asyncio.gather(*(lane.turn() for _ in range(count)))
        starts.extend(ticket.issued_at for ticket in tickets)

    return lambda: asyncio.run(main())


def assert_paced(starts: list[float], gap: float = GAP) -> None:
    """No two starts closer than the gap, which leaves no second with too many."""
    ordered = sorted(starts)
    assert min(later - earlier for earlier, later in pairwise(ordered)) >= gap - 1e-3
    windows = [sum(start <= other < start + 1.0 for other in ordered) for start in ordered]
    assert max(windows) <= round(1 / gap)


@pytest.mark.parametrize("batch", [1, 4])
def test_hosts_keep_one_pace(hosts: Callable[..., Host], batch: int) -> None:
    """Requests of four hosts, whose own clocks differ, start a gap apart on the database's clock."""
    starts: list[float] = []
    clocks = [RealClock(), OtherHost(), RealClock(), OtherHost()]
    together(*(starter(hosts(clock=clock), starts, 8, batch=batch) for clock in clocks))
    assert len(starts) == 32
    assert_paced(starts)


CHILD = """
import asyncio, json, sys, time
from stook.engine.clock import RealClock
from stook.engine.door import Lanes, LaneSettings
from stook.engine.ledger import connect
from stook.engine.ledger.lanes import DatabaseLanes

async def main():
    engine, dialect = connect(sys.argv[1])
    store = DatabaseLanes(engine, dialect, "run", RealClock())
    settings = LaneSettings(float(sys.argv[2]), concurrency=int(sys.argv[3]))
    lanes = Lanes(RealClock(), default=settings, store=store, batch=3)

    async def ask():
        ticket = await lanes["host"].turn()
        begun = time.monotonic()
        await asyncio.sleep(0.01)
        ended = time.monotonic()
        lanes["host"].leave()
        return ticket.issued_at, begun, ended

    print(json.dumps(await asyncio.gather(*(ask() for _ in range(10)))))
    await lanes.close()

print("ready", flush=True)
sys.stdin.readline()
asyncio.run(main())
"""


def asked_by_processes(url: str, gap: float, concurrency: int) -> list[tuple[float, float, float]]:
    """Ten requests of each of three processes that begin together: when each was let out, began and ended."""
    command = [sys.executable, "-c", CHILD, url, str(gap), str(concurrency)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[4] / "src")}
    pipe = subprocess.PIPE
    children = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment) for _ in range(3)
    ]
    assert [child.stdout.readline() for child in children if child.stdout] == ["ready\n"] * 3
    for child in children:
        assert child.stdin
        child.stdin.write("go\n")
        child.stdin.flush()
    ends = [child.communicate(timeout=120) for child in children]
    assert [error for _, error in ends] == [""] * 3
    asked = [tuple(times) for out, _ in ends for times in json.loads(out)]
    assert len(asked) == 30
    return asked


def test_processes_keep_one_pace(hosts: Callable[..., Host], database_url: str) -> None:
    """The same with real processes, on a lane that no one has made yet."""
    hosts()
    assert_paced([issued for issued, _, _ in asked_by_processes(database_url, GAP, 0)])


@pytest.mark.parametrize("gap", [0.0, 0.02])
def test_processes_keep_one_limit(hosts: Callable[..., Host], database_url: str, gap: float) -> None:
    """No more requests are under way than the lane allows, in all processes together; in the end none is counted."""
    host = hosts()
    asked = asked_by_processes(database_url, gap, 2)
    most = max(sum(begun <= moment < ended for _, begun, ended in asked) for _, moment, _ in asked)
    assert most <= 2
    assert host.state().flights == ()


def test_a_late_host_brings_no_two_together(hosts: Callable[..., Host]) -> None:
    """Who sleeps through its slot starts a gap after whoever started last, though the slot had been its own."""
    late, other = hosts(), hosts()
    gap = 20.0  # long against what a busy machine takes between two calls
    late.change(pacer.reserve, gap)
    _, answer = asyncio.run(other.store.change("host", LaneState(gap), pacer.start))
    assert answer is not None
    moment, wait = asyncio.run(late.store.change("host", LaneState(gap), pacer.start))[1] or (0.0, 0.0)
    assert moment - answer[0] >= gap
    assert 0 < wait <= gap * 1.1


def test_a_lane_made_by_many_at_once(hosts: Callable[..., Host]) -> None:
    """A lane's first request may come from many at once: the row is made once, and all get slots of their own."""
    some = [hosts() for _ in range(4)]
    waits: list[float] = []
    together(*(lambda host=host: waits.append(host.change(pacer.reserve, 1000.0)[0]) for host in some))
    apart = [later - earlier for earlier, later in pairwise(sorted(waits))]
    assert min(apart) > 990.0
    with some[0].engine.connect() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(LANE)).scalar_one() == 1


def test_blocks_of_slots(hosts: Callable[..., Host]) -> None:
    """Slots taken together are a gap apart, and the next host's come after the last of them."""
    one, other = hosts(), hosts()
    block = one.change(lambda state, now: pacer.reserve(state, now, 4), 10.0)
    (after,) = other.change(pacer.reserve, 10.0)
    assert [round(later - earlier, 3) for earlier, later in pairwise(block)] == [10.2] * 3
    assert 40.0 < after <= 41.0


def test_one_cooldown(hosts: Callable[..., Host]) -> None:
    """A 429 that one host saw holds all back, and those in flight meanwhile add no round."""
    one, other = hosts(), hosts()
    early = Ticket(one.now())
    one.throttle(early)
    other.throttle(early)
    assert (other.state().rounds, other.state().penalty) == (1, 60.0)
    (wait,) = other.change(pacer.reserve)
    assert 58.0 < wait <= 60.0
    assert other.change(pacer.start) is None


def test_success_halves_once(hosts: Callable[..., Host]) -> None:
    """After a cooldown the first success halves the penalty; what left before it began changes nothing."""
    one, other = hosts(), hosts()
    early = Ticket(one.now())
    one.throttle(early)
    one.throttle()
    assert one.state().penalty == 120.0
    other.succeed(early)
    assert other.state().penalty == 120.0
    other.succeed()
    assert (one.state().penalty, one.state().rounds) == (60.0, 0)


def test_closed_for_the_run(hosts: Callable[..., Host]) -> None:
    """The last barren round closes the lane for all processes of that run, and for no other run."""
    one, sibling, stranger = hosts("a"), hosts("a"), hosts("b")
    for _ in range(BACK_OFF.give_up):
        one.throttle()
    assert sibling.state().closed_reason == "throttled in 3 rounds"
    assert sibling.state().rounds == 3
    with pytest.raises(LaneClosed, match="throttled in 3 rounds"):
        asyncio.run(sibling.lane().turn())
    assert (stranger.state().closed_reason, stranger.state().rounds) == ("", 0)
    assert stranger.state().cooldown_until == sibling.state().cooldown_until


def test_another_run_opens_nothing(hosts: Callable[..., Host]) -> None:
    """What another run writes to the lane leaves it closed for the run that closed it, and the other way round."""
    one, sibling, stranger = hosts("a"), hosts("a"), hosts("b")
    one.change(lambda state, now: governor.closed(state, now, "HTTP 403\nof a host"))
    stranger.change(pacer.reserve)
    stranger.throttle()
    assert sibling.state().closed_reason == "HTTP 403 of a host"
    sibling.change(pacer.reserve)
    assert (stranger.state().rounds, stranger.state().closed_reason) == (1, "")
    stranger.throttle()
    stranger.throttle()
    assert (stranger.state().rounds, sibling.state().rounds) == (3, 0)
    assert [host.state().closed_reason for host in (one, stranger)] == ["HTTP 403 of a host", "throttled in 3 rounds"]


def test_closures_are_forgotten(hosts: Callable[..., Host]) -> None:
    """A row remembers the closures of the last few runs, not of all that ever were."""
    for number in range(RUNS_KEPT + 2):
        hosts(f"run{number}").change(lambda state, now: governor.closed(state, now, "HTTP 403"))
    assert hosts("run0").state().closed_reason == ""
    assert hosts(f"run{RUNS_KEPT + 1}").state().closed_reason == "HTTP 403"


@pytest.mark.parametrize("gap", [1.0, 20.0])
def test_a_clock_that_was_set_back(hosts: Callable[..., Host], gap: float) -> None:
    """Where the database's clock went back a day, what was left of slots and cooldown is waited out, not the day."""
    host = hosts()
    day = 86400.0

    def ahead(state: LaneState, now: float) -> tuple[LaneState, None]:
        return replace(state, started_at=now + day, next_at=now + day + 5, cooldown_until=now + day + 30), None

    host.change(ahead, gap)
    (wait,) = host.change(pacer.reserve, gap)
    assert wait == pytest.approx(30.0, abs=0.01)
    state = host.state(gap)
    assert state.next_at == pytest.approx(state.cooldown_until + state.gap, abs=0.01)


@pytest.mark.parametrize("words", ["maintenance", "closed by me", "run x y", "one\ntwo three", " ", "0 1 "])
def test_words_of_others_close_nothing(hosts: Callable[..., Host], words: str) -> None:
    """What somebody else wrote where closures stand neither closes a lane nor stops its requests."""
    host = hosts()
    host.change(pacer.reserve)
    with host.engine.begin() as connection:
        connection.execute(sa.update(LANE).values(CLOSED_REASON=words))
    assert host.change(pacer.start, 0.5) is not None
    host.change(lambda state, now: governor.closed(state, now, "HTTP 403"))
    assert host.state().closed_reason == "HTTP 403"


class PassingClock(RealClock):
    """Who sleeps moves the lane's times instead; what is to happen in the first sleep comes before."""

    def __init__(self, happens: Callable[[], None], passes: Callable[[float], None]) -> None:
        self.happens: Callable[[], None] | None = happens
        self.passes = passes

    async def sleep(self, seconds: float) -> None:
        if self.happens:
            await asyncio.to_thread(self.happens)
            self.happens = None
        await asyncio.to_thread(self.passes, seconds)


def test_a_waiter_is_held_back_by_another_host(hosts: Callable[..., Host]) -> None:
    """Who waits for its slot when another host meets a 429 starts after the cooldown."""
    other = hosts()
    slept: list[float] = []

    def passes(seconds: float) -> None:
        slept.append(seconds)
        other.pass_time(seconds)

    one = hosts(clock=PassingClock(other.throttle, passes))

    async def main() -> Ticket:
        lane = one.lane(gap=BACK_OFF.base / 2)
        await lane.turn()
        return await lane.turn()

    assert asyncio.run(main()).issued_at >= other.state().cooldown_until
    assert sum(slept) > BACK_OFF.base * 0.9


def test_without_a_gap(hosts: Callable[..., Host]) -> None:
    """A lane without a gap takes no lock and makes no row, and knows the cooldown that another host began."""
    clock = ManualClock(jumps=False)
    one, other = hosts(clock=clock), hosts()
    statements: list[str] = []
    event.listen(one.engine, "before_cursor_execute", lambda *a: statements.append(a[2]))
    assert one.change(pacer.reserve, 0.0) == (0.0,)
    assert one.change(pacer.start, 0.0)[1] == 0.0
    assert not [text for text in statements if text.startswith(("UPDATE", "INSERT"))]
    other.change(lambda state, now: governor.throttled(state, now, LATER, BACK_OFF), 0.0)
    assert one.change(pacer.start, 0.0) is not None
    clock.advance(TRUST)
    assert one.change(pacer.start, 0.0) is None


def test_a_calm_lane_is_trusted_for_a_moment(hosts: Callable[..., Host]) -> None:
    """Without a gap the database is asked once in a while, not for each request; in trouble for each request."""
    clock = ManualClock(jumps=False)
    host, statements = hosts(clock=clock), list[str]()
    host.change(pacer.reserve, 0.0)
    event.listen(host.engine, "before_cursor_execute", lambda *a: statements.append(a[2]))
    statements.clear()
    for _ in range(50):
        host.change(pacer.start, 0.0)
    assert statements == []
    host.change(lambda state, now: governor.throttled(state, now, LATER, BACK_OFF), 0.0)
    statements.clear()
    for _ in range(5):
        assert host.change(pacer.start, 0.0) is None
    assert len([text for text in statements if text.startswith("SELECT")]) == 5


class Trouble:
    """The database says no to the next `count` statements."""

    def __init__(self, engine: sa.Engine, count: int, kind: type[sa.exc.DBAPIError] = sa.exc.OperationalError) -> None:
        self.left = count
        self.kind = kind
        event.listen(engine, "before_cursor_execute", self)

    def __call__(self, connection: Any, cursor: Any, statement: str, parameters: Any, *more: Any) -> None:
        if self.left and "SELECT" in statement:
            self.left -= 1
            raise self.kind(statement, parameters, Exception("gone away"))


def test_a_database_away_for_a_moment(hosts: Callable[..., Host]) -> None:
    """A lane waits for a database that is away, and goes on."""
    host = hosts()
    trouble = Trouble(host.engine, 3)
    assert host.change(pacer.reserve) == (0.0,)
    assert trouble.left == 0


@pytest.mark.parametrize("kind", [sa.exc.OperationalError, sa.exc.InternalError, sa.exc.NotSupportedError])
def test_a_database_away_for_long(hosts: Callable[..., Host], kind: type[sa.exc.DBAPIError]) -> None:
    """When it does not come back, the request is Unavailable: never a failure of the event that asked."""
    host = hosts(clock=ManualClock(patience=0.02), patience=100.0)
    Trouble(host.engine, 10**6, kind)
    with pytest.raises(Unavailable, match="lanes"):
        host.change(pacer.reserve)
    assert host.clock.monotonic() > 100.0


def test_stored_beside_others(hosts: Callable[..., Host]) -> None:
    """A process that stores what it knew shortens no cooldown and no slot that another has stored meanwhile."""
    one, other = hosts(), hosts()
    before = replace(one.state(), gap=1.0)
    other.change(lambda state, now: pacer.reserve(state, now, 50))
    other.throttle()
    stored = other.state()
    asyncio.run(one.store.put({"host": replace(before, next_at=5.0, started_at=one.now())}))
    after = one.state()
    assert (after.next_at, after.cooldown_until) == (stored.next_at, stored.cooldown_until)
    assert (after.rounds, after.penalty) == (1, 60.0)
    assert after.started_at > stored.started_at


def put(host: Host, name: str, **columns: Any) -> None:
    host.change(pacer.reserve, 1.0, name)
    with host.engine.begin() as connection:
        connection.execute(sa.update(LANE).where(LANE.c["HOST"] == name).values(columns))


def names(host: Host) -> set[str]:
    with host.engine.connect() as connection:
        return set(connection.execute(sa.select(LANE.c["HOST"])).scalars())


def test_unused_rows_are_deleted(hosts: Callable[..., Host]) -> None:
    """A row that no request has used for a day goes, unless its cooldown lasts or it tells of a closure."""
    clock = ManualClock(jumps=False)
    host = hosts(clock=clock)
    now = datetime(1970, 1, 1) + timedelta(seconds=host.now())
    old, older = now - timedelta(days=1, minutes=1), now - timedelta(days=31)
    put(host, "used", NEXT_AT=old)
    put(host, "unused", NEXT_AT=old, UPDATED=old)
    put(host, "from an older version", NEXT_AT=old, UPDATED=None)
    put(host, "cooling", NEXT_AT=old, UPDATED=old, COOLDOWN_UNTIL=now + timedelta(hours=1))
    put(host, "closed", NEXT_AT=old, UPDATED=old, CLOSED_REASON="run 0 HTTP 403")
    put(host, "closed long ago", NEXT_AT=older, UPDATED=older, CLOSED_REASON="run 0 HTTP 403")
    assert len(names(host)) == 7  # with the one that told the time
    clock.advance(CLEANING)
    host.change(pacer.reserve, 1.0, "used")
    assert names(host) == {"host", "used", "cooling", "closed"}


def test_deleting_is_bounded(hosts: Callable[..., Host]) -> None:
    """A few rows are deleted at a time, and the rest a minute later."""
    clock = ManualClock(jumps=False)
    host = hosts(clock=clock)
    host.now()
    old = datetime(2001, 1, 1)
    row = {"NEXT_AT": old, "STARTED_AT": old, "COOLDOWN_UNTIL": old, "GAP": 1.0, "PENALTY": 0.0, "ROUNDS": 0}
    with host.engine.begin() as connection:
        rows = [{"HOST": f"host{number}", **row} for number in range(DELETE_AT_MOST + 5)]
        connection.execute(sa.insert(LANE), rows)
    clock.advance(CLEANING)
    host.now()
    assert len(names(host)) == 1 + 5
    host.now()
    assert len(names(host)) == 1 + 5
    clock.advance(NEXT_CLEANING)
    host.now()
    assert names(host) == {"host"}


def test_killed_process_keeps_its_places_for_a_lease(hosts: Callable[..., Host]) -> None:
    """What a process that was killed had under way counts until its lease ends."""
    killed, other = hosts(), hosts()
    fresh = LaneState(0.0, concurrency=1)

    async def board(host: Host, holder: str) -> Any:
        return (await host.store.change("host", fresh, lambda state, now: flight.board(state, now, holder, 0)))[1]

    assert asyncio.run(board(killed, "killed"))
    assert not asyncio.run(board(other, "other"))
    before = other.state().flights[0].until
    with other.engine.begin() as connection:
        flights = f"killed 1 {before - flight.LEASE:.3f}"
        connection.execute(sa.update(LANE).values(FLIGHTS=flights))
    assert asyncio.run(board(other, "other"))
