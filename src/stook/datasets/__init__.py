"""Catalogues of standards bodies, kept as one file a record in trees that git can track.

Names are imported when they are first used: the module `product` costs `stook --help` next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from stook.datasets.bulk import BulkFetcher
    from stook.datasets.checkout import Checkout
    from stook.datasets.flavour import CatalogueEntry, Flavour, IncompleteCrawl, Problem, ProblemKind
    from stook.datasets.formats import Format
    from stook.datasets.index.lookup import Index
    from stook.datasets.model.bibitem import Bibitem
    from stook.datasets.model.dates import parse_date
    from stook.datasets.model.identifier import Identifier
    from stook.datasets.model.values import as_list, normalise_keys
    from stook.datasets.processor import Processor
    from stook.datasets.registry import FlavourRegistry
    from stook.datasets.search import Hit, HitCollection, WorkersPool, search_catalogue
    from stook.datasets.tree.prune import PruneRule

__all__ = [
    "Bibitem",
    "BulkFetcher",
    "CatalogueEntry",
    "Checkout",
    "Flavour",
    "FlavourRegistry",
    "Format",
    "Hit",
    "HitCollection",
    "Identifier",
    "IncompleteCrawl",
    "Index",
    "Problem",
    "ProblemKind",
    "Processor",
    "PruneRule",
    "WorkersPool",
    "as_list",
    "normalise_keys",
    "parse_date",
    "search_catalogue",
]

_HOMES: Final = {
    "stook.datasets.bulk": "BulkFetcher",
    "stook.datasets.checkout": "Checkout",
    "stook.datasets.flavour": "CatalogueEntry Flavour IncompleteCrawl Problem ProblemKind",
    "stook.datasets.formats": "Format",
    "stook.datasets.index.lookup": "Index",
    "stook.datasets.model.bibitem": "Bibitem",
    "stook.datasets.model.dates": "parse_date",
    "stook.datasets.model.identifier": "Identifier",
    "stook.datasets.model.values": "as_list normalise_keys",
    "stook.datasets.processor": "Processor",
    "stook.datasets.registry": "FlavourRegistry",
    "stook.datasets.search": "Hit HitCollection WorkersPool search_catalogue",
    "stook.datasets.tree.prune": "PruneRule",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for (PEP 562)."""
    for module, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'stook.datasets' has no attribute {name!r}")
