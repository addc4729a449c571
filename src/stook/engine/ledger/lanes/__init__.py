"""Lanes that several processes share, in the ledger's database."""

from stook.engine.ledger.lanes.database_lanes import DatabaseLanes
from stook.engine.ledger.lanes.presence import Presence
from stook.engine.ledger.lanes.resident_lanes import ResidentLanes

__all__ = ["DatabaseLanes", "Presence", "ResidentLanes"]
