#!/usr/bin/env python3
"""Measure catalogues: first and later runs, kills, several writers, look-ups.

Usage: PYTHONPATH=src python benchmarks/datasets.py runs|kill|writers|lookup [NUMBER]
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from stook.datasets.bulk import BulkFetcher
from stook.datasets.flavour import CatalogueEntry, Crawl
from stook.datasets.formats import Format, render
from stook.datasets.iana.identifier import identify_registry
from stook.datasets.iana.record import registry_record
from stook.datasets.iana.registries import IanaRegistry
from stook.datasets.index.lookup import Index, build_lookup
from stook.datasets.index.rows import IndexRow
from stook.datasets.model.bibitem import DocumentDate
from stook.datasets.model.identifier import Identifier
from stook.datasets.names import assign_names
from stook.datasets.report.run_report import RunReport
from stook.datasets.tree.name_table import NameTable
from stook.datasets.tree.writer import Placement, RecordWriter


@dataclass(frozen=True, slots=True)
class SyntheticFlavour:
    """So many registries; every hundredth clashes with the one before it."""

    count: int
    name: str = "synthetic"
    version: int = 1
    default_source: str = "https://synthetic.test/"
    required: tuple[str, ...] = ("title",)

    def identify(self, docid: str) -> Identifier | None:
        return identify_registry(docid)

    def family_of(self, name: str) -> str:
        return ""

    def fetch(self, source: str) -> Crawl:
        yield from entries(self.count)


def entries(count: int) -> Iterator[CatalogueEntry]:
    for number in range(count):
        docid = f"registry-{number - 1} x" if number % 100 == 99 else f"registry-{number} x".replace(" ", "/")
        if number % 100 == 98:
            docid = f"registry-{number}/x"
        dates = (DocumentDate("created", "2001-02-03"), DocumentDate("updated", f"20{number % 25:02}-01-01"))
        registry = IanaRegistry(f"registry-{number}", docid, f"Registry number {number}", dates, is_child=False)
        content = [registry.root, registry.title, [[date.type, date.at] for date in dates]]
        yield CatalogueEntry(docid, content, partial(registry_record, registry))


def fetch(folder: Path, count: int, *, uses_ledger: bool) -> RunReport:
    fetcher = BulkFetcher(SyntheticFlavour(count), folder / "data", uses_ledger=uses_ledger)
    try:
        next(fetcher.steps("https://synthetic.test/"))
    except StopIteration as end:
        report: RunReport = end.value
        return report
    raise AssertionError("nothing is asked for")


def runs(count: int) -> None:
    """First run, runs over an unchanged source, with and without the ledger."""
    for uses_ledger in (False, True):
        with tempfile.TemporaryDirectory() as name:
            times = []
            for _ in range(4):
                begin = time.perf_counter()
                report = fetch(Path(name), count, uses_ledger=uses_ledger)
                times.append(time.perf_counter() - begin)
                became = f"written {report.written}, kept {report.kept}, skipped {report.skipped}"
                phases = report.as_dict()["seconds"]
                print(f"ledger {uses_ledger}: {times[-1]:6.2f} s, {count / times[-1]:8,.0f}/s, {became}, {phases}")
            print(f"later/first: {statistics.median(times[1:]) / times[0]:.3f}")


def tree(folder: Path) -> dict[str, bytes]:
    skipped = {"run-report.json"}
    paths = (path for path in folder.rglob("*") if path.is_file() and path.name not in skipped)
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def kill(times: int, count: int = 15_000) -> None:
    """Kill a run at random moments; each time another run must end with the tree of a run that was left alone."""
    with tempfile.TemporaryDirectory() as name:
        expected = {}
        for uses_ledger in (False, True):
            fetch(Path(name) / str(uses_ledger), count, uses_ledger=uses_ledger)
            expected[uses_ledger] = tree(Path(name) / str(uses_ledger))
        begin = time.perf_counter()
        subprocess.run([sys.executable, __file__, "one", f"{name}/timed", str(count), "True"], check=True)
        whole = time.perf_counter() - begin
        moments = random.Random(1)
        partly = 0
        for number in range(times):
            folder, uses_ledger = Path(name) / f"kill-{number}", number % 2 == 1
            command = [sys.executable, __file__, "one", str(folder), str(count), str(uses_ledger)]
            process = subprocess.Popen(command)
            time_to_die = time.monotonic() + moments.uniform(0.1, 1.0) * whole
            while time.monotonic() < time_to_die and process.poll() is None:
                os.sched_yield()
            process.send_signal(signal.SIGKILL)
            process.wait()
            partly += tree(folder) not in ({}, expected[uses_ledger])
            fetch(folder, count, uses_ledger=uses_ledger)
            assert tree(folder) == expected[uses_ledger], f"kill {number} did not converge"
        print(f"{times} kills, {partly} of them with a tree in part: all converged byte for byte")


def write_share(
    folder: str, count: int, share: int, shares: int, queue: multiprocessing.Queue[list[Placement]]
) -> None:
    writer = RecordWriter(Path(folder), NameTable("yaml", previous_of(folder)), is_cross_process=True)
    mine = [entry for number, entry in enumerate(entries(count)) if number % shares == share]
    queue.put([writer.write_unique(entry.docid, render(entry.build(), Format.YAML)) for entry in mine])


def previous_of(folder: str) -> dict[str, str]:
    """Who had which name; kept in a file beside the folder, as the index is."""
    table = Path(f"{folder}.names")
    if not table.exists():
        return {}
    return dict(line.split("\t") for line in table.read_text().splitlines())


def writers(count: int, shares: int = 4) -> None:
    """Several processes write into one folder, empty, full with its index, and full without."""
    with tempfile.TemporaryDirectory() as name:
        folder = f"{name}/data"
        Path(folder).mkdir()
        expected = set(assign_names((entry.docid for entry in entries(count)), "yaml").items())
        for state in ("empty tree", "full tree", "full tree, index lost"):
            if state.endswith("lost"):
                Path(f"{folder}.names").unlink()
            stamps = {path.name: path.stat().st_mtime_ns for path in Path(folder).iterdir()}
            begin = time.perf_counter()
            queue: multiprocessing.Queue[list[Placement]] = multiprocessing.Queue()
            crew = [
                multiprocessing.Process(target=write_share, args=(folder, count, share, shares, queue))
                for share in range(shares)
            ]
            for process in crew:
                process.start()
            placements = [placed for _ in crew for placed in queue.get()]
            for process in crew:
                process.join()
            parent = RecordWriter(Path(folder), NameTable("yaml", previous_of(folder)), is_cross_process=True)
            warnings, moves = parent.absorb(placements), parent.settle()
            Path(f"{folder}.names").write_text("".join(f"{d}\t{n}\n" for n, d in sorted(parent.written.items())))
            seconds = time.perf_counter() - begin
            names = {docid: name for name, docid in parent.written.items()}
            files = len(list(Path(folder).iterdir()))
            touched = sum(stamps.get(path.name) != path.stat().st_mtime_ns for path in Path(folder).iterdir())
            print(
                f"{state}: {seconds:.2f} s, {files} files for {count} records, {len(moves)} moved, {touched} written,"
                f" {len(warnings)} warnings, names as of one process: {set(names.items()) == expected}"
            )


def lookup(count: int) -> None:
    """Look-ups among so many rows."""
    rows = [IndexRow(f"registry-{number}/part-{number % 7}", f"data/registry-{number}.yaml") for number in range(count)]
    with tempfile.TemporaryDirectory() as name:
        begin = time.perf_counter()
        path = Path(name) / "index.sqlite"
        path.write_bytes(build_lookup(rows, b"", identify_registry))
        print(f"built {count:,} rows in {time.perf_counter() - begin:.2f} s, {path.stat().st_size / 1e6:.0f} MB")
        index = Index(path)
        chosen = random.Random(1).sample(rows, 2000)
        for what, look in (
            ("find, exact", lambda row: index.find(row.id)),
            ("find, other case", lambda row: index.find(row.id.upper())),
            ("search, in part", lambda row: index.search(Identifier("IANA", row.id.partition("/")[0]))[0]),
        ):
            times = []
            for row in chosen:
                begin = time.perf_counter()
                found = look(row)
                times.append(time.perf_counter() - begin)
                assert found == row
            times.sort()
            print(f"{what}: median {times[1000] * 1e3:.3f} ms, 99 % within {times[1980] * 1e3:.3f} ms")


def main(arguments: list[str]) -> None:
    match arguments:
        case ["one", folder, count, uses_ledger]:
            fetch(Path(folder), int(count), uses_ledger=uses_ledger == "True")
        case ["runs", *number]:
            runs(int(number[0]) if number else 100_000)
        case ["kill", *number]:
            kill(int(number[0]) if number else 50)
        case ["writers", *number]:
            writers(int(number[0]) if number else 20_000)
        case ["lookup", *number]:
            lookup(int(number[0]) if number else 180_000)
        case _:
            print(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
