"""The command `show cargo`: the page of a crate, or of one of its versions."""

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

FACTS = ("DESCRIPTION", "LICENSE", "SCM", "HOMEPAGE", "DOCUMENTATION", "KEYWORDS", "DOWNLOADS", "PURL")
LEFT_OUT = frozenset({"NAME", "VERSION", "DEPENDENCIES", "FEATURES", "LANGUAGE", "REPOSITORY"})


@click.command("cargo")
@click.argument("name")
@click.argument("version", required=False)
@click.option("--all", "everything", is_flag=True, help="All versions, not the 15 highest.")
@as_json
@pass_settings
def show(settings: Settings, name: str, version: str | None, everything: bool, as_json: bool) -> int:
    """Show a crate, or one VERSION of it with its dependencies.

    \b
    Examples:
      stook show cargo serde_json
      stook show cargo serde_json 1.0.100 --json
    """
    from stook.registries.store.package_view import print_package_json

    package, kept_aside = _stored_package(settings, name, version)
    if as_json:
        print_package_json(package, {"kept_aside": kept_aside})
    elif version:
        _print_version(package.versions[0], kept_aside.get(version))
    else:
        _print_crate(package, kept_aside, everything)
    return 0


def _stored_package(settings: Settings, name: str, version: str | None) -> tuple[Package, dict[str, str]]:
    """The crate as stored, and the lines of its index file that are kept aside.

    UserError says what to do when it is not stored, or has no such version.
    """
    from stook.engine.errors import UserError
    from stook.registries.cargo.alike import spelt_alike
    from stook.registries.cargo.names import canonical, is_crate_name
    from stook.registries.cargo.tables import RUST_PRODUCT, RUST_VERSION
    from stook.registries.store.reading import read_package
    from stook.run.build import open_ledger

    if not is_crate_name(name):
        raise UserError(f"not a crate name: {name[:80]!r}; letters, digits, - and _, at most 64, a letter first")
    if version and not version.isprintable():
        raise UserError(f"not a version: {version[:80]!r}")
    with open_ledger(settings, create=False) as ledger, ledger.reading() as connection:
        package = read_package(connection, RUST_PRODUCT, RUST_VERSION, ("rust", "Cargo"), canonical(name), version)
        alike = {} if package else spelt_alike(connection, [name])
        kept_aside = _kept_aside(connection, canonical(name))
    if package is None:
        hint = f"did you mean {alike[name]}?" if alike else f"collect it first: stook cargo collect {name}"
        raise UserError(f"no crate {name!r} is stored; {hint}")
    if version and not package.versions:
        if reason := kept_aside.get(version):
            raise UserError(f"{name} {version[:80]} is kept aside: {reason}")
        raise UserError(f"{name} has no version {version[:80]!r}; see them all: stook show cargo {name} --all")
    return package, kept_aside


def _kept_aside(connection: sa.Connection, name: str) -> dict[str, str]:
    """The lines of the crate's index file that could not be read, with the reason, by the version that they tell of."""
    import sqlalchemy as sa

    from stook.engine.words import Code
    from stook.registries.cargo.tables import RUST_LIST

    column = RUST_LIST.c
    rows = sa.select(column["VERSION"], column["LAST_ERROR"]).where(
        column["CRATE_NAME"] == name, column["PROCESSED"] == Code.MALFORMED, column["DELETED_AT"].is_(None)
    )
    return {row[0]: row[1] or "" for row in connection.execute(rows)}


def _print_crate(package: Package, kept_aside: dict[str, str], everything: bool) -> None:
    from stook.registries.store.package_view import print_package

    product = package.product
    print_package(
        f"{product['NAME']} {product['LATEST_VERSION'] or '(no version)'}",
        [*_facts(product), *(("kept aside", f"{version}: {reason}") for version, reason in kept_aside.items())],
        ("version", "released", "licence", "rust", ">deps", ""),
        [_version_cells(row) for row in package.versions],
        package.history,
        everything=everything,
    )


def _facts(product: dict[str, Any]) -> Iterator[tuple[str, str]]:
    from stook.registries.store.package_view import as_text

    for key in FACTS:
        if product[key]:
            yield key.lower(), as_text(product[key])
    yield "versions", f"{product['VERSION_COUNT']:,}, {product['YANKED_COUNT']:,} of them yanked"


def _version_cells(row: dict[str, Any]) -> tuple[Any, ...]:
    released = f"{row['RELEASE_DATE']:%Y-%m-%d}" if row["RELEASE_DATE"] else ""
    marks = ["yanked"] if row["YANKED"] else []
    marks += ["gone"] if row["PROCESSED"] == 5 else []
    if row["YANK_MESSAGE"]:
        marks.append(str(row["YANK_MESSAGE"]))
    dependencies = len(row["DEPENDENCIES"] or ())
    return (row["VERSION"], released, row["LICENSE"] or "", row["RUST_VERSION"] or "", dependencies, ", ".join(marks))


def _print_version(version: dict[str, Any], kept_aside: str | None) -> None:
    from stook.registries.store.package_view import print_facts
    from stook.terminal.stdout import Page
    from stook.terminal.tables import fact, plain, plain_table

    console = Page()
    console.print(plain(f"{version['NAME']} {version['VERSION']}"), style="bold")
    if kept_aside:
        console.print(fact("kept aside", f"{kept_aside}; what follows was read before", 16), soft_wrap=True)
    print_facts(console, version, LEFT_OUT, 16)
    rows = [_dependency_cells(dependency) for dependency in version["DEPENDENCIES"] or ()]
    if not rows:
        console.print("no dependencies")
        return
    console.print(plain_table("Dependencies", ("kind", "name", "is crate", "requirement", ""), rows))


def _dependency_cells(dependency: dict[str, Any]) -> tuple[str, ...]:
    notes = ["optional"] if dependency["optional"] else []
    notes += [] if dependency["default_features"] else ["no default features"]
    notes += [dependency["target"]] if dependency["target"] else []
    crate = dependency["package"] if dependency["package"] != dependency["name"] else ""
    return (dependency["kind"], dependency["name"], crate, dependency["req"], ", ".join(notes))
