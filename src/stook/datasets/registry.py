"""Which flavours there are, and which one a reference belongs to; none is loaded to answer that."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from pathlib import Path

from stook.datasets.processor import Processor
from stook.engine.errors import UserError

__all__ = ["FlavourRegistry", "find_processors"]

_WRAPPED = re.compile(r"\s*[A-Za-z]+\((.*)\)\s*", re.DOTALL)


def find_processors() -> list[Processor]:
    """The processors of the flavours in this folder, by name; a flavour is a folder with a module `processor`."""
    folder = Path(__file__).parent
    names = sorted(path.parent.name for path in folder.glob("*/processor.py"))
    return [importlib.import_module(f"stook.datasets.{name}.processor").PROCESSOR for name in names]


class FlavourRegistry:
    """Processors in a fixed order; where several fit, the first one answers.

    Raises ValueError if two have one name.
    """

    def __init__(self, processors: Sequence[Processor] | None = None) -> None:
        self.processors = tuple(find_processors() if processors is None else processors)
        names = [one.name for one in self.processors]
        if len(set(names)) < len(names):
            raise ValueError(f"two flavours have one name: {', '.join(names)}")

    def get(self, name: str) -> Processor:
        """The flavour of that name; UserError names those there are."""
        for one in self.processors:
            if one.name == name:
                return one
        raise UserError(f"no flavour is called {name!r}; there are: {', '.join(one.name for one in self.processors)}")

    def by_dataset(self, dataset: str) -> Processor | None:
        """The first flavour that reads this dataset."""
        return next((one for one in self.processors if dataset in one.datasets), None)

    def by_type(self, prefix: str) -> Processor | None:
        """The first flavour with this prefix as its own."""
        return next((one for one in self.processors if one.prefix.upper() == prefix.upper()), None)

    def by_reference(self, reference: str) -> Processor | None:
        """The flavour of a reference like `IANA tls-parameters` or `IANA(tls-parameters)`; None if nobody knows it."""
        wrapped = _WRAPPED.fullmatch(reference)
        inner = wrapped[1].strip() if wrapped else reference.strip()
        candidates = [inner, reference.strip()] if wrapped else [inner]
        return next((one for text in candidates for one in self.processors if one.matches(text)), None)

    def owners(self, prefix: str) -> list[Processor]:
        """All flavours whose references may begin with this prefix, in order."""
        wanted = prefix.strip().upper()
        return [one for one in self.processors if wanted in (name.upper() for name in one.prefixes)]
