"""The lanes on which requests wait until they may start."""

from stook.engine.door.lane.governor import retry_after
from stook.engine.door.lane.lane import UNLIMITED, Lane, Waiting
from stook.engine.door.lane.lanes import Lanes
from stook.engine.door.lane.state import BackOff, Flights, LaneSettings, LaneState, Ticket, is_calm, is_forgettable
from stook.engine.door.lane.store import LaneStore, MemoryStore, Step

__all__ = [
    "UNLIMITED",
    "BackOff",
    "Flights",
    "Lane",
    "LaneSettings",
    "LaneState",
    "LaneStore",
    "Lanes",
    "MemoryStore",
    "Step",
    "Ticket",
    "Waiting",
    "is_calm",
    "is_forgettable",
    "retry_after",
]
