"""The pace and patience of a lane: its own settings, those of its host, or those of all hosts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace

from stook.settings import values
from stook.settings.option import setting

__all__ = ["LaneRule", "LaneTable", "Service", "rule_of"]


@dataclass(frozen=True, slots=True)
class LaneRule:
    """The rule of a lane; in seconds but for `throttle_giveup`, which counts rounds, and `concurrency`: requests under
    way at once, 0 for no limit."""

    gap: float
    throttle_base: float
    throttle_max: float
    throttle_giveup: int
    concurrency: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneTable:
    """A `[lane."host"]` table of the file; a key that it leaves out is None."""

    gap: float | None = setting(None, values.seconds(0, 3600), "Seconds between two request starts.")
    throttle_base: float | None = setting(None, values.seconds(0), "First cooldown, in seconds.")
    throttle_max: float | None = setting(None, values.seconds(0), "Longest cooldown, in seconds.")
    throttle_giveup: int | None = setting(None, values.whole(1, 1000), "Rounds until the lane closes.")
    concurrency: int | None = setting(None, values.whole(0, 10_000), "Requests under way at once; 0 is no limit.")


@dataclass(frozen=True, slots=True)
class Service:
    """A product's lane with a gap setting; `is_override` when the environment or an option set that gap."""

    lane: str
    host: str
    gap: float
    is_override: bool


def rule_of(name: str, services: Iterable[Service], tables: Mapping[str, LaneTable], everywhere: LaneRule) -> LaneRule:
    """The rule of a product's lane (`<product>.<service>`) or of a host; where two share a host, the slower gap.

    The file's table of that name wins, then that of the host behind it; a gap from the environment or an option wins
    over both.
    """
    ours = [service for service in services if name in (service.lane, service.host)]
    gap = max((service.gap for service in ours), default=everywhere.gap)
    rule = replace(everywhere, gap=gap)
    for key in dict.fromkeys([*(service.host for service in ours), name]):
        rule = _with_table(rule, tables.get(key, LaneTable()))
    return replace(rule, gap=gap) if any(service.is_override for service in ours) else rule


def _with_table(rule: LaneRule, table: LaneTable) -> LaneRule:
    values_given = {member.name: getattr(table, member.name) for member in fields(LaneTable)}
    return replace(rule, **{name: value for name, value in values_given.items() if value is not None})
