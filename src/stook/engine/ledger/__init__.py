"""Events, cursors and validators in one SQL database."""

from stook.engine.ledger.dialects import Dialect, connect
from stook.engine.ledger.ledger import Finished, Kept, Ledger, Standing
from stook.engine.ledger.queue.model import Queue, event_id, poll_queue
from stook.engine.ledger.transaction import Transaction, chunks

__all__ = [
    "Dialect",
    "Finished",
    "Kept",
    "Ledger",
    "Queue",
    "Standing",
    "Transaction",
    "chunks",
    "connect",
    "event_id",
    "poll_queue",
]
