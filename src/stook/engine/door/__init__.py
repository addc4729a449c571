"""The one way out: guard, lane, transport, reply. Nothing else in Stook opens a socket."""

from stook.engine.door.door import Door
from stook.engine.door.download import partial_of, partial_size
from stook.engine.door.guard.guard import Guard, Verdict, judge_row
from stook.engine.door.guard.resolver import Lookup, lookup_system
from stook.engine.door.lane import (
    UNLIMITED,
    BackOff,
    Flights,
    Lane,
    Lanes,
    LaneSettings,
    LaneState,
    LaneStore,
    MemoryStore,
    Step,
    Ticket,
    Waiting,
    is_calm,
    is_forgettable,
    retry_after,
)
from stook.engine.door.validators import Validators, conditional_headers, validators_of

__all__ = [
    "UNLIMITED",
    "BackOff",
    "Door",
    "Flights",
    "Guard",
    "Lane",
    "LaneSettings",
    "LaneState",
    "LaneStore",
    "Lanes",
    "Lookup",
    "MemoryStore",
    "Step",
    "Ticket",
    "Validators",
    "Verdict",
    "Waiting",
    "conditional_headers",
    "is_calm",
    "is_forgettable",
    "judge_row",
    "lookup_system",
    "partial_of",
    "partial_size",
    "retry_after",
    "validators_of",
]
