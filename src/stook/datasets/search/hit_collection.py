"""The documents that one search found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from stook.datasets.formats.markup import XmlWriter
from stook.datasets.formats.xml import write_item
from stook.datasets.search.hit import Hit
from stook.datasets.search.workers_pool import WorkersPool

__all__ = ["HitCollection"]

_THREADS = 4


class HitCollection:
    """A list of hits, for the reference and the year that were searched for."""

    def __init__(self, reference: str, year: str = "", hits: Iterable[Hit] = ()) -> None:
        self.reference = reference
        self.year = year
        self.is_fetched = False
        self._hits = [hit.moved_to(self) for hit in hits]

    def __len__(self) -> int:
        return len(self._hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._hits)

    def __getitem__(self, place: int) -> Hit:
        return self._hits[place]

    @property
    def first(self) -> Hit | None:
        """The first hit, if there is one."""
        return self._hits[0] if self._hits else None

    def append(self, hit: Hit) -> None:
        """Add a hit, which belongs to this collection from now on."""
        self._hits.append(hit.moved_to(self))

    def fetch(self) -> HitCollection:
        """Read the record of every hit, four at a time; raises what the first unreadable one raises."""
        WorkersPool(_THREADS).map(Hit.item, self._hits)
        self.is_fetched = True
        return self

    def select(self, predicate: Callable[[Hit], bool]) -> HitCollection:
        """A new collection of the hits that pass; changing either does not change the other."""
        chosen = HitCollection(self.reference, self.year, filter(predicate, self._hits))
        chosen.is_fetched = self.is_fetched
        return chosen

    def keep(self, predicate: Callable[[Hit], bool]) -> HitCollection:
        """Drop the hits that do not pass."""
        self._hits = list(filter(predicate, self._hits))
        return self

    def to_xml(self) -> str:
        """All records as `bibdata` elements of one document."""
        writer = XmlWriter()
        if not self._hits:
            writer.empty("documents")
            return writer.document()
        writer.open("documents")
        for hit in self._hits:
            write_item(writer, "bibdata", hit.item())
        writer.close()
        return writer.document()

    def __repr__(self) -> str:
        return f"<HitCollection {self.reference!r} hits={len(self)} fetched={self.is_fetched}>"
