"""The bulk fetcher: a flavour's whole catalogue into a folder of files."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from stook.datasets.checkout import Checkout, answer_all
from stook.datasets.flavour import CatalogueEntry, Flavour, IncompleteCrawl, Problem
from stook.datasets.formats import Format
from stook.datasets.report.run_report import RunEnd, RunReport
from stook.datasets.run import CatalogueRun
from stook.datasets.tree.prune import PruneRule
from stook.engine.clock import Clock, RealClock
from stook.engine.errors import StookError
from stook.engine.files import lock_folder, sweep_temporary, write_file
from stook.engine.words import Reply, Request

__all__ = ["REPORT_FILE", "BulkFetcher"]

REPORT_FILE = "run-report.json"

Step = Request | CatalogueEntry | Problem


@dataclass(frozen=True, slots=True)
class BulkFetcher:
    """Fetches one flavour into `output`; the index and the report stand beside that folder.

    With `uses_ledger` entries that did not change cost no record. With `prune` files that the source no longer has are
    deleted, within its rule. `min_found` is the percent of a family's files that a run must find to be published.
    """

    flavour: Flavour
    output: Path = Path("data")
    form: Format = Format.YAML
    uses_ledger: bool = False
    prune: PruneRule | None = None
    min_found: int = 50
    clock: Clock = field(default_factory=RealClock)

    def fetch(self, checkout: Checkout) -> RunReport:
        """Read a local checkout to its end; see `steps`."""
        return answer_all(self.steps(checkout.url), checkout)

    def steps(self, source: str) -> Generator[Request, Reply, RunReport]:
        """The run as a generator: it asks for documents, and returns the report.

        Errors of the engine may be thrown into it in place of a reply, and KeyboardInterrupt to end it early. Raises
        UserError if another run works in the folder, OSError if the folder cannot be written.
        """
        output = self.output.absolute()
        output.mkdir(parents=True, exist_ok=True)
        started = self.clock.now().isoformat(timespec="seconds") + "Z"
        report = RunReport(self.flavour.name, source, self.form, started)
        begin = self.clock.monotonic()
        with lock_folder(output):
            sweep_temporary(output)
            sweep_temporary(output.parent)
            run = CatalogueRun(self.flavour, output, self.form, report, self.uses_ledger)
            report.seconds["load"] = (loaded := self.clock.monotonic()) - begin
            yield from self._crawl(run, source)
            report.seconds["crawl"] = (crawled := self.clock.monotonic()) - loaded
            run.finish(self.prune, self.min_found)
            report.seconds["publish"] = self.clock.monotonic() - crawled
            self._write_report(output.parent, report)
        return report

    def _crawl(self, run: CatalogueRun, source: str) -> Generator[Request, Reply, None]:
        """Go through the source; how it ended stands in the report."""
        report = run.report
        try:
            yield from _pump(self.flavour, source, run)
        except KeyboardInterrupt:
            report.end, report.reason = RunEnd.INTERRUPTED, "interrupted"
        except IncompleteCrawl as error:
            report.end, report.reason = RunEnd.REFUSED, error.reason
        except StookError as error:
            report.end, report.reason = RunEnd.FAILED, f"{type(error).__name__}: {error.reason}"

    def _write_report(self, folder: Path, report: RunReport) -> None:
        data = msgspec.json.format(msgspec.json.encode(report.as_dict()), indent=2)
        write_file(folder / REPORT_FILE, data + b"\n", is_durable=False)


def _pump(flavour: Flavour, source: str, run: CatalogueRun) -> Generator[Request, Reply, None]:
    """Pass the flavour's requests on; take its entries and problems."""
    crawl = flavour.fetch(source)
    step = _advance(lambda: next(crawl))
    while step is not None:
        if isinstance(step, Request):
            try:
                reply = yield step
            except StookError as error:
                step = _advance(_throwing(crawl, error))
            else:
                step = _advance(_sending(crawl, reply))
            continue
        if isinstance(step, CatalogueEntry):
            run.add(step)
        else:
            run.report.tell(step)
        step = _advance(lambda: next(crawl))


def _throwing(crawl: Generator[Step, Reply, None], error: StookError) -> Callable[[], Step]:
    return lambda: crawl.throw(error)


def _sending(crawl: Generator[Step, Reply, None], reply: Reply) -> Callable[[], Step]:
    return lambda: crawl.send(reply)


def _advance(go: Callable[[], Step]) -> Step | None:
    """The crawl's next step; None at its end."""
    try:
        return go()
    except StopIteration:
        return None
