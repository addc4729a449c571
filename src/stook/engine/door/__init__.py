"""The one way out: guard, lane, transport, reply. Nothing else in Stook opens a socket."""

from stook.engine.door.door import Door
from stook.engine.door.guard.guard import Guard, Verdict, judge_row
from stook.engine.door.guard.resolver import Lookup, lookup_system
from stook.engine.door.lane.governor import retry_after
from stook.engine.door.lane.lane import Lane, LaneStore, MemoryStore, Step, Waiting
from stook.engine.door.lane.lanes import Lanes, LaneSettings
from stook.engine.door.lane.state import Ladder, LaneState, Ticket
from stook.engine.door.validators import Validators, conditional_headers, validators_of

__all__ = [
    "Door",
    "Guard",
    "Ladder",
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
    "judge_row",
    "lookup_system",
    "retry_after",
    "validators_of",
]
