"""Search in a fetched catalogue."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec

from stook.datasets.formats.yaml import load_yaml
from stook.datasets.index.lookup import Index
from stook.datasets.index.rows import IndexRow
from stook.datasets.model.bibitem import Bibitem, item_from
from stook.datasets.processor import Processor
from stook.datasets.search.hit import Hit
from stook.datasets.search.hit_collection import HitCollection
from stook.engine.errors import Malformed

__all__ = ["READABLE", "read_record", "search_catalogue"]

READABLE = frozenset({".yaml", ".json"})
"""Suffixes of records that are read back."""


def search_catalogue(folder: Path, processor: Processor, reference: str) -> HitCollection:
    """The document of that identifier, else all that the parsed reference covers.

    `folder` holds the index; raises UserError if there is none.
    """
    with closing(Index.open(folder, processor.identify)) as index:
        exact = index.find(reference)
        parsed = processor.identify(reference) if exact is None else None
        rows = [exact] if exact is not None else index.search(parsed) if parsed is not None else []
    read = partial(read_record, folder)
    return HitCollection(reference, hits=[Hit(row, read) for row in rows])


def read_record(folder: Path, row: IndexRow) -> Bibitem:
    """The record of a row, from a YAML or JSON file below the folder; raises Malformed, or OSError."""
    path = folder / row.file
    if not path.resolve().is_relative_to(folder.resolve()):
        raise Malformed(f"{row.id[:80]!r}: its file lies outside of the folder")
    if path.suffix not in READABLE:
        raise Malformed(f"{row.file[:80]!r} is not read back: only yaml and json files are")
    data = path.read_bytes()
    if path.suffix == ".yaml":
        return item_from(load_yaml(data))
    try:
        return item_from(msgspec.json.decode(data))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed(f"no JSON: {error}") from None
