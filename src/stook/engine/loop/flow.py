"""The flow of every event: it is claimed, its visit asks and is answered, and what the visit found is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from stook.engine.loop.active_visit import ActiveVisit
from stook.engine.loop.answers import Answers
from stook.engine.loop.claims import Claims
from stook.engine.loop.keeper import Keeper
from stook.engine.loop.places import Places
from stook.engine.tally import Tally
from stook.engine.words import Part, Source

__all__ = ["Flow"]


@dataclass(frozen=True, slots=True)
class Flow:
    """Joins the parts of the loop. `is_leaving` tells whether visits that only wait are to be given up."""

    claims: Claims
    answers: Answers
    keeper: Keeper
    places: Places
    tally: Tally
    is_leaving: Callable[[], bool]

    async def claim(self, source: Source) -> list[ActiveVisit]:
        """Take due events for a source; each package becomes a visit, which has gone as far as its first ask."""
        visits = await self.claims.claim(source)
        self.tally.claimed[source.name] += len(visits)
        await self.answers.recall(visits)
        return visits

    async def attend(self, visit: ActiveVisit) -> None:
        """See a visit through: answer what it asks for, keep its parts, then its end."""
        async with self.places.place_of(visit):
            part_kept = asyncio.Event()
            part_kept.set()
            may_give_up = True  # before the first answer, and after each part
            while (ask := visit.ask) is not None:
                if may_give_up and self.is_leaving():
                    self.claims.give_back(visit)
                    return
                may_give_up = isinstance(ask, Part)
                if isinstance(ask, Part):
                    await part_kept.wait()  # one part waits to be kept while the next is made, and no more
                    part_kept = self.keeper.put(visit, visit.take_part())
                else:
                    await self.answers.give(visit, ask)
                await self.answers.recall([visit])
        self.claims.leave_place(visit)
        self.tally.ended[visit.source.name] += 1
        self.keeper.put(visit, visit.finished())
