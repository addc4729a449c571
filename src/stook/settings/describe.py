"""Every setting as text, for `stook settings` and the reference page."""

from __future__ import annotations

from dataclasses import dataclass, fields

from stook.settings.lanes import LaneTable
from stook.settings.model import Settings, options
from stook.settings.option import Option

__all__ = ["SettingRow", "describe"]


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting as text. Secrets are masked."""

    key: str
    env: str
    type: str
    default: str
    help: str
    is_secret: bool
    value: str
    origin: str


def describe(settings: Settings) -> list[SettingRow]:
    """Every setting in the order of the tree, then what stook.toml says about single lanes."""
    return [_row(option, settings) for option in options(settings.sections)] + _lane_rows(settings)


def _row(option: Option, settings: Settings) -> SettingRow:
    return SettingRow(
        option.key,
        option.env,
        option.type,
        option.default_text,
        option.help,
        option.is_secret,
        option.show(settings.value(option.key)),
        settings.origins.get(option.key, "default"),
    )


def _lane_rows(settings: Settings) -> list[SettingRow]:
    rows = []
    for host, table in settings.lanes.items():
        for member in fields(LaneTable):
            value = getattr(table, member.name)
            if value is not None:
                key, help_line = f'lane."{host}".{member.name}', member.metadata["help"]
                rows.append(SettingRow(key, "", "number", "", help_line, False, f"{value}", "stook.toml"))
    return rows
