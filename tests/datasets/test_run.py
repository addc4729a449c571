"""A run writes what changed and nothing else, and publishes no set that is not whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

from stook.datasets.flavour import IncompleteCrawl, Problem, ProblemKind
from stook.datasets.report.run_report import RunEnd
from stook.datasets.tree.prune import PruneRule
from stook.engine.errors import Malformed, Unavailable, UserError
from stook.engine.files import lock_folder

USES = pytest.mark.parametrize("uses_ledger", [False, True])


@USES
def test_a_second_run_touches_nothing(desk: Any, documents: Any, uses_ledger: bool) -> None:
    """Over an unchanged source every file keeps its inode and time, the index and the ledger too."""
    first = desk.run(*documents(20), uses_ledger=uses_ledger)
    before = desk.stamps()
    second = desk.run(*documents(20), uses_ledger=uses_ledger)
    assert (first.written, first.found) == (20, 20)
    assert (second.written, second.kept + second.skipped) == (0, 20)
    assert desk.stamps() == before
    assert desk.flavour.built == ([] if uses_ledger else [docid for docid, _ in documents(20)])


@USES
def test_only_the_changed_record_is_written(desk: Any, uses_ledger: bool) -> None:
    """A new title changes one file; the index stays."""
    desk.run(("A 1", "one"), ("A 2", "two"), uses_ledger=uses_ledger)
    before = desk.stamps()
    report = desk.run(("A 1", "one"), ("A 2", "new"), uses_ledger=uses_ledger)
    changed = {name for name, stamp in desk.stamps().items() if before.get(name) != stamp}
    assert {name for name in changed if "digests" not in name} == {"data/a-2.yaml"}
    assert report.written == 1
    assert desk.files() == {"a-1.yaml": "one", "a-2.yaml": "new"}


@USES
def test_order_does_not_matter(new_desk: Callable[[str], Any], uses_ledger: bool) -> None:
    """Whatever order documents come in, clashing ones too, every byte of the tree is the same."""
    steps = [("a/b", "slash"), ("a b", "blank"), ("a.b", "dot"), ("c", "c")]
    trees = []
    for number, order in enumerate(permutations(steps)):
        desk = new_desk(str(number))
        assert desk.run(*order, uses_ledger=uses_ledger).collided == 2
        trees.append(desk.bytes())
    assert all(tree == trees[0] for tree in trees)
    assert len(new_desk("0").files()) == 4
    assert new_desk("0").files()["a-b.yaml"] == "blank"


@USES
def test_a_clashing_record_that_is_skipped_keeps_its_file(desk: Any, uses_ledger: bool) -> None:
    """A document that comes later never takes the name of one that is unchanged, failed or not listed."""
    desk.run(("b/c", "old"), uses_ledger=uses_ledger)
    desk.run(("b c", "new"), ("b/c", "old"), uses_ledger=uses_ledger)
    assert desk.files()["b-c.yaml"] == "old"
    desk.run(("b c", "new"), ("b/c", Malformed("broken")), ("b.c", "dot"), uses_ledger=uses_ledger)
    assert desk.files()["b-c.yaml"] == "old"
    assert len(desk.files()) == 3
    assert desk.index().count(":id:") == 3


@USES
def test_a_deleted_file_is_made_again(desk: Any, uses_ledger: bool) -> None:
    """An entry that the ledger knows is done again if its file is gone."""
    desk.run(("A 1", "one"), ("A 2", "two"), uses_ledger=uses_ledger)
    before = desk.bytes()
    (desk.output / "a-1.yaml").unlink()
    assert desk.run(("A 1", "one"), ("A 2", "two"), uses_ledger=uses_ledger).written == 1
    assert desk.bytes() == before


@USES
def test_the_first_of_two_equal_identifiers_counts(desk: Any, uses_ledger: bool) -> None:
    """A document that comes twice is told, and a second run still changes nothing."""
    report = desk.run(("A", "first"), ("A", "second"), uses_ledger=uses_ledger)
    assert (report.duplicated, desk.files()) == (1, {"a.yaml": "first"})
    before = desk.stamps()
    desk.run(("A", "first"), ("A", "second"), uses_ledger=uses_ledger)
    assert desk.stamps() == before


@pytest.mark.parametrize(
    "bad", [("", "x"), (" ", "x"), ("a\0", "x"), ("a\ud800", "x"), ("b", Malformed("no")), ("b", KeyError("k"))]
)
def test_a_bad_record_costs_itself(desk: Any, bad: Any) -> None:
    """It is counted with its reason, the others are written, and nothing is deleted."""
    desk.run(("A", "a"), ("gone", "x"))
    report = desk.run(bad, ("A", "a"), ("C", "c"), prune=PruneRule(allowed=10))
    assert report.failed == 1
    assert any(one.kind is ProblemKind.FAILED and one.reason for one in report.problems)
    assert set(desk.files()) == {"a.yaml", "c.yaml", "gone.yaml"}
    assert report.pruned == []


def test_an_entry_of_no_json_fails_with_the_ledger(desk: Any) -> None:
    """A digest needs values of JSON; the record fails, and says why."""
    report = desk.run(("A", object()), ("B", "b"), uses_ledger=True)
    assert (report.failed, report.written) == (1, 1)


@pytest.mark.parametrize(
    ("error", "end"),
    [
        (IncompleteCrawl("two pages of three"), RunEnd.REFUSED),
        (Unavailable("no answer"), RunEnd.FAILED),
        (KeyboardInterrupt(), RunEnd.INTERRUPTED),
    ],
)
def test_a_broken_run_never_prunes(desk: Any, error: BaseException, end: RunEnd) -> None:
    """Cut short, it deletes nothing, whatever is allowed; only Ctrl-C publishes what there is."""
    desk.run(("A", "a"), ("B", "b"), uses_ledger=True)
    index = desk.index()
    report = desk.run(("C", "c"), error, uses_ledger=True, prune=PruneRule(0, 100, 10))
    assert report.end is end
    assert set(desk.files()) == {"a.yaml", "b.yaml", "c.yaml"}
    assert (desk.index() == index) == (end is not RunEnd.INTERRUPTED)
    assert desk.run(("A", "a"), ("B", "b"), ("C", "c"), uses_ledger=True).end is RunEnd.PUBLISHED
    assert desk.index().count(":id:") == 3


@pytest.mark.parametrize("kind", [ProblemKind.FAILED, ProblemKind.THROTTLED])
def test_a_lost_document_stops_pruning(desk: Any, documents: Any, kind: ProblemKind) -> None:
    """A run that lost a request deletes nothing, and says so; a file that is no record is no loss."""
    desk.run(*documents(20))
    lost = Problem(kind, "doc.xml", "gone")
    report = desk.run(*documents(19), lost, prune=PruneRule())
    assert report.pruned == []
    assert any(one.subject == "prune" for one in report.problems)
    skipped = Problem(ProblemKind.SKIPPED, "README.xml", "no record")
    assert desk.run(*documents(19), skipped, prune=PruneRule()).pruned == ["doc-19.yaml"]
    assert "Doc 19" not in desk.index()


def test_nothing_is_pruned_unasked(desk: Any, documents: Any) -> None:
    """Without the option a document that is gone keeps its file and its row."""
    desk.run(*documents(20))
    desk.run(*documents(19))
    assert len(desk.files()) == 20
    assert "Doc 19" in desk.index()


def test_growth_does_not_mask_a_loss(desk: Any, documents: Any) -> None:
    """A thousand new records do not make up for a hundred old ones."""
    desk.run(*documents(100, "Old"))
    report = desk.run(*documents(1000, "New"), prune=PruneRule())
    assert (report.pruned, len(desk.files())) == ([], 1100)


def test_a_set_of_less_than_half_is_not_published(desk: Any, documents: Any) -> None:
    """The index stays as it is; a smaller share that is asked for, or a stated number of deletions, publishes."""
    desk.run(*documents(10))
    index = desk.index()
    assert desk.run(*documents(4), ("New", "n")).end is RunEnd.PUBLISHED
    desk.run(*documents(10))
    assert desk.run(*documents(4)).end is RunEnd.REFUSED
    assert desk.run().end is RunEnd.REFUSED
    assert index.splitlines()[1:] <= desk.index().splitlines()
    assert desk.run(*documents(4), min_found=10).end is RunEnd.PUBLISHED
    assert len(desk.run(*documents(4), prune=PruneRule(allowed=7)).pruned) == 7


def test_families_are_guarded_apart(desk: Any, documents: Any) -> None:
    """A family that shrank stops the run although another grew."""
    desk.run(*documents(10, "red"), *documents(10, "blue"))
    report = desk.run(*documents(100, "red"), *documents(1, "blue"))
    assert report.end is RunEnd.REFUSED
    assert "blue" in report.reason


@pytest.mark.parametrize("change", ["version", "form", "meta", "open"])
def test_the_ledger_is_distrusted_when_its_ground_changes(desk: Any, change: str) -> None:
    """Another version of the flavour, another format, or a run that was not saved: every record is done again."""
    from stook.datasets.formats import Format

    desk.run(("A", "a"), uses_ledger=True)
    options: dict[str, Any] = {"uses_ledger": True}
    meta = desk.output / ".digests.meta.json"
    if change == "version":
        desk.flavour.version = 2
    elif change == "form":
        options["form"] = Format.JSON
    elif change == "meta":
        meta.unlink()
    else:
        meta.write_text(meta.read_text().replace("true", "false"))
    assert desk.run(("A", "a"), **options).skipped == 0
    assert desk.run(("A", "a"), **options).skipped == 1


def test_a_run_without_the_ledger_does_not_leave_it_trusted(desk: Any) -> None:
    """A source that goes back to an old title gets the old title back."""
    desk.run(("A", "old"), uses_ledger=True)
    desk.run(("A", "new"))
    desk.run(("A", "old"), uses_ledger=True)
    assert desk.files() == {"a.yaml": "old"}


def test_a_broken_run_does_not_leave_the_ledger_trusted(desk: Any) -> None:
    """The same after a run that wrote and then failed."""
    desk.run(("A", "old"), uses_ledger=True)
    desk.run(("A", "new"), Unavailable("away"), uses_ledger=True)
    assert desk.files() == {"a.yaml": "new"}
    desk.run(("A", "old"), uses_ledger=True)
    assert desk.files() == {"a.yaml": "old"}


def test_a_missing_index_costs_work_not_records(desk: Any) -> None:
    """Without the index nothing is skipped, and the tree comes out as it was."""
    steps = [("a/b", "slash"), ("a b", "blank")]
    desk.run(*steps, uses_ledger=True)
    before = desk.bytes()
    (desk.folder / "index-v1.yaml").unlink()
    assert desk.run(*steps, uses_ledger=True).skipped == 0
    assert desk.bytes() == before


def test_an_index_cannot_point_outside(desk: Any) -> None:
    """A row of another folder, or of a name that is not the document's, moves nothing."""
    desk.run(("A", "a"))
    outside = desk.folder / "outside.yaml"
    outside.write_text("mine")
    (desk.output / "zzz.yaml").write_text("other")
    (desk.folder / "index-v1.yaml").write_text(
        "---\n- :id: A\n  :file: data/../outside.yaml\n"
        "- :id: B\n  :file: data/zzz.yaml\n- :id: C\n  :file: /etc/passwd\n"
    )
    desk.run(("A", "a2"), ("B", "b"), ("C", "c"))
    assert outside.read_text() == "mine"
    assert (desk.output / "zzz.yaml").read_text() == "other"
    assert {"a.yaml": "a2", "b.yaml": "b", "c.yaml": "c"}.items() <= desk.files().items()


def test_the_report_is_a_file(desk: Any, documents: Any) -> None:
    """Counts, problems and fields that every record lacks stand in a JSON document beside the index."""
    desk.run(("A", ""), ("B", ""), Problem(ProblemKind.SKIPPED, "x", "y"))
    report = json.loads((desk.folder / "run-report.json").read_text())
    assert (report["found"], report["written"], report["end"]) == (2, 2, "published")
    assert report["missing_fields"] == ["title"]
    assert report["problem_counts"] == {"skipped": 1}
    assert report["problems"] == [{"kind": "skipped", "subject": "x", "reason": "y"}]
    assert desk.run(("A", ""), ("B", "b")).missing_fields == []


def test_case_clashes_are_told(desk: Any) -> None:
    """Names that are one on another file system are a warning, and both are written."""
    report = desk.run(("straße", "a"), ("strasse", "b"))
    assert report.problem_counts == {"warning": 1}
    assert len(desk.files()) == 2


def test_one_run_at_a_time(desk: Any) -> None:
    """A second run in the same folder is refused."""
    desk.run(("A", "a"))
    with lock_folder(desk.output), pytest.raises(UserError, match="another run"):
        desk.run(("A", "b"))


def test_leftovers_are_swept(desk: Any) -> None:
    """Temporary files of a killed run are gone after the next."""
    desk.run(("A", "a"))
    leftover = desk.output / f".{'a' * 16}.stook-tmp"
    leftover.write_text("part")
    desk.run(("A", "a"))
    assert not leftover.exists()


class _Interrupting(tuple[str, ...]):
    """Fields that are looked at when the user stops the run: after the write, before the digest is noted."""

    def __iter__(self) -> Any:
        raise KeyboardInterrupt


def test_a_write_that_was_broken_off_is_not_trusted(desk: Any) -> None:
    """Stopped between a record and its digest, the old digest does not speak for the new bytes."""
    desk.run(("A", "old"), uses_ledger=True)
    required, desk.flavour.required = desk.flavour.required, _Interrupting(["title"])
    assert desk.run(("A", "new"), uses_ledger=True).end is RunEnd.INTERRUPTED
    desk.flavour.required = required
    assert desk.files() == {"a.yaml": "new"}
    desk.run(("A", "old"), uses_ledger=True)
    assert desk.files() == {"a.yaml": "old"}
