"""Reading the settings: defaults, then stook.toml, then the environment, then options; later wins."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stook.engine.errors import UserError
from stook.settings.lanes import LaneTable
from stook.settings.model import CORE_SECTIONS, Settings, options
from stook.settings.option import Option, options_of

__all__ = ["FILE_NAME", "find_file", "load_settings"]

FILE_NAME = "stook.toml"
_LONGEST = 80  # characters of a wrong value that a message repeats


def load_settings(
    environment: Mapping[str, str],
    cwd: Path,
    sections: Mapping[str, type],
    overrides: Mapping[str, object] | None = None,
    *,
    unread: Collection[str] = (),
) -> Settings:
    """The settings of this run; raises UserError at the first key that is unknown or value that is wrong.

    `sections` are the products' dataclasses of settings by section name, `overrides` options by dotted key (`db`,
    `work.tasks`); those that are None were not given. Sections named `unread` are skipped: their product is broken.
    """
    catalogue = _Catalogue({option.key: option for option in options(sections)}, sections, frozenset(unread))
    file = find_file(cwd)
    table = _read_file(file) if file else {}
    lanes = _lanes_of(table.pop("lane", {}), str(file))
    assignments = [
        *catalogue.from_file(table, str(file)),
        *catalogue.from_environment(environment),
        *catalogue.from_options(overrides or {}),
    ]
    return _checked(catalogue.build(assignments, lanes))


def find_file(cwd: Path) -> Path | None:
    """The stook.toml that is read: the current folder's, else the one of the user's config folder."""
    from platformdirs import user_config_path  # noqa: PLC0415  --help need not wait for it

    places = (cwd, user_config_path("stook", appauthor=False))
    return next((place / FILE_NAME for place in places if (place / FILE_NAME).is_file()), None)


def _read_file(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UserError(f"{file} cannot be read: {error}") from None


@dataclass(frozen=True, slots=True)
class _Assignment:
    """A value for a setting: the name under which it was given, and where."""

    option: Option
    name: str
    value: object
    origin: str

    def read(self) -> object:
        """The value as the setting's reader understands it; UserError when it does not."""
        try:
            return self.option.read(self.value)
        except ValueError as error:
            where = "" if self.origin == self.name else f" in {self.origin}"
            told = re.sub(r"://.*@", "://***@", self.option.show(self.value))  # a URL may have a password
            shown = "" if self.option.is_secret else f" = {told[:_LONGEST]!r}"
            raise UserError(f"{self.name}{shown}{where} {error}.") from None


@dataclass(frozen=True, slots=True)
class _Catalogue:
    """The settings there are, and the readers of each place that may set them."""

    known: Mapping[str, Option]
    sections: Mapping[str, type] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()

    def from_file(self, table: Mapping[str, object], file: str) -> Iterator[_Assignment]:
        for key, value in self._flat(table):
            yield _Assignment(self.known.get(key) or _unknown(key, key, self.known, file), key, value, file)

    def _flat(self, table: Mapping[str, object]) -> Iterator[tuple[str, object]]:
        """Dotted keys; a table under a name that is no section stays a value, and is refused as one."""
        for name, value in table.items():
            if isinstance(value, dict) and (name in CORE_SECTIONS or name in self.sections):
                yield from ((f"{name}.{inner}", inner_value) for inner, inner_value in value.items())
            elif name not in self.unread:
                yield name, value

    def from_environment(self, environment: Mapping[str, str]) -> Iterator[_Assignment]:
        by_name = {option.env: option for option in self.known.values()}
        unread = tuple(f"STOOK_{name.upper()}_" for name in ("test", *self.unread))
        for name in sorted(environment):
            if name in by_name or (name.startswith("STOOK_") and not name.startswith(unread)):
                option = by_name.get(name) or _unknown(name, name, by_name, "the environment")
                yield _Assignment(option, name, environment[name], name)

    def from_options(self, overrides: Mapping[str, object]) -> Iterator[_Assignment]:
        for key, value in overrides.items():
            if value is not None:
                name = f"--{key.rpartition('.')[2].replace('_', '-')}"
                option = self.known.get(key) or _unknown(key, key, self.known, "the command line")
                yield _Assignment(option, name, value, name)

    def build(self, assignments: list[_Assignment], lanes: Mapping[str, LaneTable]) -> Settings:
        """The tree; a later assignment of a key replaces an earlier one."""
        origins = dict.fromkeys(self.known, "default")
        tree: dict[str, dict[str, Any]] = {section: {} for section in ("", *CORE_SECTIONS, *self.sections)}
        for assignment in assignments:
            section, _, name = assignment.option.key.rpartition(".")
            tree[section][name] = assignment.read()
            origins[assignment.option.key] = assignment.origin
        core = {section: holder(**tree[section]) for section, holder in CORE_SECTIONS.items()}
        products = {section: holder(**tree[section]) for section, holder in self.sections.items()}
        return Settings(**tree[""], **core, products=products, lanes=lanes, origins=origins)


def _lanes_of(table: object, file: str) -> dict[str, LaneTable]:
    """The `[lane."host"]` tables, by host in lower case."""
    if not isinstance(table, dict):
        raise UserError(f'{file}: lanes are tables, like [lane."example.org"].')
    known = {option.key: option for option in options_of("", LaneTable)}
    return {str(host).lower(): _read_lane(host, rows, known, file) for host, rows in table.items()}


def _read_lane(host: str, rows: object, known: Mapping[str, Option], file: str) -> LaneTable:
    if not isinstance(rows, dict):
        raise UserError(f'{file}: lanes are tables, like [lane."{host}"]; put the host in quotes.')
    fields = {}
    for name, value in rows.items():
        option = known.get(name) or _unknown(f'lane."{host}".{name}', name, known, file)
        fields[name] = _Assignment(option, f'lane."{host}".{name}', value, file).read()
    return LaneTable(**fields)  # type: ignore[arg-type]


def _unknown(shown: str, key: str, known: Mapping[str, Option], origin: str) -> Option:
    from difflib import get_close_matches  # noqa: PLC0415  only needed for this message

    near = get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else "`stook settings` lists those there are."
    raise UserError(f"{shown[:_LONGEST]}, from {origin}, is no setting; {hint}")


def _checked(settings: Settings) -> Settings:
    """Rules between settings."""
    for name in ("", *settings.lanes):
        rule = settings.lane(name)
        if rule.throttle_max < rule.throttle_base:
            where = f' of lane."{name}"' if name else ""
            shown = f"{rule.throttle_max:g} s{where}"
            raise UserError(f"throttle max, {shown}, must not be shorter than base, {rule.throttle_base:g} s.")
    return settings
