"""Documents that a reference finds, and their records when they are wanted."""

from stook.datasets.search.catalogue import search_catalogue
from stook.datasets.search.hit import Hit
from stook.datasets.search.hit_collection import HitCollection
from stook.datasets.search.workers_pool import WorkersPool

__all__ = ["Hit", "HitCollection", "WorkersPool", "search_catalogue"]
