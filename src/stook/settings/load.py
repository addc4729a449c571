"""Reading the settings: defaults, then stook.toml, then the environment, then options; later wins."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stook.engine.errors import UserError
from stook.settings.given import Given, from_environment, from_file, from_options, lanes_of, read
from stook.settings.lanes import LaneTable
from stook.settings.option import Option
from stook.settings.sections import SECTIONS
from stook.settings.tree import Settings, options

__all__ = ["FILE_NAME", "find_file", "load_settings"]

FILE_NAME = "stook.toml"


def load_settings(environment: Mapping[str, str], cwd: Path, overrides: Mapping[str, object] | None = None) -> Settings:
    """The settings of this run; raises UserError at the first thing that is unknown or wrong.

    `overrides` are options by dotted key (`db`, `cargo.api_gap`); those that are None were not given.
    """
    known = {one.key: one for one in options()}
    file = find_file(cwd)
    table = _read_file(file) if file else {}
    lanes = lanes_of(table.pop("lane", {}), str(file))
    given = [
        *from_file(table, known, str(file)),
        *from_environment(environment, known),
        *from_options(overrides or {}, known),
    ]
    return _checked(_build(known, given, lanes))


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


def _build(known: Mapping[str, Option], given: list[Given], lanes: Mapping[str, LaneTable]) -> Settings:
    origins = dict.fromkeys(known, "default")
    tree: dict[str, dict[str, Any]] = {section: {} for section in ("", *SECTIONS)}
    for one in given:
        section, _, name = one.option.key.rpartition(".")
        tree[section][name] = read(one)
        origins[one.option.key] = one.origin
    sections = {section: holder(**tree[section]) for section, holder in SECTIONS.items()}
    return Settings(**tree[""], **sections, lanes=lanes, origins=origins)


def _checked(settings: Settings) -> Settings:
    """Rules between settings."""
    for name in ("", *settings.lanes):
        rule = settings.lane(name)
        if rule.throttle_max < rule.throttle_base:
            where = f' of lane."{name}"' if name else ""
            shown = f"{rule.throttle_max:g} s{where}"
            raise UserError(f"throttle max, {shown}, must not be shorter than base, {rule.throttle_base:g} s.")
    return settings
