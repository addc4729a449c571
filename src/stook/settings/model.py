"""The whole tree of settings, frozen: Stook's own sections, and one for each product."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

from stook import __version__
from stook.settings import values
from stook.settings.lanes import LaneRule, LaneTable, Service, rule_of
from stook.settings.option import Option, options_of, setting

__all__ = ["CORE_SECTIONS", "Settings", "ThrottleSettings", "WorkSettings", "options"]

S = TypeVar("S")


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleSettings:
    """How a lane yields when its host asks for it."""

    base: float = setting(60.0, values.seconds(0), "First cooldown of a host that throttles us, in seconds.")
    max: float = setting(900.0, values.seconds(0), "Longest cooldown, in seconds.")
    giveup: int = setting(5, values.whole(1, 1000), "Rounds without any success after which a lane closes.")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkSettings:
    """How one worker works."""

    tasks: int = setting(16, values.whole(1, 1000), "Packages looked at side by side.")
    lease: float = setting(600.0, values.seconds(1, 86400), "Seconds until a dead worker's events are free again.")
    claim: int = setting(300, values.whole(1, 10_000), "Events taken from the queue at once, whole packages together.")
    gap: float = setting(1.0, values.gap, "Seconds between two request starts at a host that has no gap of its own.")


CORE_SECTIONS: Mapping[str, type] = {"throttle": ThrottleSettings, "work": WorkSettings}
"""The sections that belong to no product."""


def _default_database() -> str:
    from platformdirs import user_data_path  # noqa: PLC0415  --help need not wait for it

    return f"sqlite:///{(user_data_path('stook', appauthor=False) / 'stook.db').as_posix()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of a run.

    `products` holds each product's section by the product's name, `lanes` the file's `[lane."host"]` tables, and
    `origins` says for each dotted key which file, variable or option set it.
    """

    db: str = setting(
        _default_database,
        values.database,
        "Database URL: sqlite:///…, postgresql://… or mysql://… (MySQL 8 and MariaDB).",
        mask=values.mask_database,
        default_name="sqlite:///<user data folder>/stook/stook.db",
    )
    contact: str = setting("", values.contact, "Who we are, for the User-Agent; some registries require it.")
    unsafe_allow_networks: tuple[values.Network, ...] = setting(
        (), values.networks, "Networks that the guard lets pass although they are not public, like 10.1.0.0/16."
    )
    http_proxy: str = setting(
        "",
        values.proxy,
        "HTTP proxy that all requests go through; its own address must be public or in unsafe_allow_networks.",
        mask=values.mask_database,
    )
    log: str = setting(
        "warning", values.choice("debug", "info", "warning", "error"), "Level of the log, which goes to stderr."
    )
    log_format: str = setting("text", values.choice("text", "json"), "How a line of the log looks.")
    throttle: ThrottleSettings = field(default_factory=ThrottleSettings)
    work: WorkSettings = field(default_factory=WorkSettings)
    products: Mapping[str, Any] = field(default_factory=dict)
    lanes: Mapping[str, LaneTable] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict, repr=False)

    def section(self, product: str, kind: type[S]) -> S:
        """A product's section, typed: `settings.section("pebble", PebbleSettings)`. TypeError when it is another."""
        found = self.products[product]
        if not isinstance(found, kind):
            raise TypeError(f"section {product} holds {type(found).__name__}, not {kind.__name__}")
        return found

    @property
    def sections(self) -> dict[str, type]:
        """The type of each product's section, by the product's name."""
        return {name: type(section) for name, section in self.products.items()}

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
        if not section:
            return getattr(self, name)
        return getattr(getattr(self, section) if section in CORE_SECTIONS else self.products[section], name)

    def lane(self, name: str) -> LaneRule:
        """The rule of a lane: of a product's own (`<product>.<service>`), or of a host."""
        everywhere = LaneRule(self.work.gap, self.throttle.base, self.throttle.max, self.throttle.giveup)
        return rule_of(name, self._services(), self.lanes, everywhere)

    @property
    def lane_names(self) -> tuple[str, ...]:
        """Every lane that has settings: those of the products, and the file's tables."""
        return tuple(dict.fromkeys([*(service.lane for service in self._services()), *self.lanes]))

    def lane_gap(self, name: str) -> float:
        """Seconds between two request starts on that lane."""
        return self.lane(name).gap

    def _services(self) -> Iterator[Service]:
        """A lane for each gap of a product: `x_gap` is the lane `<product>.x`, a plain `gap` the lane `<product>`."""
        for product, section in self.products.items():
            for option in options_of(product, section.__class__):
                if option.name == "gap" or option.name.endswith("_gap"):
                    yield self._service(product, section, option)

    def _service(self, product: str, section: Any, option: Option) -> Service:
        service = option.name.removesuffix("gap").removesuffix("_")
        url = getattr(section, f"{service}_url" if service else "url", "")
        is_override = self.origins.get(option.key, "").startswith(("STOOK_", "-"))
        lane = f"{product}.{service}" if service else product
        return Service(lane, urlsplit(str(url)).hostname or "", float(getattr(section, option.name)), is_override)


def options(sections: Mapping[str, type]) -> Iterator[Option]:
    """Every setting in the order of the tree: Stook's own, then those of the products' sections."""
    yield from options_of("", Settings)
    for section, holder in {**CORE_SECTIONS, **sections}.items():
        yield from options_of(section, holder)
