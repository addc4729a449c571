"""What `show go` prints of a module, or of one of its versions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from stook.engine.errors import UserError
from stook.engine.words import Code
from stook.registries.golang.queues import VERSIONS
from stook.registries.history_table import print_history
from stook.registries.store import GO_LIST, GO_PRODUCT, GO_VERSION
from stook.registries.store.reading import Package, read_package
from stook.run.build import open_ledger
from stook.settings import Settings
from stook.terminal.stdout import Page, print_json
from stook.terminal.tables import fact, plain, plain_table

__all__ = ["show_module"]

SHOWN = 15
INNER = frozenset({"LANGUAGE", "REPOSITORY", "PRODUCT_KEY", "NAME", "VERSION", "DEPENDENCIES"})


def show_module(settings: Settings, path: str, version: str | None, *, everything: bool, as_json: bool) -> int:
    """Print what is stored; returns the exit code."""
    if not path or not path.isprintable() or " " in path:  # an index announces paths that are none, but never those
        raise UserError(f"not a module path: {path[:120]!r}")
    if version and not version.isprintable():
        raise UserError(f"not a version: {version[:80]!r}")
    with open_ledger(settings) as ledger, ledger.reading() as connection:
        package = read_package(connection, GO_PRODUCT, GO_VERSION, ("go", "Golang"), path, version)
        declared = None if package else _declared(connection, path)
    if package is None:
        hint = (
            f"its go.mod declares {declared}: stook show go {declared}"
            if declared
            else f"collect it first: stook go collect {path[:120]}"
        )
        raise UserError(f"no module {path[:120]!r} is stored; {hint}")
    if version and not package.versions:
        raise UserError(f"{path[:120]} has no version {version[:80]!r}; see them all: stook show go {path[:120]} --all")
    if as_json:
        told = {"product": package.product, "versions": package.versions, "history": package.history}
        print_json(told)
    elif version:
        _print_version(package.versions[0])
    else:
        _print_module(package, everything)
    return 0


def _declared(connection: sa.Connection, path: str) -> str | None:
    """The path that a go.mod under this one declares, where events of it ended as an alias."""
    table = GO_LIST
    low, high = VERSIONS.id_range(path)
    named = sa.select(table.c["PRODUCT_KEY"]).where(
        table.c["ID"].between(low, high), table.c["PROCESSED"] == Code.ALIAS
    )
    return connection.execute(named.where(table.c["INDEX_PATH"] == path).limit(1)).scalar_one_or_none()


def _print_module(package: Package, everything: bool) -> None:
    product = package.product
    console = Page()
    console.print(plain(f"{product['NAME']} {product['LATEST_VERSION'] or '(no latest version)'}"), style="bold")
    for key, value in _told(product):
        console.print(fact(key, value, 14), soft_wrap=True)
    shown = package.versions if everything else package.versions[:SHOWN]
    columns = ("version", "released", "licence", "go", ">deps", "")
    console.print(plain_table("Versions", columns, [_cells(one) for one in shown]))
    if len(shown) < len(package.versions):
        console.print(f"{len(package.versions) - len(shown):,} more: --all")
    if package.history:
        print_history(console, ("seen", "version", "what", "from", "to"), package.history)


def _told(product: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if product["DEPRECATED"]:
        yield "deprecated", product["DEPRECATED_REASON"]
    for key in ("LICENSE", "SCM", "URL", "PURL"):
        if product[key]:
            yield key.lower(), _text(product[key])
    yield "versions", f"{product['VERSION_COUNT']:,}, {product['RETRACTED_COUNT']:,} of them retracted"
    if product["LATEST_RAW"] != product["LATEST_VERSION"] and product["LATEST_RAW"]:
        yield "raw latest", product["LATEST_RAW"]


def _cells(one: dict[str, Any]) -> tuple[Any, ...]:
    released = f"{one['RELEASE_DATE']:%Y-%m-%d}" if one["RELEASE_DATE"] else ""
    marks = [f"retracted: {one['RETRACT_REASON']}"] if one["RETRACTED"] else []
    marks += ["gone"] if one["PROCESSED"] == Code.NOT_FOUND else []
    marks += [] if one["HAS_GO_MOD"] else ["no go.mod"]
    dependencies = len(one["DEPENDENCIES"] or ())
    return (one["VERSION"], released, one["LICENSE"] or "", one["GO_VERSION"] or "", dependencies, ", ".join(marks))


def _print_version(version: dict[str, Any]) -> None:
    console = Page()
    console.print(plain(f"{version['NAME']} {version['VERSION']}"), style="bold")
    for key, value in version.items():
        if value not in (None, "", [], {}) and key not in INNER:
            console.print(fact(key.lower(), _text(value), 18), soft_wrap=True)
    rows = [(one["name"], one["req"], "indirect" if one["indirect"] else "") for one in version["DEPENDENCIES"] or ()]
    console.print(plain_table("Requires", ("module", "version", ""), rows))


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("url") or value.get("URL") or value)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
