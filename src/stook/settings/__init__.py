"""The settings: one frozen tree, read once from defaults, stook.toml, the environment and options."""

from stook.settings.describe import SettingRow, describe
from stook.settings.lanes import LaneRule
from stook.settings.load import load_settings
from stook.settings.model import Settings, options

__all__ = ["LaneRule", "SettingRow", "Settings", "describe", "load_settings", "options"]
