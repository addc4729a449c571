"""Who said what: values by setting, from a file's tables, the environment or options; unknown names are refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stook.engine.errors import UserError
from stook.settings.lanes import LaneTable
from stook.settings.option import Option, options_of
from stook.settings.sections import SECTIONS

__all__ = ["Given", "from_environment", "from_file", "from_options", "lanes_of", "read"]

_LONGEST = 80  # characters of a wrong value that a message repeats


@dataclass(frozen=True, slots=True)
class Given:
    """A value somebody gave: what they called it, and where."""

    option: Option
    name: str
    value: object
    origin: str


def lanes_of(table: object, file: str) -> dict[str, LaneTable]:
    """The `[lane."host"]` tables, by host in lower case."""
    if not isinstance(table, dict):
        raise UserError(f'{file}: lanes are tables, like [lane."proxy.golang.org"].')
    known = {one.key: one for one in options_of("", LaneTable)}
    return {str(host).lower(): _read_lane(host, rows, known, file) for host, rows in table.items()}


def _read_lane(host: str, rows: object, known: Mapping[str, Option], file: str) -> LaneTable:
    if not isinstance(rows, dict):
        raise UserError(f'{file}: lanes are tables, like [lane."{host}"]; put the host in quotes.')
    said = {}
    for name, value in rows.items():
        option = known.get(name) or _unknown(f'lane."{host}".{name}', name, known, file)
        said[name] = read(Given(option, f'lane."{host}".{name}', value, file))
    return LaneTable(**said)  # type: ignore[arg-type]


def from_file(table: Mapping[str, object], known: Mapping[str, Option], file: str) -> Iterator[Given]:
    for key, value in _flat(table):
        option = known.get(key) or _unknown(key, key, known, file)
        yield Given(option, key, value, file)


def _flat(table: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Dotted keys; a table under a name that is no section stays a value, and is refused as one."""
    for name, value in table.items():
        if isinstance(value, dict) and name in SECTIONS:
            yield from ((f"{name}.{inner}", one) for inner, one in value.items())
        else:
            yield name, value


def from_environment(environment: Mapping[str, str], known: Mapping[str, Option]) -> Iterator[Given]:
    by_name = {one.env: one for one in known.values()}
    for name in sorted(environment):
        if name.startswith("STOOK_") and not name.startswith("STOOK_TEST_"):
            option = by_name.get(name) or _unknown(name, name, by_name, "the environment")
            yield Given(option, name, environment[name], name)


def from_options(overrides: Mapping[str, object], known: Mapping[str, Option]) -> Iterator[Given]:
    for key, value in overrides.items():
        if value is not None:
            name = f"--{key.rpartition('.')[2].replace('_', '-')}"
            option = known.get(key) or _unknown(key, key, known, "the command line")
            yield Given(option, name, value, name)


def _unknown(shown: str, key: str, known: Mapping[str, Option], origin: str) -> Option:
    from difflib import get_close_matches  # noqa: PLC0415  only needed to say sorry

    near = get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else "`stook settings` lists those there are."
    raise UserError(f"{shown[:_LONGEST]}, from {origin}, is no setting; {hint}")


def read(given: Given) -> object:
    try:
        return given.option.read(given.value)
    except ValueError as error:
        where = "" if given.origin == given.name else f" in {given.origin}"
        shown = "" if given.option.is_secret else f" = {given.option.show(given.value)[:_LONGEST]!r}"
        raise UserError(f"{given.name}{shown}{where} {error}.") from None
