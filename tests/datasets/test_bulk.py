"""A run passes requests on, hands answers and errors in, and always ends in a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stook.datasets.bulk import BulkFetcher
from stook.datasets.flavour import CatalogueEntry, Crawl, ProblemKind, ask
from stook.datasets.model.bibitem import Bibitem
from stook.datasets.report.run_report import RunEnd, RunReport
from stook.engine.errors import LaneClosed, Refused, StookError, Unavailable
from stook.engine.words import Reply, Request


class AskingFlavour:
    """Asks for each of its addresses; the body is the identifier."""

    name, version, default_source, required = "asking", 1, "https://asking.test/", ("docidentifier",)

    def identify(self, docid: str) -> None:
        return None

    def family_of(self, name: str) -> str:
        return ""

    def fetch(self, source: str) -> Crawl:
        for place in ("a", "b"):
            reply = yield from ask(Request(f"{source}{place}"))
            if reply is not None:
                yield CatalogueEntry(reply.body.decode(), None, lambda: Bibitem(id="x"))


def run(folder: Path, *answers: Any) -> tuple[list[str], RunReport]:
    """The addresses asked for, and the report."""
    steps = BulkFetcher(AskingFlavour(), folder / "data").steps("https://asking.test/")
    asked = []
    try:
        request = next(steps)
        for answer in answers:
            asked.append(request.url)
            if isinstance(answer, BaseException):
                request = steps.throw(answer)
            else:
                status, body = answer
                request = steps.send(Reply(request.url, status, body))
    except StopIteration as end:
        return asked, end.value
    raise AssertionError("more was asked for")


def test_requests_and_replies_pass(tmp_path: Path) -> None:
    """Each request reaches the caller, each reply the flavour."""
    asked, report = run(tmp_path, (200, b"A"), (200, b"B"))
    assert asked == ["https://asking.test/a", "https://asking.test/b"]
    assert (report.end, report.written) == (RunEnd.PUBLISHED, 2)
    assert {path.name for path in (tmp_path / "data").iterdir()} == {"a.yaml", "b.yaml"}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ((404, b""), ProblemKind.FAILED),
        (Unavailable("no answer"), ProblemKind.FAILED),
        (Refused("too large"), ProblemKind.FAILED),
        (Unavailable("slow down", status=429), ProblemKind.THROTTLED),
    ],
)
def test_one_lost_document_costs_itself(tmp_path: Path, answer: Any, kind: ProblemKind) -> None:
    """The next one is asked for; the run is published, and not whole."""
    _, report = run(tmp_path, answer, (200, b"B"))
    assert (report.end, report.written, report.is_whole) == (RunEnd.PUBLISHED, 1, False)
    assert report.problem_counts == {kind: 1}


@pytest.mark.parametrize(
    ("error", "end"), [(LaneClosed("host", "closed"), RunEnd.FAILED), (KeyboardInterrupt(), RunEnd.INTERRUPTED)]
)
def test_what_ends_a_run(tmp_path: Path, error: BaseException, end: RunEnd) -> None:
    """A closed lane and the user end it at once; the report says how."""
    asked, report = run(tmp_path, (200, b"A"), error)
    assert (len(asked), report.end, report.written) == (2, end, 1)
    assert (tmp_path / "index-v1.yaml").exists() == (end is RunEnd.INTERRUPTED)
    assert (tmp_path / "run-report.json").exists()


def test_an_error_nobody_foresaw_is_not_hidden(tmp_path: Path) -> None:
    """A bug in a flavour is raised, and the folder is free again."""

    class Broken(AskingFlavour):
        def fetch(self, source: str) -> Crawl:
            raise ZeroDivisionError
            yield

    fetcher = BulkFetcher(Broken(), tmp_path / "data")
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            next(fetcher.steps("https://asking.test/"))
    assert not issubclass(ZeroDivisionError, StookError)
