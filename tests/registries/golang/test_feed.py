"""Pages of the index, and how the cursor moves."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.engine.errors import Malformed
from stook.registries.golang.feed import START, Boundary, Entry, Gap, Step, advance, parse_page
from stook.registries.golang.times import rfc3339

LINE = b'{"Path":"golang.org/x/text","Version":"v0.3.0","Timestamp":"2019-04-10T19:08:52.997264Z"}'


def _entry(number: int, time: int) -> Entry:
    return Entry(f"example.com/m{number}", "v1.0.0", time * 1_000, rfc3339(time * 1_000))


def _serve(feed: list[Entry], boundary: Boundary, limit: int) -> list[Entry]:
    """What the index answers: everything from the moment on, as much as a page holds."""
    return [entry for entry in feed if entry.time >= boundary.time][:limit]


def _walk(feed: list[Entry], limit: int, boundary: Boundary = START) -> list[Step]:
    steps = [advance(boundary, _serve(feed, boundary, limit), limit)]
    while not steps[-1].is_last:
        boundary = steps[-1].boundary
        steps.append(advance(boundary, _serve(feed, boundary, limit), limit))
        assert len(steps) < 1_000
    return steps


def _page(path: str = "example.com/m", version: str = "v1.0.0", stamp: str = "2020-01-01T00:00:00Z") -> bytes:
    return json.dumps({"Path": path, "Version": version, "Timestamp": stamp}).encode()


def test_page() -> None:
    """A line becomes an entry with its exact time and its text."""
    (entry,) = parse_page(LINE)
    assert entry == Entry("golang.org/x/text", "v0.3.0", 1_554_923_332_997_264_000, "2019-04-10T19:08:52.997264Z")
    assert parse_page(LINE + b"\n" + LINE + b"\n") == [entry, entry]


@pytest.mark.parametrize("body", [b"", b"\n", b" \n\n"])
def test_empty_page(body: bytes) -> None:
    """No lines mean that all is read, and leave the boundary where it was."""
    boundary = Boundary(5_000, rfc3339(5_000), frozenset({("a", "b")}))
    step = advance(boundary, parse_page(body))
    assert (step.boundary, step.fresh, step.is_last) == (boundary, (), True)


@pytest.mark.parametrize(
    "bad",
    [
        b"<html>",
        b'{"Path":"a.b/c","Version":"v1.0.0"}',
        b'{"Path":"a.b/c","Version":1,"Timestamp":"2020-01-01T00:00:00Z"}',
        b'{"Path":"a.b/c","Version":"v1.0.0","Timestamp":"2020-01-01"}',
        b'{"Path":"a.b/\xff","Version":"v1.0.0","Timestamp":"2020-01-01T00:00:00Z"}',
        LINE[:-1],
    ],
)
def test_a_bad_line_fails_its_page(bad: bytes) -> None:
    """A page with one unreadable line is refused as a whole, with the line's number."""
    with pytest.raises(Malformed, match="index page line 3: "):
        parse_page(b"\n".join([LINE, LINE, bad, LINE]))


@pytest.mark.parametrize(
    ("path", "version", "problem"),
    [
        ("example.com/m", "", "version is empty"),
        ("example.com/m", "master", "version is not semantic"),
        ("example.com/m", "v1.0.0-é", "version is not ASCII"),
        ("example.com/é", "v1.0.0", "path is not ASCII"),
        ("Example.com/m", "v1.0.0", "path's first element is not a lower-case host name"),
        ("", "", "path is empty"),
    ],
)
def test_junk_is_kept_apart(path: str, version: str, problem: str) -> None:
    """A line that names nothing askable is no event for the queue, and keeps its reason."""
    page = parse_page(LINE + b"\n" + _page(path, version))
    step = advance(START, page)
    assert [entry.path for entry in step.fresh] == ["golang.org/x/text"]
    assert [(entry.path, entry.version, entry.problem) for entry in step.junk] == [(path, version, problem)]
    assert step.boundary.seen == {(path, version)}


@pytest.mark.parametrize(
    "version", ["v0.0.0-20191109021931-daa7c04131f5+incompatible", "v1.2.0-0.20191109021931-daa7c04131f5"]
)
def test_odd_pseudo_versions_are_no_junk(version: str) -> None:
    """Nonsensical pseudo-versions that the index does hold are events like others."""
    assert parse_page(_page(version=version))[0].problem == ""


def test_boundary_is_inclusive() -> None:
    """What was seen at the boundary comes again and is dropped; what is new at the same moment is not."""
    first = advance(START, [_entry(1, 1), _entry(2, 2)], 2)
    second = advance(first.boundary, [_entry(2, 2), _entry(3, 2), _entry(4, 2)], 9)
    assert second.fresh == (_entry(3, 2), _entry(4, 2))
    assert second.boundary.seen == {
        ("example.com/m2", "v1.0.0"),
        ("example.com/m3", "v1.0.0"),
        ("example.com/m4", "v1.0.0"),
    }
    assert not second.is_last
    assert advance(second.boundary, [_entry(2, 2), _entry(3, 2), _entry(4, 2)], 9).is_last


def test_a_short_page_is_no_end() -> None:
    """An index may show fewer lines than it was asked for: only a page that adds nothing ends the feed."""
    step = advance(START, [_entry(1, 1), _entry(2, 2)], 9)
    assert not step.is_last
    assert advance(step.boundary, [_entry(2, 2)], 9).is_last
    assert advance(step.boundary, [], 9).is_last


def test_a_version_announced_again_is_an_event_again() -> None:
    """The same version at a later moment is news: it may have come back."""
    boundary = advance(START, [_entry(1, 1)], 9).boundary
    assert advance(boundary, [_entry(1, 1), _entry(1, 2)], 9).fresh == (_entry(1, 2),)


def test_what_was_seen_stays_seen() -> None:
    """An event that the index hides for a while at the boundary is not taken for a new one afterwards."""
    boundary = advance(START, [_entry(1, 1)], 9).boundary
    boundary = advance(boundary, [_entry(2, 1)], 9).boundary
    assert advance(boundary, [_entry(1, 1), _entry(2, 1)], 9).fresh == ()


def test_ties_beyond_a_page_are_a_gap() -> None:
    """A page full of one moment cannot be paged through: it is reported, and the cursor moves a microsecond."""
    feed = [_entry(number, 5) for number in range(7)] + [_entry(9, 6)]
    steps = _walk(feed, 3)
    assert [len(step.fresh) for step in steps] == [3, 0, 1, 0]
    assert steps[1].gap == Gap(rfc3339(5_000), 3)
    assert steps[1].boundary == Boundary(6_000, rfc3339(6_000))
    assert not steps[1].is_last
    assert [step.gap for step in steps if step is not steps[1]] == [None] * 3


def test_a_gap_moves_on_to_the_next_whole_microsecond() -> None:
    """The step over a gap is a microsecond, also from within one."""
    entry = Entry("example.com/m", "v1.0.0", 5_400, rfc3339(5_400))
    boundary = advance(START, [entry], 1).boundary
    assert advance(boundary, [entry], 1).boundary.time == 6_000


def test_late_lines_never_move_the_boundary_back() -> None:
    """A line older than the boundary is an event, and the boundary stays."""
    boundary = advance(START, [_entry(1, 10)], 2).boundary
    step = advance(boundary, [_entry(2, 3)], 2)
    assert step.fresh == (_entry(2, 3),)
    assert step.boundary == boundary
    full = advance(boundary, [_entry(2, 3), _entry(3, 4)], 2)
    assert full.boundary == boundary
    assert full.is_last


def test_a_full_page_that_ends_out_of_order() -> None:
    """The last line counts where a page was cut; an old last line does not stop the walk."""
    boundary = advance(START, [_entry(1, 1)], 1).boundary
    assert advance(boundary, [_entry(1, 1), _entry(2, 9), _entry(3, 8)], 3).boundary.time == 8_000
    assert advance(boundary, [_entry(1, 1), _entry(2, 9), _entry(3, 1)], 3).boundary.time == 9_000


def test_boundary_is_stored_and_read() -> None:
    """A boundary survives its columns, text and JSON."""
    boundary = advance(START, [_entry(2, 7), _entry(1, 7)], 9).boundary
    assert Boundary.unpacked(boundary.raw, json.loads(json.dumps(boundary.packed()))) == boundary
    assert Boundary.unpacked("") == START


@given(st.lists(st.integers(1, 12), max_size=40), st.integers(4, 9))
def test_every_event_exactly_once(times: list[int], limit: int) -> None:
    """However the feed falls into pages, each event comes once, in order, if fewer share a moment than fit a page."""
    kept = [time for number, time in enumerate(sorted(times)) if sorted(times)[:number].count(time) < limit - 1]
    feed = [_entry(number, time) for number, time in enumerate(kept)]
    steps = _walk(feed, limit)
    assert [entry for step in steps for entry in step.fresh] == feed
    assert not any(step.gap for step in steps)


@given(st.lists(st.integers(0, 9), max_size=30), st.lists(st.integers(0, 9), max_size=10), st.integers(4, 9))
def test_polling_goes_on_where_it_was(old: list[int], new: list[int], limit: int) -> None:
    """Events that appear after a walk, at the boundary or later, come once in the next."""
    old_feed = [_entry(number, time // 3 + 1) for number, time in enumerate(sorted(old)[: limit - 2])]
    last = old_feed[-1].time // 1_000 if old_feed else 0
    later = [_entry(100 + number, last + 1 + time) for number, time in enumerate(sorted(set(new)))]
    tie = [_entry(99, last)] if old_feed else []
    before = _walk(old_feed, limit)
    after = _walk([*old_feed, *tie, *later], limit, before[-1].boundary)
    assert [entry for step in after for entry in step.fresh] == [*tie, *later]


@given(st.lists(st.integers(1, 4), max_size=30), st.integers(1, 5))
def test_a_walk_ends_and_loses_nothing_silently(times: list[int], limit: int) -> None:
    """Whatever the ties, a walk ends, gives no event twice, and what it does not give lies at a reported gap."""
    feed = [_entry(number, time) for number, time in enumerate(sorted(times))]
    steps = _walk(feed, limit)
    given_out = [entry for step in steps for entry in step.fresh]
    gaps = {step.gap.raw for step in steps if step.gap}
    assert len(given_out) == len(set(map(str, given_out)))
    assert all(entry in given_out or entry.raw in gaps for entry in feed)


def test_the_future_never_moves_the_boundary() -> None:
    """An event stamped years ahead is an event, wherever it stands; what the index tells until then still comes."""
    future = _entry(9, 10**9)
    for page in ([_entry(1, 1), _entry(2, 2), future], [_entry(1, 1), future, _entry(2, 2)]):
        step = advance(START, page, limit=10, horizon=5_000)
        assert (step.boundary.time, step.ahead) == (2_000, 1)
        assert set(step.fresh) == set(page)
    again = advance(step.boundary, [_entry(2, 2), future], limit=10, horizon=5_000)
    assert (again.is_last, again.boundary.time) == (True, 2_000)
    later = advance(step.boundary, [_entry(2, 2), _entry(3, 3), future], limit=10, horizon=5_000)
    assert (later.is_last, later.boundary.time) == (False, 3_000)


def test_a_full_page_of_the_future_is_the_end() -> None:
    """Events that all lie ahead are kept, and asked for again at the next look."""
    page = [_entry(number, 10**9) for number in range(3)]
    step = advance(_walk([_entry(1, 1)], 3)[-1].boundary, page, limit=3, horizon=5_000)
    assert (step.is_last, step.boundary.time, len(step.fresh)) == (True, 1_000, 3)


@pytest.mark.parametrize(
    "bad",
    [
        b"<html>",
        b'{"Path":' + b"[" * 3000 + b"]" * 3000 + b"}",
        b'{"Path":"a.b/c","Version":"v1.0.0","Timestamp":"0001-01-01T00:00:00+05:00"}',
        b'{"Path":"a.b/c","Version":"v1.0.0","Timestamp":"9999-12-31T23:59:59-05:00"}',
        b'{"Path":"a.b/c","Version":"v1.0.0","Timestamp":"2020-01-01T00:00:00.' + b"9" * 9000 + b'Z"}',
    ],
    ids=["html", "deep", "before year 1", "after year 9999", "long fraction"],
)
def test_a_line_that_stays_bad_is_kept_aside(bad: bytes) -> None:
    """Such a line fails its page at first; read with tolerance, it is junk with a reason, and the others are read."""
    body = LINE + b"\n" + bad + b"\n" + _page() + b"\n"
    with pytest.raises(Malformed, match="line 2"):
        parse_page(body)
    first, junk, last = parse_page(body, is_tolerant=True)
    assert (first.problem, last.problem) == ("", "")
    assert junk.problem
    reached = Boundary(5_000, rfc3339(5_000))
    assert advance(reached, [junk], limit=10).boundary == reached
