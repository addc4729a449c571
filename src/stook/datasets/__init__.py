"""Catalogues of standards bodies, kept as one file a record in trees that git can track."""

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
