"""What Stook is told: one frozen tree, read once from defaults, stook.toml, the environment and options."""

from stook.settings.describe import Row, describe
from stook.settings.lanes import LaneRule
from stook.settings.load import load_settings
from stook.settings.tree import Settings

__all__ = ["LaneRule", "Row", "Settings", "describe", "load_settings"]
