"""Events, cursors and validators in one SQL database."""

from stook.engine.ledger.dialects import Dialect, connect
from stook.engine.ledger.ledger import Ledger
from stook.engine.ledger.queue.model import Queue, event_id, poll_queue
from stook.engine.ledger.queue.status import EventState
from stook.engine.ledger.transaction import Transaction, chunks
from stook.engine.ledger.visits import Receipt, VisitResult

__all__ = [
    "Dialect",
    "EventState",
    "Ledger",
    "Queue",
    "Receipt",
    "Transaction",
    "VisitResult",
    "chunks",
    "connect",
    "event_id",
    "poll_queue",
]
