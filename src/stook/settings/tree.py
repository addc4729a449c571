"""The whole tree of settings, frozen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from stook import __version__
from stook.settings import values
from stook.settings.lanes import LaneRule, LaneTable, Service, rule_of
from stook.settings.option import Option, options_of, setting
from stook.settings.sections import (
    SECTIONS,
    CargoSettings,
    GithubSettings,
    GoSettings,
    OsvSettings,
    ThrottleSettings,
    WorkSettings,
)

__all__ = ["Settings", "options"]


def _default_database() -> str:
    from platformdirs import user_data_path  # noqa: PLC0415  --help need not wait for it

    return f"sqlite:///{(user_data_path('stook', appauthor=False) / 'stook.db').as_posix()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All of it. `origins` tells for each key who set it; `lanes` holds the file's `[lane."host"]` tables."""

    db: str = setting(
        _default_database,
        values.database,
        "Database URL: sqlite:///…, postgresql://… or mysql://… (MySQL 8 and MariaDB).",
        mask=values.mask_database,
        default_name="sqlite:///<user data folder>/stook/stook.db",
    )
    contact: str = setting("", values.contact, "Who we are, for the User-Agent; crates.io is not asked without it.")
    unsafe_allow_networks: tuple[values.Network, ...] = setting(
        (), values.networks, "Networks the guard lets pass though they are not public, like 10.1.0.0/16."
    )
    log: str = setting(
        "warning", values.one_of("debug", "info", "warning", "error"), "Level of the log, which goes to stderr."
    )
    log_format: str = setting("text", values.one_of("text", "json"), "How a line of the log looks.")
    cargo: CargoSettings = field(default_factory=CargoSettings)
    go: GoSettings = field(default_factory=GoSettings)
    osv: OsvSettings = field(default_factory=OsvSettings)
    github: GithubSettings = field(default_factory=GithubSettings)
    throttle: ThrottleSettings = field(default_factory=ThrottleSettings)
    work: WorkSettings = field(default_factory=WorkSettings)
    lanes: Mapping[str, LaneTable] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def user_agent(self) -> str:
        return f"stook/{__version__} (+{self.contact})" if self.contact else f"stook/{__version__}"

    @property
    def shown_db(self) -> str:
        """The database URL without its password."""
        return values.mask_database(self.db)

    def value(self, key: str) -> object:
        """The value of a dotted key."""
        section, _, name = key.rpartition(".")
        return getattr(getattr(self, section) if section else self, name)

    def lane(self, name: str) -> LaneRule:
        """What holds for a lane: one of ours (`cargo.index`, `cargo.api`, `go.proxy` …) or a host."""
        everywhere = LaneRule(self.work.gap, self.throttle.base, self.throttle.max, self.throttle.giveup)
        return rule_of(name, self._services(), self.lanes, everywhere)

    @property
    def lane_names(self) -> tuple[str, ...]:
        """Every lane that something is told about: our services, and the file's tables."""
        return tuple(dict.fromkeys([*(key.removesuffix("_gap") for key in _GAPS), *self.lanes]))

    def lane_gap(self, name: str) -> float:
        """Seconds between two request starts on that lane."""
        return self.lane(name).gap

    def _services(self) -> Iterator[Service]:
        for key in _GAPS:
            lane = key.removesuffix("_gap")
            host = urlsplit(str(self.value(f"{lane}_url"))).hostname or ""
            told = self.origins.get(key, "").startswith(("STOOK_", "-"))
            yield Service(lane, host, float(str(self.value(key))), told)


def options() -> Iterator[Option]:
    """Every setting, in the order of the tree."""
    yield from options_of("", Settings)
    for section, holder in SECTIONS.items():
        yield from options_of(section, holder)


_GAPS = tuple(one.key for one in options() if one.key.endswith("_gap"))
