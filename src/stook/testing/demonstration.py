"""The command `demo`: the real pipeline against the sample world of `stook.testing`."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from ipaddress import ip_network
from pathlib import Path

import sqlalchemy as sa
from rich.console import Console

from stook.engine.errors import FailureCode
from stook.engine.tally import Failure
from stook.engine.words import Announcement
from stook.registries.cargo.names import canonical
from stook.registries.cargo.product import PRODUCT
from stook.registries.cargo.sources import INDEX
from stook.registries.cargo.tables import RUST_PRODUCT
from stook.registries.store.history_table import print_history
from stook.registries.store.reading import read_history
from stook.run.build import open_door, open_ledger, sources_of
from stook.run.loop import LoopOptions, run_work
from stook.run.report import INTERRUPTION, Report
from stook.run.report_view import show_report
from stook.settings import Settings
from stook.terminal.logs import configure_logs
from stook.terminal.stdout import Page
from stook.terminal.tables import cut, plain_table
from stook.testing import LoopbackRegistry, World, sample_world

__all__ = ["demonstrate"]


def demonstrate(settings: Settings, *, as_json: bool) -> int:
    """Collect, let the world change, collect again; returns the exit code."""
    if settings.log == "warning":  # the sample world's oddities are shown below
        configure_logs("error", settings.log_format)
    folder = Path(tempfile.mkdtemp(prefix="stook-demo-"))
    console = Page(quiet=as_json)
    world = sample_world()
    names = sorted(canonical(crate.name) for crate in world.crates.values())
    with LoopbackRegistry(world) as registry:
        chosen = _settings(settings, registry, folder / "stook.db")
        first = _collect(chosen, names)
        _print_products(console, chosen)
        _tell(console, first, "The first run read all of it")
        _change(world)
        second = _collect(chosen, names)
    _print_history(console, chosen)
    _tell(console, second, "The second run asked only for what had changed", first.failures)
    first.next = [
        f"stook --db {shlex.quote(chosen.db)} show cargo fresnel-lens",
        "STOOK_CONTACT=you@example.org stook cargo collect serde_json",
    ]
    if as_json:
        return show_report(first, as_json=True) and 0
    for command in first.next:
        console.print(f"Next: {command}", markup=False, soft_wrap=True, style="bold")
    return 0


def _settings(settings: Settings, registry: LoopbackRegistry, database: Path) -> Settings:
    """The user's settings, pointed at the sample world, with gaps that suit a registry of our own."""
    return replace(
        settings,
        db=f"sqlite:///{database.as_posix()}",
        contact="demo@stook.invalid",
        unsafe_allow_networks=(ip_network("127.0.0.0/8"),),
        products={
            **settings.products,
            "cargo": replace(
                PRODUCT.options(settings),
                index_url=registry.index_url,
                api_url=registry.api_url,
                index_gap=0.01,
                api_gap=0.02,
            ),
        },
        lanes={},
        origins={**settings.origins, "cargo.index_gap": "--demo", "cargo.api_gap": "--demo"},
    )


def _collect(settings: Settings, names: list[str]) -> Report:
    report = Report("demo", datetime.now(UTC))
    with open_ledger(settings) as ledger:
        ledger.announce([Announcement(INDEX.name, name, source="seed", fresh_for=0.0) for name in names])
        sources = sources_of(PRODUCT, settings)
        run_work(ledger, open_door(settings, ledger), sources, report, LoopOptions(once=True))
    if INTERRUPTION in report.notes:
        raise KeyboardInterrupt
    return report


def _change(world: World) -> None:
    """A day in the registry: one of everything that can happen to a version."""
    world.publish("fresnel-lens", "2.3.0", license="MIT OR Apache-2.0")
    world.yank("lamp-oil", "1.1.0", "Smokes in a north wind")
    world.unyank("tide_tables", "0.2.0")
    world.delete_version("driftwood-buoys", world.crate("driftwood-buoys").releases[0].version)
    world.replace_checksum("oar", world.crate("oar").releases[-1].version)
    world.delete_crate("kelp-net")


def _print_products(console: Console, settings: Settings) -> None:
    table = RUST_PRODUCT
    columns = [
        table.c[name] for name in ("NAME", "LATEST_VERSION", "VERSION_COUNT", "YANKED_COUNT", "LICENSE", "DESCRIPTION")
    ]
    with open_ledger(settings) as ledger, ledger.reading() as connection:
        rows = connection.execute(sa.select(*columns).order_by(table.c["PRODUCT_KEY"])).all()
    name, latest, licence = (19, 16, 20) if console.width < 110 else (20, 24, 36)
    cells = [
        (cut(row[0], name), cut(row[1] or "", latest), row[2], row[3], cut(row[4] or "", licence), row[5] or "")
        for row in rows
    ]
    shown = ["~crate", "~latest", ">versions", ">yanked", "~licence", "~about"]
    if console.width < 110:  # where a description would take the room of a version
        shown.pop()
    console.print(plain_table("Crates of the sample world", shown, [one[: len(shown)] for one in cells]))


def _print_history(console: Console, settings: Settings) -> None:
    with open_ledger(settings) as ledger, ledger.reading() as connection:
        history = read_history(connection, "rust")
    print_history(console, ("package", "version", "what", "from", "to"), history)


def _tell(console: Console, report: Report, sentence: str, known: Sequence[Failure] = ()) -> None:
    traffic = next(iter(report.requests.values()))
    console.print(
        f"{sentence}: {traffic.count} requests, {traffic.not_modified} of them answered “not modified”;"
        f" {report.rows.written:,} rows written, {report.rows.unchanged:,} unchanged, in {report.seconds:.1f} s."
    )
    for failure in report.failures:
        if failure not in known:
            label = "Kept aside" if failure.code is FailureCode.MALFORMED else "Not there"
            console.print(f"{label}: {failure.event}: {failure.reason}", markup=False, soft_wrap=True)
    console.print()
