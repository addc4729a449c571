"""Lanes of a SQLite file: in memory while one process is there, in the table while several are, one pace always."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from stook.engine.door import BackOff, Lane, LaneSettings, LaneState, Ticket
from stook.engine.door.lane import governor, pacer
from stook.engine.ledger import connect
from stook.engine.ledger.lanes import DatabaseLanes, Presence, ResidentLanes
from stook.engine.ledger.lanes.resident_lanes import LOOK, RETURN
from stook.engine.ledger.schema import LANE, METADATA
from stook.testing import ManualClock

BACK_OFF = BackOff()
LATER = Ticket(9e12)


class Command:
    """One command on the file: an engine, a clock and a store of its own."""

    def __init__(self, url: str, run: str) -> None:
        self.engine, dialect = connect(url)
        METADATA.create_all(self.engine, tables=[LANE])
        self.clock = ManualClock(jumps=False)
        self.statements: list[str] = []
        event.listen(self.engine, "before_cursor_execute", lambda *a: self.statements.append(a[2]))
        table = DatabaseLanes(self.engine, dialect, run, self.clock)
        folder = Path(f"{self.engine.url.database}-lanes")
        self.store = ResidentLanes(table, Presence(folder), self.clock)

    async def change(self, step: Any, gap: float = 100.0, name: str = "host") -> Any:
        return (await self.store.change(name, LaneState(gap), step))[1]

    async def state(self, name: str = "host") -> LaneState:
        return (await self.store.change(name, LaneState(100.0), lambda state, now: (state, None)))[0]

    async def throttle(self) -> None:
        await self.change(lambda state, now: governor.throttled(state, now, LATER, BACK_OFF))

    def rows(self) -> list[str]:
        with self.engine.connect() as connection:
            return list(connection.execute(sa.select(LANE.c["HOST"]).order_by(LANE.c["HOST"])).scalars())


@pytest.fixture
def commands(sqlite_url: str) -> Iterator[Any]:
    opened: list[Command] = []

    def make(run: str = "run") -> Command:
        opened.append(Command(sqlite_url, run))
        return opened[-1]

    yield make
    for command in opened:
        command.engine.dispose()


def test_alone_in_memory(commands: Any) -> None:
    """One process alone asks the file when it begins, and stores what the next one must know when it ends."""

    async def main() -> None:
        command = commands()
        await command.change(pacer.reserve)
        command.statements.clear()
        for name in ("host", "other"):
            await command.change(pacer.reserve, name=name)
            await command.change(pacer.start, name=name)
        assert (command.statements, command.store.is_in_memory) == ([], True)
        await command.store.close()
        assert command.rows() == ["host", "other"]
        following = commands()
        (wait,) = await following.change(pacer.reserve)
        assert 190.0 < wait <= 200.0
        await following.store.close()

    asyncio.run(main())


def test_a_second_command(commands: Any) -> None:
    """From when a second command begins, both keep the first one's pace and each other's cooldown, by the table."""

    async def main() -> None:
        first, second = commands("a"), commands("b")
        for _ in range(3):
            await first.change(pacer.reserve)
        (wait,) = await second.change(pacer.reserve)
        assert 290.0 < wait <= 300.0
        assert not second.store.is_in_memory
        first.clock.advance(LOOK)
        (wait,) = await first.change(pacer.reserve)
        assert 390.0 < wait <= 410.0
        await second.throttle()
        assert (await first.state()).rounds == 1
        for command in (first, second):
            await command.store.close()

    asyncio.run(main())


def test_alone_again(commands: Any) -> None:
    """A while after the other has gone, the lanes come back to memory as the other left them."""

    async def main() -> None:
        first, second = commands("a"), commands("b")
        await first.change(pacer.reserve)
        await second.throttle()
        first.clock.advance(LOOK)
        await first.state()
        assert not first.store.is_in_memory
        await second.store.close()
        first.clock.advance(LOOK)
        await first.state()
        assert not first.store.is_in_memory
        first.clock.advance(RETURN)
        state = await first.state()
        assert (first.store.is_in_memory, state.rounds, state.penalty) == (True, 1, 60.0)
        await first.store.close()

    asyncio.run(main())


def test_killed(commands: Any) -> None:
    """A cooldown and a closure are stored at once, so they outlive a process that is killed."""

    async def main() -> None:
        killed = commands("a")
        await killed.throttle()
        await killed.change(lambda state, now: governor.closed(state, now, "HTTP 403"), name="shut")
        killed.store._presence.leave()  # what the system does
        following, stranger = commands("a"), commands("b")
        assert (await following.state()).penalty == 60.0
        assert (await following.state("shut")).closed_reason == "HTTP 403"
        assert (await stranger.state("shut")).closed_reason == ""
        for command in (following, stranger):
            await command.store.close()

    asyncio.run(main())


def test_memory_is_flat(commands: Any) -> None:
    """Hosts that are no longer of interest are forgotten, and make no row."""

    async def main() -> None:
        command = commands()
        for number in range(300):
            await command.change(pacer.reserve, 1.0, f"host{number}")
        command.clock.advance(5.0)
        while command.store._memory:  # noqa: ASYNC110 - until the watch has looked
            await asyncio.sleep(0.01)
        await command.store.close()
        assert command.rows() == []

    asyncio.run(main())


def test_without_gap_and_limit(commands: Any) -> None:
    """A lane without gap and limit never touches the file, and needs no look for others."""

    async def main() -> None:
        command = commands()
        for _ in range(5):
            assert await command.change(pacer.start, 0.0) is not None
        assert (command.statements, command.store.is_in_memory) == ([], False)
        await command.store.close()

    asyncio.run(main())


def test_limit_between_commands(commands: Any) -> None:
    """The requests that one command has under way count in the other, also those from before it began."""

    async def main() -> None:
        first, second = commands("a"), commands("b")
        settings = LaneSettings(0.0, concurrency=2)
        ours, theirs = (Lane("host", settings, command.clock, command.store) for command in (first, second))
        await ours.turn()
        await ours.turn()
        waiting = asyncio.ensure_future(theirs.turn())
        await asyncio.wait([waiting], timeout=0.6)
        assert not waiting.done()
        first.clock.advance(LOOK)
        ours.leave()
        while not waiting.done():
            second.clock.advance(0.2)
            await asyncio.sleep(0.01)
        ours.leave()
        theirs.leave()
        await asyncio.gather(ours.settle(), theirs.settle())
        assert (await second.state()).flights == ()
        for command in (first, second):
            await command.store.close()

    asyncio.run(main())


def test_no_folder_beside_the_file(commands: Any) -> None:
    """Where processes cannot see each other, the table is used."""
    command = commands()
    Path(f"{command.engine.url.database}-lanes").touch()

    async def main() -> None:
        await command.change(pacer.reserve)
        await command.change(pacer.reserve)
        assert (command.store.is_in_memory, command.rows()) == (False, ["host"])
        await command.store.close()

    asyncio.run(main())
