"""Show what is stored of a package, or of one of its versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stook.run.options import as_json, pass_settings

if TYPE_CHECKING:
    from stook.registries.store.reading import Package
    from stook.settings import Settings

__all__ = ["commands"]

SHOWN = 15


@click.group("show")
def show() -> None:
    """Show what is stored of a package.

    \b
    Example:
      stook show cargo serde_json
    """


@show.command("cargo")
@click.argument("name")
@click.argument("version", required=False)
@click.option("--all", "everything", is_flag=True, help=f"All versions, not the {SHOWN} highest.")
@as_json
@pass_settings
def cargo(settings: Settings, name: str, version: str | None, everything: bool, as_json: bool) -> int:
    """Show a crate, or one VERSION of it with its dependencies.

    \b
    Examples:
      stook show cargo serde_json
      stook show cargo serde_json 1.0.100 --json
    """
    from stook.engine.errors import UserError
    from stook.registries.cargo.alike import spelt_alike
    from stook.registries.cargo.names import canonical, is_crate_name
    from stook.registries.store import RUST_PRODUCT, RUST_VERSION
    from stook.registries.store.reading import read_package
    from stook.run.build import open_ledger
    from stook.terminal.stdout import print_json

    if not is_crate_name(name):
        raise UserError(f"not a crate name: {name[:80]!r}; letters, digits, - and _, at most 64, a letter first")
    if version and not version.isprintable():
        raise UserError(f"not a version: {version[:80]!r}")
    with open_ledger(settings) as ledger, ledger.reading() as connection:
        package = read_package(connection, RUST_PRODUCT, RUST_VERSION, ("rust", "Cargo"), canonical(name), version)
        alike = {} if package else spelt_alike(connection, [name])
    if package is None:
        hint = f"did you mean {alike[name]}?" if alike else f"collect it first: stook cargo collect {name}"
        raise UserError(f"no crate {name!r} is stored; {hint}")
    if version and not package.versions:
        raise UserError(f"{name} has no version {version[:80]!r}; see them all: stook show cargo {name} --all")
    if as_json:
        print_json({"product": package.product, "versions": package.versions, "history": package.history})
    elif version:
        _print_version(package.versions[0])
    else:
        _print_package(package, everything)
    return 0


@show.command("go")
@click.argument("path")
@click.argument("version", required=False)
@click.option("--all", "everything", is_flag=True, help=f"All versions, not the {SHOWN} highest.")
@as_json
@pass_settings
def go(settings: Settings, path: str, version: str | None, everything: bool, as_json: bool) -> int:
    """Show a Go module, or one VERSION of it with what it requires.

    \b
    Examples:
      stook show go golang.org/x/text
      stook show go github.com/BurntSushi/toml v1.4.0 --json
    """
    from stook.registries.golang.show import show_module

    return show_module(settings, path, version, everything=everything, as_json=as_json)


def _print_package(package: Package, everything: bool) -> None:
    from stook.registries.history_table import print_history
    from stook.terminal.stdout import Page
    from stook.terminal.tables import fact, plain, plain_table

    product = package.product
    console = Page()
    console.print(plain(f"{product['NAME']} {product['LATEST_VERSION'] or '(no version)'}"), style="bold")
    for key in ("DESCRIPTION", "LICENSE", "SCM", "HOMEPAGE", "DOCUMENTATION", "KEYWORDS", "DOWNLOADS", "PURL"):
        if product[key]:
            console.print(fact(key.lower(), _text(product[key]), 14), soft_wrap=True)
    console.print(plain(f"{'versions':14}{product['VERSION_COUNT']:,}, {product['YANKED_COUNT']:,} of them yanked"))
    shown = package.versions if everything else package.versions[:SHOWN]
    columns = ("version", "released", "licence", "rust", ">deps", "")
    console.print(plain_table("Versions", columns, [_version_cells(one) for one in shown]))
    if len(shown) < len(package.versions):
        console.print(f"{len(package.versions) - len(shown):,} more: --all")
    if package.history:
        print_history(console, ("seen", "version", "what", "from", "to"), package.history)


def _version_cells(one: dict[str, Any]) -> tuple[Any, ...]:
    from stook.engine.words import Code

    released = f"{one['RELEASE_DATE']:%Y-%m-%d}" if one["RELEASE_DATE"] else ""
    marks = ["yanked"] if one["YANKED"] else []
    marks += ["gone"] if one["PROCESSED"] == Code.NOT_FOUND else []
    if one["YANK_MESSAGE"]:
        marks.append(str(one["YANK_MESSAGE"]))
    dependencies = len(one["DEPENDENCIES"] or ())
    return (one["VERSION"], released, one["LICENSE"] or "", one["RUST_VERSION"] or "", dependencies, ", ".join(marks))


def _print_version(version: dict[str, Any]) -> None:
    from stook.terminal.stdout import Page
    from stook.terminal.tables import fact, plain, plain_table

    console = Page()
    console.print(plain(f"{version['NAME']} {version['VERSION']}"), style="bold")
    for key, value in version.items():
        if value not in (None, "", [], {}) and key not in (
            "NAME",
            "VERSION",
            "DEPENDENCIES",
            "FEATURES",
            "LANGUAGE",
            "REPOSITORY",
        ):
            console.print(fact(key.lower(), _text(value), 16), soft_wrap=True)
    rows = [
        (
            one["kind"],
            one["name"],
            one["package"] if one["package"] != one["name"] else "",
            one["req"],
            _dependency_note(one),
        )
        for one in version["DEPENDENCIES"] or ()
    ]
    if not rows:
        console.print("no dependencies")
        return
    console.print(plain_table("Dependencies", ("kind", "name", "is crate", "requirement", ""), rows))


def _dependency_note(one: dict[str, Any]) -> str:
    notes = ["optional"] if one["optional"] else []
    notes += [] if one["default_features"] else ["no default features"]
    notes += [one["target"]] if one["target"] else []
    return ", ".join(notes)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("url", value))
    return (
        ", ".join(map(str, value))
        if isinstance(value, list)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )


commands: list[click.Command] = [show]
