"""Which pace and patience hold for a lane: what was told about the lane, its host, or all hosts."""

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
    """A `[lane."host"]` table of the file; what it leaves out stays None."""

    gap: float | None = setting(None, values.seconds(0, 3600), "Seconds between two request starts.")
    throttle_base: float | None = setting(None, values.seconds(0), "First cooldown, in seconds.")
    throttle_max: float | None = setting(None, values.seconds(0), "Longest cooldown, in seconds.")
    throttle_giveup: int | None = setting(None, values.whole(1, 1000), "Rounds until the lane closes.")
    concurrency: int | None = setting(None, values.whole(0, 10_000), "Requests under way at once; 0 is no limit.")


@dataclass(frozen=True, slots=True)
class Service:
    """A lane of ours with a gap setting; `is_told` when the environment or an option set that gap."""

    lane: str
    host: str
    gap: float
    is_told: bool


def rule_of(name: str, services: Iterable[Service], tables: Mapping[str, LaneTable], everywhere: LaneRule) -> LaneRule:
    """The rule of a lane of ours (`cargo.api`) or of a host; where two of ours share that host, the slower gap.

    The file's table of that name wins, then that of the host behind it; a told gap wins over both.
    """
    ours = [one for one in services if name in (one.lane, one.host)]
    gap = max((one.gap for one in ours), default=everywhere.gap)
    rule = replace(everywhere, gap=gap)
    for key in dict.fromkeys([*(one.host for one in ours), name]):
        rule = _with_table(rule, tables.get(key, LaneTable()))
    return replace(rule, gap=gap) if any(one.is_told for one in ours) else rule


def _with_table(rule: LaneRule, table: LaneTable) -> LaneRule:
    said = {one.name: getattr(table, one.name) for one in fields(LaneTable)}
    return replace(rule, **{name: value for name, value in said.items() if value is not None})
