"""Searches find rows, and read records only when they are wanted."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from stook.datasets.bulk import BulkFetcher
from stook.datasets.checkout import Checkout
from stook.datasets.formats import Format
from stook.datasets.iana.flavour import IanaFlavour
from stook.datasets.iana.processor import PROCESSOR
from stook.datasets.index.rows import IndexRow
from stook.datasets.model.bibitem import Bibitem
from stook.datasets.search import Hit, HitCollection, WorkersPool, search_catalogue
from stook.datasets.search.catalogue import read_record
from stook.engine.errors import Malformed

XML = """<registry xmlns="http://www.iana.org/assignments" id="tls"><title>TLS</title>
<registry id="a"/><registry id="b"/></registry>"""


@pytest.fixture(params=[Format.YAML, Format.JSON])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A fetched catalogue in a format that is read back."""
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "tls.xml").write_text(XML)
    BulkFetcher(IanaFlavour(), tmp_path / "data", request.param).fetch(Checkout(tmp_path / "source"))
    return tmp_path


def test_exact_and_in_part(folder: Path) -> None:
    """An identifier that is there is the only hit; one with the publisher in front covers all that it says."""
    assert [hit.row.id for hit in search_catalogue(folder, PROCESSOR, "tls")] == ["tls"]
    assert [hit.row.id for hit in search_catalogue(folder, PROCESSOR, "IANA tls")] == ["tls", "tls/a", "tls/b"]
    assert [hit.row.id for hit in search_catalogue(folder, PROCESSOR, "IANA tls/b")] == ["tls/b"]
    assert len(search_catalogue(folder, PROCESSOR, "IANA nothing")) == 0


def test_records_are_read_when_wanted(folder: Path) -> None:
    """Fetching reads all, once; XML holds one element each."""
    hits = search_catalogue(folder, PROCESSOR, "IANA tls")
    assert not any(hit.is_fetched for hit in hits)
    assert hits.fetch() is hits
    assert hits.is_fetched
    assert all(hit.is_fetched for hit in hits)
    assert hits[0].item() is hits[0].item()
    root = ElementTree.fromstring(hits.to_xml())
    assert [one.findtext("title") for one in root] == ["TLS", "a", "b"]
    assert ElementTree.fromstring(HitCollection("x").to_xml()).tag == "documents"


def test_records_outside_are_not_read(folder: Path) -> None:
    """A row that leads out of the folder, by dots or by a link, is refused."""
    outside = folder.parent / "outside.yaml"
    outside.write_text("id: x")
    (folder / "data" / "link.yaml").symlink_to(outside)
    for file in ("../outside.yaml", "data/link.yaml", str(outside)):
        with pytest.raises(Malformed, match="outside"):
            read_record(folder, IndexRow("x", file))
    with pytest.raises(Malformed, match="not read back"):
        read_record(folder, IndexRow("x", "data/x.xml"))


def hit(name: str) -> Hit:
    return Hit(IndexRow(name, f"{name}.yaml"), lambda row: Bibitem(id=row.id))


def test_selecting_copies() -> None:
    """A selection is a collection of its own, whose hits point to it; `keep` changes the one it is called on."""
    hits = HitCollection("ref", "2012", [hit("a"), hit("b")])
    chosen = hits.select(lambda one: one.row.id == "b")
    chosen.append(hit("c"))
    assert ([one.row.id for one in chosen], len(hits)) == (["b", "c"], 2)
    assert (chosen.reference, chosen.year) == ("ref", "2012")
    assert all(one.collection is chosen for one in chosen)
    assert [one.row.id for one in hits.keep(lambda one: one.row.id == "a")] == ["a"]
    assert hits.first is hits[0]
    assert HitCollection("x").first is None


def test_a_hit_does_not_keep_its_collection() -> None:
    """When the collection is gone, the hit says so and still has its record."""
    hits = HitCollection("ref", hits=[hit("a")])
    one = hits[0]
    del hits
    gc.collect()
    assert one.collection is None
    assert one.item().id == "a"


@pytest.mark.parametrize("size", [-1, 0, 1, 5])
def test_results_are_in_order(size: int) -> None:
    """Whatever thread was first; fewer than one thread are one."""
    assert WorkersPool(size).map(lambda number: number * 2, range(50)) == list(range(0, 100, 2))
    assert WorkersPool(size).map(str, []) == []


def test_an_error_ends_the_work() -> None:
    """Nothing is begun after it, it is raised, and no thread is left."""
    begun = []

    def work(number: int) -> None:
        begun.append(number)
        if number == 3:
            raise LookupError("three")

    def endless() -> Iterator[int]:
        number = 0
        while True:
            yield number
            number += 1

    threads = threading.active_count()
    with pytest.raises(LookupError, match="three"):
        WorkersPool(2).map(work, endless())
    assert threading.active_count() == threads
    with pytest.raises(ZeroDivisionError):
        WorkersPool(2).map(str, (1 // number for number in (1, 0, 1)))
