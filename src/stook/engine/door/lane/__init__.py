"""A host's timeline: the spacing of its requests and its back-pressure."""

from stook.engine.door.lane.lane import Lane, LaneStore, MemoryStore, Step, Waiting
from stook.engine.door.lane.lanes import Lanes, LaneSettings
from stook.engine.door.lane.state import Ladder, LaneState, Ticket

__all__ = [
    "Ladder",
    "Lane",
    "LaneSettings",
    "LaneState",
    "LaneStore",
    "Lanes",
    "MemoryStore",
    "Step",
    "Ticket",
    "Waiting",
]
