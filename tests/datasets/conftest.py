"""A catalogue that tests write by hand, and a look at the tree that a run leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stook.datasets.bulk import BulkFetcher
from stook.datasets.flavour import CatalogueEntry, Crawl, Problem
from stook.datasets.model.bibitem import Bibitem, DocumentIdentifier, LocalizedText
from stook.datasets.model.identifier import Identifier
from stook.datasets.report.run_report import RunReport
from stook.engine.words import Request
from stook.testing import ManualClock


@dataclass
class HandFlavour:
    """Gives the steps that a test put in `steps`: documents as (identifier, title), problems, errors to raise."""

    steps: list[Any] = field(default_factory=list)
    name: str = "hand"
    version: int = 1
    default_source: str = "https://hand.test/"
    required: tuple[str, ...] = ("title", "docidentifier")
    built: list[str] = field(default_factory=list)

    def identify(self, docid: str) -> Identifier | None:
        publisher, _, number = docid.partition(" ")
        return Identifier(publisher, number) if number else None

    def family_of(self, name: str) -> str:
        return name.partition("-")[0] if name.startswith(("red-", "blue-")) else ""

    def fetch(self, source: str) -> Crawl:
        for step in self.steps:
            if isinstance(step, BaseException):
                raise step
            if isinstance(step, (Problem, Request)):
                yield step
            else:
                docid, title = step
                yield CatalogueEntry(docid, {"title": title}, partial(self._build, docid, title))

    def _build(self, docid: str, title: Any) -> Bibitem:
        self.built.append(docid)
        if isinstance(title, Exception):
            raise title
        return Bibitem(
            title=(LocalizedText(content=title),) if title else (), docidentifier=(DocumentIdentifier(docid),)
        )


class Desk:
    """Runs a hand-written catalogue into a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.output = folder / "data"
        self.flavour = HandFlavour()

    def run(self, *steps: Any, **options: Any) -> RunReport:
        """One run over these steps, without any answer to give."""
        self.flavour.steps = list(steps)
        self.flavour.built.clear()
        fetcher = BulkFetcher(self.flavour, self.output, clock=ManualClock(), **options)
        try:
            next(fetcher.steps("https://hand.test/"))
        except StopIteration as end:
            report: RunReport = end.value
            return report
        raise AssertionError("a step asked for a document")

    def files(self) -> dict[str, str]:
        """Name to title of the records."""
        found = {}
        for path in self.output.iterdir():
            if not path.name.startswith("."):
                found[path.name] = (
                    path.read_text(encoding="utf-8").partition("content: ")[2].partition("\n")[0].strip('"')
                )
        return found

    def stamps(self) -> dict[str, tuple[int, int]]:
        """Inode and time of each file below the folder but the run's report."""
        paths = [path for path in self.folder.rglob("*") if path.is_file() and path.name != "run-report.json"]
        return {str(path.relative_to(self.folder)): (path.stat().st_ino, path.stat().st_mtime_ns) for path in paths}

    def bytes(self) -> dict[str, bytes]:
        """The bytes of each file below the folder but the run's report."""
        return {name: (self.folder / name).read_bytes() for name in self.stamps()}

    def index(self) -> str:
        """The text of the index."""
        return (self.folder / "index-v1.yaml").read_text(encoding="utf-8")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A desk with an empty folder."""
    return Desk(tmp_path / "desk")


@pytest.fixture
def new_desk(tmp_path: Path) -> Callable[[str], Desk]:
    """Makes desks by name."""
    return lambda name: Desk(tmp_path / name)


@pytest.fixture
def documents() -> Callable[..., Sequence[tuple[str, str]]]:
    """So many documents with a prefix."""
    return lambda count, prefix="Doc": [(f"{prefix} {number}", f"Title {number}") for number in range(count)]
