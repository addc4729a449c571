"""Who has which name in a tree: reserved while records arrive, settled when all are there."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from stook.datasets.names import assign_names, name_candidates, plain_name

__all__ = ["NameTable"]

_CHECKED = 4  # candidates among which a name of an earlier run is looked for


class NameTable:
    """The names of one folder.

    A document keeps the name that it had in the run before, if that is a name of its own by the rule. New documents are
    given names as they arrive; `settle` then says which of them must move so that their order does not matter.
    """

    def __init__(self, extension: str, previous: Mapping[str, str] | None = None) -> None:
        self._extension = extension
        self._owners: dict[str, str] = {}
        self._previous: dict[str, str] = {}
        for docid, name in (previous or {}).items():
            if self._owners.setdefault(name, docid) == docid:
                self._previous[docid] = name
        self._names: dict[str, str] = {}
        self._new: set[str] = set()
        self._contested: set[str] = set()

    @property
    def names(self) -> Mapping[str, str]:
        """Document to name, of the documents of this run."""
        return self._names

    def previous(self, docid: str) -> str | None:
        """The name that the document had in the run before."""
        return self._previous.get(docid)

    def is_new(self, docid: str) -> bool:
        """Whether the document got its name in this run."""
        return docid in self._new

    def keep(self, docid: str) -> str:
        """Reserve the name of the run before without a look at the rule."""
        self._names[docid] = self._previous[docid]
        return self._names[docid]

    def reserve(self, docid: str) -> str:
        """The document's name in this run, the same at each call. Raises Malformed: see `plain_name`."""
        if docid in self._names:
            return self._names[docid]
        name = self._previous.get(docid)
        if name is None or name not in islice(name_candidates(docid, self._extension), _CHECKED):
            self._release(docid)
            return self._take_free(docid)
        self._names[docid] = name
        return name

    def forget(self, docid: str) -> None:
        """The document was not written after all."""
        name = self._names.pop(docid)
        if docid in self._new:
            self._new.remove(docid)
            del self._owners[name]

    def give_way(self, docid: str) -> str:
        """Another name for a new document: the file of its present one may be somebody else's."""
        present = self._names[docid]
        del self._owners[present]
        candidates = name_candidates(docid, self._extension)
        name = next(one for one in candidates if one != present and one not in self._owners)
        self._names[docid] = name
        self._owners[name] = docid
        return name

    def adopt(self, docid: str, name: str) -> bool:
        """Take over the name that another process gave the document; False if the name is another's here."""
        if self._owners.get(name, docid) != docid:
            return False
        if self._previous.get(docid) != name:
            self._release(docid)
            self._new.add(docid)
            if name != (plain := plain_name(docid, self._extension)):
                self._contested.add(plain)
        self._owners[name] = docid
        self._names[docid] = name
        return True

    def settle(self) -> dict[str, str]:
        """Old name to new name of each new document that has to move. Only contested names are looked at."""
        group = [docid for docid in self._new if self._is_open(docid)]
        fixed = dict(self._owners)
        for docid in group:
            del fixed[self._names[docid]]
        moves: dict[str, str] = {}
        for docid, name in assign_names(group, self._extension, fixed).items():
            if name != self._names[docid]:
                moves[self._names[docid]] = name
            self._names[docid] = name
            fixed[name] = docid
        self._owners = fixed
        return moves

    def _is_open(self, docid: str) -> bool:
        name = self._names[docid]
        return name in self._contested or name != plain_name(docid, self._extension)

    def _release(self, docid: str) -> None:
        """The name of the run before is nobody's, if it is not another's by now."""
        name = self._previous.pop(docid, None)
        if name is not None and self._owners.get(name) == docid:
            del self._owners[name]

    def _take_free(self, docid: str) -> str:
        for name in name_candidates(docid, self._extension):
            if self._owners.setdefault(name, docid) == docid:
                break
            self._contested.add(name)
        else:
            raise AssertionError("the candidates have no end")
        self._names[docid] = name
        self._new.add(docid)
        return name
