"""The doubles we ship: real things made small, for our tests, for other people's products, and for `stook demo`."""

from stook.testing.clock import ManualClock
from stook.testing.registry import LoopbackRegistry
from stook.testing.sample import sample_world
from stook.testing.script import Unscripted, run_visit
from stook.testing.world import World

__all__ = ["LoopbackRegistry", "ManualClock", "Unscripted", "World", "run_visit", "sample_world"]
