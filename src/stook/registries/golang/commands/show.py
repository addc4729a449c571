"""The command `show go`: the page of a module, or of one of its versions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from stook.run.options import as_json, pass_settings

if TYPE_CHECKING:
    import sqlalchemy as sa

    from stook.registries.store.reading import Package
    from stook.settings import Settings

__all__ = ["show"]

LEFT_OUT = frozenset({"LANGUAGE", "REPOSITORY", "PRODUCT_KEY", "NAME", "VERSION", "DEPENDENCIES"})


@click.command("go")
@click.argument("path")
@click.argument("version", required=False)
@click.option("--all", "everything", is_flag=True, help="All versions, not the 15 highest.")
@as_json
@pass_settings
def show(settings: Settings, path: str, version: str | None, everything: bool, as_json: bool) -> int:
    """Show a Go module, or one VERSION of it with what it requires.

    \b
    Examples:
      stook show go golang.org/x/text
      stook show go github.com/BurntSushi/toml v1.4.0 --json
    """
    from stook.registries.store.package_view import print_package_json

    package = _stored_package(settings, path, version)
    if (stored := package.product["NAME"]) != path:
        click.echo(f"{path} is another name of {stored}, which its go.mod declares.", err=True)
    if as_json:
        print_package_json(package)
    elif version:
        _print_version(package.versions[0])
    else:
        _print_module(package, everything)
    return 0


def _stored_package(settings: Settings, path: str, version: str | None) -> Package:
    """The module as stored; UserError says what to do when it is not, or has no such version."""
    from stook.engine.errors import UserError
    from stook.registries.golang.tables import GO_PRODUCT, GO_VERSION
    from stook.registries.store.reading import read_package
    from stook.run.build import open_ledger

    if not path or not path.isprintable() or " " in path:  # an index announces invalid paths too, but never those
        raise UserError(f"not a module path: {path[:120]!r}")
    if version and not version.isprintable():
        raise UserError(f"not a version: {version[:80]!r}")
    with open_ledger(settings, create=False) as ledger, ledger.reading() as connection:
        package = read_package(connection, GO_PRODUCT, GO_VERSION, ("go", "Golang"), path, version)
        declared, reason = (None, None) if package else _declared(connection, path)
        if declared:
            package = read_package(connection, GO_PRODUCT, GO_VERSION, ("go", "Golang"), declared, version)
    if package is None:
        hint = reason or f"collect it first: stook go collect {path[:120]}"
        raise UserError(f"no module {path[:120]!r} is stored; {hint}")
    if version and not package.versions:
        raise UserError(f"{path[:120]} has no version {version[:80]!r}; see them all: stook show go {path[:120]} --all")
    return package


def _declared(connection: sa.Connection, path: str) -> tuple[str | None, str | None]:
    """The path that a go.mod under this one declares, and what came of it, where events of it ended as an alias."""
    import sqlalchemy as sa

    from stook.engine.words import Code
    from stook.registries.golang.queues import VERSIONS
    from stook.registries.golang.tables import GO_LIST

    low, high = VERSIONS.id_range(path)
    list_of = GO_LIST.c
    named = sa.select(list_of["PRODUCT_KEY"], list_of["LAST_ERROR"]).where(
        list_of["ID"].between(low, high), list_of["PROCESSED"] == Code.ALIAS, list_of["INDEX_PATH"] == path
    )
    row = connection.execute(named.order_by(list_of["LAST_UPDATED"].desc()).limit(1)).first()
    return (row[0], row[1]) if row else (None, None)


def _print_module(package: Package, everything: bool) -> None:
    from stook.registries.store.package_view import print_package

    product = package.product
    print_package(
        f"{product['NAME']} {product['LATEST_VERSION'] or '(no latest version)'}",
        _facts(product),
        ("version", "released", "licence", "go", ">deps", ""),
        [_version_cells(row) for row in package.versions],
        package.history,
        everything=everything,
    )


def _facts(product: dict[str, Any]) -> Iterator[tuple[str, str]]:
    from stook.registries.store.package_view import as_text

    if product["DEPRECATED"]:
        yield "deprecated", product["DEPRECATED_REASON"]
    for key in ("LICENSE", "SCM", "URL", "PURL"):
        if product[key]:
            yield key.lower(), as_text(product[key])
    if product["MOVED_TO"]:
        since = f" since {product['MOVED_SINCE']}" if product["MOVED_SINCE"] else ""
        yield "moved", f"to {product['MOVED_TO']}{since}"
    if product["LATEST_REASON"]:
        yield "no row", f"{product['LATEST_VERSION'] or 'no latest version'}: {product['LATEST_REASON']}"
    yield "versions", f"{product['VERSION_COUNT']:,}, {product['RETRACTED_COUNT']:,} of them retracted"
    if product["LATEST_RAW"] != product["LATEST_VERSION"] and product["LATEST_RAW"]:
        yield "raw latest", product["LATEST_RAW"]


def _version_cells(row: dict[str, Any]) -> tuple[Any, ...]:
    released = f"{row['RELEASE_DATE']:%Y-%m-%d}" if row["RELEASE_DATE"] else ""
    marks = [f"retracted: {row['RETRACT_REASON']}"] if row["RETRACTED"] else []
    marks += ["gone"] if row["PROCESSED"] == 5 else []
    marks += [] if row["HAS_GO_MOD"] else ["no go.mod"]
    dependencies = len(row["DEPENDENCIES"] or ())
    return (row["VERSION"], released, row["LICENSE"] or "", row["GO_VERSION"] or "", dependencies, ", ".join(marks))


def _print_version(version: dict[str, Any]) -> None:
    from stook.registries.store.package_view import print_facts
    from stook.terminal.stdout import Page
    from stook.terminal.tables import plain, plain_table

    console = Page()
    console.print(plain(f"{version['NAME']} {version['VERSION']}"), style="bold")
    print_facts(console, version, LEFT_OUT, 18)
    rows = [
        (required["name"], required["req"], "indirect" if required["indirect"] else "")
        for required in version["DEPENDENCIES"] or ()
    ]
    console.print(plain_table("Requires", ("module", "version", ""), rows))
