"""Fetch catalogues of standards bodies into trees of records, and look into them."""

from __future__ import annotations

from pathlib import Path

import click

from stook.run.options import as_json

__all__ = ["data"]

FOLDER = click.Path(path_type=Path, file_okay=False)


@click.group("data")
def data() -> None:
    """Fetch catalogues of standards bodies: one file a record, in a tree that git can track.

    \b
    Example:
      stook data fetch iana --from iana-registries
    """


@data.command("list")
@as_json
def list_(as_json: bool) -> int:
    """Show which catalogues there are.

    \b
    Example:
      stook data list
    """
    from stook.datasets.catalogues import show_flavours

    return show_flavours(as_json=as_json)


@data.command("fetch")
@click.argument("flavour")
@click.option("--from", "source", type=FOLDER, metavar="FOLDER", required=True, help="A checkout of the source.")
@click.option(
    "--output",
    type=FOLDER,
    default=Path("data"),
    show_default=True,
    metavar="FOLDER",
    help="Where records go; the index and the report stand beside it.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["yaml", "xml", "bibxml", "json"]),
    default="yaml",
    show_default=True,
    help="How a record is written.",
)
@click.option("--digests", is_flag=True, help="Keep a ledger of digests, so that unchanged entries cost no work.")
@click.option("--prune", is_flag=True, help="Delete records that are gone, if at least 90 % were found again.")
@click.option("--allow-prune", type=click.IntRange(0), metavar="N", help="Prune, and up to N records in any case.")
@click.option(
    "--min-found",
    type=click.IntRange(0, 100),
    default=50,
    show_default=True,
    metavar="PERCENT",
    help="Publish no index if a run finds less than this share of what was there.",
)
@as_json
def fetch(
    flavour: str,
    source: Path,
    output: Path,
    form: str,
    digests: bool,
    prune: bool,
    allow_prune: int | None,
    min_found: int,
    as_json: bool,
) -> int:
    """Fetch one catalogue; FLAVOUR is a name that `stook data list` shows.

    Files whose bytes would be the same are not touched. Nothing is deleted without --prune or --allow-prune, and
    never after a run that failed or lost a document.

    \b
    Examples:
      stook data fetch iana --from iana-registries
      stook data fetch xsf --from xeps --digests --prune
    """
    from stook.datasets.catalogues import FetchOrder, fetch_catalogue

    order = FetchOrder(flavour, source, output, form, digests, prune, allow_prune, min_found)
    return fetch_catalogue(order, as_json=as_json)


@data.command("find")
@click.argument("reference")
@click.option("--in", "folder", type=FOLDER, default=Path(), metavar="FOLDER", help="The folder of the index.")
@click.option("--flavour", metavar="NAME", help="The catalogue, where the reference does not tell.")
@as_json
def find(reference: str, folder: Path, flavour: str | None, as_json: bool) -> int:
    """Find a document of a fetched catalogue; exit code 1 if there is none.

    \b
    Examples:
      stook data find "IANA tls-parameters"
      stook data find "XEP 1" --in standards --json
    """
    from stook.datasets.catalogues import find_document

    return find_document(reference, folder, flavour, as_json=as_json)


@data.command("verify")
@click.argument("folder", type=FOLDER, default=Path())
@as_json
def verify(folder: Path, as_json: bool) -> int:
    """Check a fetched catalogue: index, names, files; exit code 1 if anything is wrong.

    \b
    Example:
      stook data verify standards
    """
    from stook.datasets.catalogues import show_faults

    return show_faults(folder, as_json=as_json)


@data.command("diff")
@click.argument("old", type=FOLDER)
@click.argument("new", type=FOLDER)
@as_json
def diff(old: Path, new: Path, as_json: bool) -> int:
    """Show which documents differ between two fetched catalogues; exit code 1 if any does.

    \b
    Example:
      stook data diff yesterday today
    """
    from stook.datasets.catalogues import show_differences

    return show_differences(old, new, as_json=as_json)
