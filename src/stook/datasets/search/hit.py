"""A document that a search found."""

from __future__ import annotations

import weakref
from collections.abc import Callable

from stook.datasets.index.rows import IndexRow
from stook.datasets.model.bibitem import Bibitem

__all__ = ["Hit"]


class Hit:
    """The document's row; its record is read when it is asked for, and only once.

    A hit does not keep its collection alive: `collection` is None when that is gone.
    """

    def __init__(self, row: IndexRow, read: Callable[[IndexRow], Bibitem], collection: object | None = None) -> None:
        self.row = row
        self._read = read
        self._item: Bibitem | None = None
        self._collection = weakref.ref(collection) if collection is not None else None

    @property
    def collection(self) -> object | None:
        """The `HitCollection` that the hit belongs to."""
        return self._collection() if self._collection is not None else None

    @property
    def is_fetched(self) -> bool:
        """Whether the record was read."""
        return self._item is not None

    def item(self) -> Bibitem:
        """The record; raises Malformed, or OSError if its file is gone."""
        if self._item is None:
            self._item = self._read(self.row)
        return self._item

    def moved_to(self, collection: object) -> Hit:
        """The same hit in another collection, with its record if that was read."""
        hit = Hit(self.row, self._read, collection)
        hit._item = self._item
        return hit

    def __repr__(self) -> str:
        return f"<Hit {self.row.id!r} fetched={self.is_fetched}>"
