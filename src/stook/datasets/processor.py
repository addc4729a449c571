"""A processor: what the registry knows of a flavour without loading it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from stook.datasets.flavour import Flavour
from stook.datasets.formats.yaml import load_yaml
from stook.datasets.index.lookup import Identify
from stook.datasets.model.bibitem import SCHEMA_VERSION, Bibitem, item_from

__all__ = ["Processor"]


@dataclass(frozen=True, slots=True)
class Processor:
    """One flavour's entry in the registry; `load` imports the flavour.

    `reference` matches other beginnings of a reference than the prefix, case as written. `datasets` are Relaton's names
    of the sources that the flavour reads.
    """

    name: str
    prefix: str
    reference: re.Pattern[str]
    datasets: tuple[str, ...]
    load: Callable[[], Flavour]
    identify: Identify
    more_prefixes: tuple[str, ...] = ()
    threads: int = 10

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Every prefix that references of this flavour begin with."""
        return (self.prefix, *self.more_prefixes)

    def matches(self, reference: str) -> bool:
        """Whether a reference is this flavour's: it begins with a prefix, or as `reference` says."""
        names = "|".join(map(re.escape, self.prefixes))
        is_prefixed = re.match(rf"(?:urn:)?(?:{names})\b", reference, re.IGNORECASE)
        return bool(is_prefixed or self.reference.match(reference))

    def from_yaml(self, data: str | bytes) -> Bibitem:
        """The record in a YAML file; raises Malformed."""
        return item_from(load_yaml(data))

    def grammar_hash(self) -> str:
        """Changes whenever the records of this flavour change their form: caches of them are stale then."""
        flavour = self.load()
        return hashlib.sha256(f"{flavour.name} {flavour.version} {SCHEMA_VERSION}".encode()).hexdigest()[:32]
