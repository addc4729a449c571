"""What belongs to the modules that a command names, and whether all of it has ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from stook.engine.ledger import Ledger, Queue, chunks
from stook.engine.ledger.queue.codes import is_urgent
from stook.engine.ledger.queue.lease import is_held
from stook.registries.golang.keep.rows import stored_alive
from stook.registries.golang.queues import MODULE, PAGE, VERSIONS

__all__ = ["ModuleScope"]

QUEUES = (MODULE, VERSIONS, PAGE)


@dataclass(frozen=True, slots=True)
class ModuleScope:
    """The events of these modules: the modules' own, those of their versions, and what pkg.go.dev is asked of them.

    A version that belongs to another path is an event there, which is urgent, too.
    """

    ledger: Ledger
    modules: Sequence[str]

    def is_settled(self) -> bool:
        """Whether no event of these modules is due or held any more, and no urgent event is left in their queues.

        First frees what a dead process of this host holds; puts in front what is due.
        """
        names = [queue.name for queue in QUEUES]
        self.ledger.release_abandoned(queues=names)
        now = self.ledger.clock.now()
        first = self.ledger.next_due(names)
        if first is not None and is_urgent(first, now):
            return False
        with self.ledger.reading() as connection:
            unfinished = {queue: dict(self._unfinished(connection, queue)) for queue in QUEUES}
        for queue, events in unfinished.items():
            if due := [identity for identity, due_at in events.items() if due_at <= now]:
                self.ledger.hasten(queue.name, due)
        return not any(unfinished.values())

    def _unfinished(self, connection: sa.Connection, queue: Queue) -> Iterator[tuple[bytes, datetime]]:
        """Ids and due times of the modules' events in a queue that are due or held."""
        table = queue.table
        due = table.c["DUE_AT"]
        unfinished = sa.select(table.c["ID"], due).where((due <= self.ledger.clock.now()) | is_held(queue))
        for where in self._ranges(connection, queue):
            for identity, due_at in connection.execute(unfinished.where(due.is_not(None), where)):
                yield bytes(identity), due_at

    def _ranges(self, connection: sa.Connection, queue: Queue) -> Iterator[sa.ColumnElement[bool]]:
        """The conditions for the modules' events: those of versions lie in one range of ids, the others are named."""
        identity = queue.table.c["ID"]
        if queue is VERSIONS:
            for path in self.modules:
                yield identity.between(*queue.id_range(path)) & (queue.table.c["INDEX_PATH"] == path)
            return
        for part in chunks([queue.id_of(name, "") for name in self._names(connection, queue)], 500):
            yield identity.in_(part)

    def _names(self, connection: sa.Connection, queue: Queue) -> Sequence[str]:
        if queue is MODULE:
            return self.modules
        return [f"{path}@{version}" for path in self.modules for version in stored_alive(connection, path)]
