"""What every setting is, for `stook settings` and the reference page."""

from __future__ import annotations

from dataclasses import dataclass, fields

from stook.settings.lanes import LaneTable
from stook.settings.option import Option
from stook.settings.tree import Settings, options

__all__ = ["Row", "describe"]


@dataclass(frozen=True, slots=True)
class Row:
    """One setting as text; `value` and `origin` are empty where no settings were read. Secrets are masked."""

    key: str
    env: str
    type: str
    default: str
    help: str
    is_secret: bool
    value: str = ""
    origin: str = ""


def describe(settings: Settings | None = None) -> list[Row]:
    """Every setting in the order of the tree, then what stook.toml says about single lanes."""
    rows = [_row(option, settings) for option in options()]
    return rows + (_lane_rows(settings) if settings else [])


def _row(option: Option, settings: Settings | None) -> Row:
    value = option.show(settings.value(option.key)) if settings else ""
    origin = settings.origins.get(option.key, "default") if settings else ""
    return Row(option.key, option.env, option.type, option.default_text, option.help, option.is_secret, value, origin)


def _lane_rows(settings: Settings) -> list[Row]:
    rows = []
    for host, table in settings.lanes.items():
        for one in fields(LaneTable):
            value = getattr(table, one.name)
            if value is not None:
                key = f'lane."{host}".{one.name}'
                rows.append(Row(key, "", "number", "", one.metadata["help"], False, f"{value}", "stook.toml"))
    return rows
