"""The feed and the package site, driven by scripted replies; and a feed walked to its end whatever happens."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from stook.engine.errors import FailureCode, Malformed, Unavailable
from stook.engine.ledger import VisitResult, event_id
from stook.engine.ledger.queue.bulk import SAMPLE
from stook.engine.ledger.schema import POLL, STATUS
from stook.engine.words import Announcement, Code, Cursor, Event, Found, Part, Reply
from stook.registries.golang.feed import Gap
from stook.registries.golang.queues import FEED, FEED_LANE, PAGE, PAGE_LANE
from stook.registries.golang.records import GoPage
from stook.registries.golang.sources import POLL_EVERY, GoFeed, GoPages
from stook.registries.golang.tables import GO_LIST
from stook.registries.golang.times import nanoseconds, rfc3339
from stook.testing import run_visit

from .shelves import GoShelf, entry, feed_page, open_go_shelf  # noqa: TID252

INDEX = "http://index.test/index"
SMALL = GoFeed("http://index.test", limit=4, pages=1)
START = nanoseconds("2024-01-01T00:00:00Z")


def line(path: str, version: str = "v1.0.0", time: str = "2024-01-01T00:00:00Z") -> bytes:
    return json.dumps({"Path": path, "Version": version, "Timestamp": time}).encode() + b"\n"


def event(name: str = "all", cursor: Cursor | None = None, **facts: Any) -> Event:
    return Event(FEED.name, FEED.id_of(name, ""), name, "", "feed", 20, facts=facts | {"cursor": cursor})


def visit(one: Event, replies: dict[str, Any], source: GoFeed = SMALL) -> tuple[Found, list[str]]:
    script = {f"{INDEX}?{query}": told for query, told in replies.items()}
    script = {url: Reply(url, 200, told) if isinstance(told, bytes) else told for url, told in script.items()}
    found, asked = run_visit(source.visit([one]), script)
    assert {request.lane for request in asked} == {FEED_LANE}
    return found, [request.url.partition("?")[2] for request in asked]


def test_the_first_page() -> None:
    """A feed begins at its beginning; its cursor is the last line's own text, with what was seen exactly there."""
    body = b"".join(line(f"a.io/{number}", time=f"2024-01-01T00:00:0{number}.50Z") for number in range(4))
    found, asked = visit(event(), {"include=all&limit=4": body})
    assert found.cursor == Cursor("go-feed:all", "2024-01-01T00:00:03.50Z", [["a.io/3", "v1.0.0"]])
    assert (found.outcome.code, found.outcome.delay, found.outcome.is_deferred) == (Code.PENDING, 0.0, True)
    (record,) = found.records
    assert ([one.path for one in record.fresh], record.feed, len(asked)) == (
        ["a.io/0", "a.io/1", "a.io/2", "a.io/3"],
        "all",
        1,
    )


def test_which_feed() -> None:
    """The feed's name decides what is asked for, and is part of the cursor's key."""
    source = GoFeed("http://index.test", pages=1)
    found, asked = visit(event("default"), {"limit=2000": line("a.io/x")}, source)
    assert (found.cursor and found.cursor.feed, asked) == ("go-feed:default", ["limit=2000"])


SINCE = "since=2024-01-01T00%3A00%3A00Z&include=all&limit=4"
BEFORE = "since=2023-12-31T23%3A50%3A00Z&include=all&limit=4"
CURSOR = Cursor("go-feed:all", "2024-01-01T00:00:00Z", [["a.io/x", "v1.0.0"]])


def test_the_end() -> None:
    """At its end a feed is asked again in a minute; the last ten minutes are read once more for what came late."""
    late = line("a.io/late", time="2023-12-31T23:59:00Z") + line("a.io/no", "", "2023-12-31T23:59:01Z")
    found, asked = visit(event(cursor=CURSOR), {SINCE: line("a.io/x"), BEFORE: late + line("a.io/x")})
    assert asked == [SINCE, BEFORE]
    assert (found.outcome.code, found.outcome.delay) == (Code.PENDING, POLL_EVERY)
    assert found.cursor == CURSOR
    told = [(one.fresh, one.junk) for one in found.records]
    assert [[[one.path for one in part] for part in parts] for parts in told] == [
        [[], []],
        [["a.io/late"], ["a.io/no"]],
    ]


def test_an_empty_feed() -> None:
    """Nothing yet is no error, and no cursor either; before a first page there is nothing to read again."""
    found, asked = visit(event(), {"include=all&limit=4": b""})
    assert (found.cursor, len(asked)) == (Cursor("go-feed:all", "", []), 1)
    found, asked = visit(event(cursor=found.cursor, since="2024-01-01T00:00:00Z"), {SINCE: b""})
    assert found.cursor == Cursor("go-feed:all", "2024-01-01T00:00:00Z", [])


def test_a_range_that_ends() -> None:
    """A range with an end is complete behind it, or at the end of the feed; a window then begins anew."""
    body = b"".join(line(f"a.io/{n}", time=f"2024-01-01T00:00:0{n}Z") for n in range(4))
    facts = {"since": "2024-01-01T00:00:00Z"}
    for until, code in (("2024-01-01T00:00:03Z", Code.PENDING), ("2024-01-01T00:00:02Z", Code.COMPLETE)):
        found, asked = visit(event("all/backfill", **facts, until=until), {SINCE: body})
        assert (found.outcome.code, asked) == (code, [SINCE])
        assert found.cursor == Cursor("go-feed:all/backfill", "2024-01-01T00:00:03Z", [["a.io/3", "v1.0.0"]])
    found, _ = visit(event("all/window/x", **facts, until="2024-01-01T00:00:02Z"), {SINCE: body})
    assert found.cursor == Cursor("go-feed:all/window/x", "", [])
    found, _ = visit(event("all/backfill", cursor=found.cursor, **facts, until="2025-01-01T00:00:00Z"), {SINCE: b""})
    assert found.outcome.code is Code.COMPLETE


def test_an_index_of_small_pages() -> None:
    """An index that shows fewer lines than it was asked for is read to the end of the range all the same."""
    replies = {since(n): numbered(n)[: 3 * len(line("a.io/0", time="2024-01-01T00:00:00Z"))] for n in range(0, 6, 2)}
    replies |= {since(6): line("a.io/6", time="2024-01-01T00:00:06Z")}
    facts = {"since": "2024-01-01T00:00:00Z", "until": "2025-01-01T00:00:00Z"}
    found, asked = visit(event("all/backfill", **facts), replies, GoFeed("http://index.test", limit=4))
    assert asked == [since(n) for n in (0, 2, 4, 6)]
    assert [one.path for page in found.records for one in page.fresh] == [f"a.io/{n}" for n in range(7)]
    assert found.outcome.code is Code.COMPLETE


@pytest.mark.parametrize("bad", [b"{", b"<html>", b'{"Path":"a.io/x","Version":"v1"}', line("a.io/x", time="soon")])
def test_a_bad_line(bad: bytes) -> None:
    """A page with a bad line is no page: nothing is kept, the cursor stays, and the feed comes back in a minute."""
    with pytest.raises(Unavailable, match="line 2"):
        visit(event(), {"include=all&limit=4": line("a.io/w") + bad})


def test_no_answer() -> None:
    """Any status but 200 says nothing of the feed."""
    with pytest.raises(Unavailable, match="HTTP 403"):
        visit(event(), {"include=all&limit=4": Reply("", 403)})


def numbered(first: int) -> bytes:
    """Four events, one a second from that one on."""
    return b"".join(line(f"a.io/{n}", time=f"2024-01-01T00:00:{n:02}Z") for n in range(first, first + 4))


def since(second: int) -> str:
    return f"since=2024-01-01T00%3A00%3A{second:02}Z&include=all&limit=4"


def test_many_pages() -> None:
    """A visit reads on from page to page; the first is kept at once, then a few with the cursor of the last."""
    source = GoFeed("http://index.test", limit=4, pages=5, step=2)
    replies = {f"{INDEX}?{since(n)}": Reply("", 200, numbered(n)) for n in range(3, 30, 3)}
    replies[f"{INDEX}?include=all&limit=4"] = Reply("", 200, numbered(0))
    parts: list[Part] = []
    found, asked = run_visit(source.visit([event()]), replies, on_part=parts.append)
    assert [[[one.path for one in page.fresh] for page in part.records] for part in (*parts, found)] == [
        [["a.io/0", "a.io/1", "a.io/2", "a.io/3"]],
        [["a.io/4", "a.io/5", "a.io/6"], ["a.io/7", "a.io/8", "a.io/9"]],
        [["a.io/10", "a.io/11", "a.io/12"], ["a.io/13", "a.io/14", "a.io/15"]],
    ]
    reached = [(part.cursor.value, part.cursor.boundary) for part in (*parts, found) if part.cursor]
    assert reached == [(f"2024-01-01T00:00:{n:02}Z", [[f"a.io/{n}", "v1.0.0"]]) for n in (3, 9, 15)]
    assert (found.outcome.code, found.outcome.delay, len(asked)) == (Code.PENDING, 0.0, 5)


@pytest.mark.parametrize("trouble", [Reply("", 503), Reply("", 200, b"{"), Unavailable("no route")])
def test_trouble_on_the_way(trouble: Reply | Unavailable) -> None:
    """What was read before a page that cannot be had counts; the next visit begins with that page, at once."""
    source = GoFeed("http://index.test", limit=4)
    first, second = f"{INDEX}?include=all&limit=4", f"{INDEX}?{since(3)}"
    found, _ = run_visit(source.visit([event()]), {first: Reply("", 200, numbered(0)), second: trouble})
    assert found.cursor == Cursor("go-feed:all", "2024-01-01T00:00:03Z", [["a.io/3", "v1.0.0"]])
    assert (found.outcome.code, found.outcome.delay) == (Code.PENDING, 0.0)
    with pytest.raises(Unavailable):
        run_visit(source.visit([event(cursor=found.cursor)]), {second: trouble})


def test_a_gap() -> None:
    """More events at one moment than a page shows are a recorded gap, reported, and stepped over."""
    body = b"".join(line(f"a.io/{number}") for number in range(4))
    seen = Cursor("go-feed:all", "2024-01-01T00:00:00Z", [[f"a.io/{number}", "v1.0.0"] for number in range(4)])
    found, _ = visit(event(cursor=seen), {SINCE: body})
    assert found.cursor == Cursor("go-feed:all", "2024-01-01T00:00:00.000001Z", [])
    (record,) = found.records
    assert record.gap == Gap("2024-01-01T00:00:00Z", 4)


def test_success_wipes_out_trouble(sqlite_go_shelf: GoShelf) -> None:
    """A feed never climbs the ladder step by step: a page that was kept puts it back at its beginning."""
    shelf = sqlite_go_shelf
    (identity,) = shelf.ledger.announce([Announcement(FEED.name, "all")])
    with shelf.ledger.transaction() as transaction:
        transaction.execute(sa.update(POLL).values(PROCESSED=37, ATTEMPTS=8))
    shelf.visit(SMALL, {f"{INDEX}?include=all&limit=4": Reply("", 200, line("a.io/x"))})
    (standing,) = shelf.ledger.states(FEED.name, [identity])
    assert standing.processed == 0
    with shelf.ledger.reading() as connection:
        assert connection.execute(sa.select(POLL.c["ATTEMPTS"])).scalar_one() == 0


def test_feed_rows(go_shelf: GoShelf) -> None:
    """Events become rows that are due; junk is kept aside under a name that every engine holds, and told once."""
    junk = [entry("a.io/x", "", problem="version is empty"), entry("ä.io/\n\0", "v1.0.0", problem="path is not ASCII")]
    good = [entry("github.com/A/x", "v1.0.0", "2024-01-01T00:00:00.123456789Z"), entry("github.com/a/x", "v1.0.0")]
    kept = go_shelf.keep(feed_page(*good, *junk))
    assert (dict(kept.written), len(kept.rejected)) == ({"list": 4}, 2)
    rows = {row["INDEX_PATH"]: row for row in go_shelf.rows("list")}
    assert set(rows) == {"a.io/x", "%C3%A4.io/%0A%00", "github.com/A/x", "github.com/a/x"}
    assert [(row["PROCESSED"], row["DUE_AT"] is None) for _, row in sorted(rows.items())] == [
        (3, True),
        (3, True),
        (0, False),
        (0, False),
    ]
    first = rows["github.com/A/x"]
    assert (first["TIMESTAMP"].microsecond, first["TIMESTAMP_RAW"], first["FEED"], first["SOURCE"]) == (
        123456,
        "2024-01-01T00:00:00.123456789Z",
        "all",
        "index",
    )
    assert rows["a.io/x"]["LAST_ERROR"] == "version is empty"
    kept = go_shelf.keep(feed_page(*good, *junk))
    assert (sum(kept.written.values()), kept.unchanged["list"], kept.rejected) == (0, 4, [])


def test_one_known_among_many_new(go_shelf: GoShelf) -> None:
    """A batch whose first look finds nothing known may hold what is: that stays as it was, all others are written."""
    many = [entry(f"a.io/{number}", "v1.0.0", "2024-01-01T00:00:00Z") for number in range(5 * SAMPLE)]
    ids = sorted((event_id(one.path, one.version), one) for one in many)
    looked_at = {identity for identity, _ in ids[:: len(ids) // SAMPLE + 1]}
    known, ended = [one for identity, one in ids if identity not in looked_at][7:9]
    go_shelf.keep(feed_page(known, ended))
    go_shelf.set("list", {"INDEX_PATH": known.path}, PROCESSED=1, DUE_AT=None)
    go_shelf.set("list", {"INDEX_PATH": ended.path}, PROCESSED=5, DUE_AT=None)
    later = entry(ended.path, ended.version, "2024-01-02T00:00:00Z")
    junk = entry("a.io/junk", "", problem="version is empty")
    kept = go_shelf.keep(feed_page(*many, junk, later), feed_page(known))
    assert (kept.written["list"], kept.unchanged["list"]) == (5 * SAMPLE, 1)  # two less, the junk and the revived more
    assert [name for name, _ in kept.rejected] == ["a.io/junk@"]
    rows = {row["INDEX_PATH"]: row for row in go_shelf.rows("list")}
    assert set(rows) == {one.path for one in (*many, junk)}
    assert (rows[known.path]["PROCESSED"], rows[ended.path]["PROCESSED"]) == (1, 0)
    assert rows[ended.path]["TIMESTAMP_RAW"] == later.raw


def test_announced_twice_at_once(go_shelf: GoShelf) -> None:
    """Of a new event that comes twice in one batch the first counts, as if each page were kept by itself."""
    first, again = (entry("a.io/x", "v1.0.0", f"2024-01-01T00:00:0{second}Z") for second in (1, 2))
    kept = go_shelf.keep(feed_page(first), feed_page(again))
    assert (kept.written["list"], go_shelf.rows("list", "TIMESTAMP_RAW")) == (1, [first.raw])


STATES = [0, 1, 2, 3, 5, 6, 20, 25, 30, 38, 39]


@pytest.mark.parametrize("is_later", [False, True])
def test_announced_again(go_shelf: GoShelf, is_later: bool) -> None:
    """A row that ended in nothing is revived by a later announcement only; all others stay as they are."""
    entries = [entry("a.io/x", f"v1.{state}.0") for state in STATES]
    go_shelf.keep(feed_page(*entries))
    for state in STATES:
        more = {"DUE_AT": None, "LEASE": 7, "ATTEMPTS": 3, "LAST_STATUS": 404, "RESYNC": 1}
        go_shelf.set("list", {"INDEX_VERSION": f"v1.{state}.0"}, PROCESSED=state, **more)
    before = {row["INDEX_VERSION"]: row for row in go_shelf.rows("list")}
    raw = "2024-01-01T00:00:00.000001Z" if is_later else "2024-01-01T00:00:00Z"
    kept = go_shelf.keep(feed_page(*[entry(one.path, one.version, raw) for one in entries]))
    after = {row["INDEX_VERSION"]: row for row in go_shelf.rows("list")}
    changed = {version for version in before if before[version] != after[version]}
    assert changed == ({"v1.5.0", "v1.39.0"} if is_later else set())
    assert (kept.written["list"], kept.unchanged["list"]) == (len(changed), len(STATES) - len(changed))
    for version in changed:
        row = after[version]
        told = ("PROCESSED", "ATTEMPTS", "LAST_STATUS", "TIMESTAMP_RAW")
        assert [row[name] for name in told] == [0, 0, None, raw]
        assert row["DUE_AT"] is not None


def test_what_others_announced(go_shelf: GoShelf) -> None:
    """The feed dates an event that a person announced, and leaves the rest of its row alone."""
    go_shelf.announce(Announcement("go", "a.io/x", "v1.0.0", "seed"))
    (before,) = go_shelf.rows("list")
    go_shelf.keep(feed_page(entry("a.io/x", "v1.0.0")))
    (after,) = go_shelf.rows("list")
    changed = {name for name in before if before[name] != after[name]}
    assert (changed, after["SOURCE"]) == ({"TIMESTAMP", "TIMESTAMP_RAW", "FEED"}, "seed")


def test_what_others_announced_in_vain(go_shelf: GoShelf) -> None:
    """An event that a person announced and that ended in nothing is the feed's too once it is revived."""
    go_shelf.announce(Announcement("go", "a.io/x", "v1.0.0", "seed"))
    go_shelf.set("list", {"INDEX_PATH": "a.io/x"}, PROCESSED=5, DUE_AT=None)
    go_shelf.keep(feed_page(entry("a.io/x", "v1.0.0")))
    assert go_shelf.rows("list", "PROCESSED", "FEED", "SOURCE") == [(0, "all", "seed")]
    go_shelf.set("list", {"INDEX_PATH": "a.io/x"}, PROCESSED=5, DUE_AT=None)
    go_shelf.keep(feed_page(entry("a.io/x", "v1.0.0", "2024-01-02T00:00:00Z"), feed="default"))
    assert go_shelf.rows("list", "PROCESSED", "FEED") == [(0, "all")]


class Once(GoFeed):
    """A feed whose `keep` breaks after it has written, as often as it is told to."""

    breaks: ClassVar[list[int]] = []

    def keep(self, transaction: Any, records: Any, now: Any) -> Any:
        kept = GoFeed.keep(self, transaction, records, now)
        if self.breaks and self.breaks.pop():
            raise RuntimeError("the disk is full")
        return kept


class Index:
    """The index as a growing list of (path, nanoseconds)."""

    def __init__(self) -> None:
        self.events: list[tuple[str, int]] = []

    def add(self, gaps: Sequence[int]) -> None:
        for gap in gaps:
            last = self.events[-1][1] if self.events else START
            self.events.append((f"a.io/{len(self.events)}", last + gap * 100_000_000))

    def __contains__(self, url: object) -> bool:
        return True

    def __getitem__(self, url: str) -> Reply:
        query = parse_qs(urlsplit(url).query)
        since = nanoseconds(query["since"][0]) if "since" in query else 0
        shown = [one for one in self.events if one[1] >= since][: int(query["limit"][0])]
        return Reply(url, 200, b"".join(line(path, time=rfc3339(time)) for path, time in shown))


# Gaps in tenths of a second; three events at most share a moment, so that pages of four get past them.
GAPS = st.lists(st.sampled_from([1, 3, 10]), max_size=8).map(
    lambda some: [part for gap in some for part in (gap, 0, 0)[: gap % 3 + 1]]
)
PAGES = st.sampled_from([(1, 1), (3, 1), (6, 2), (40, 5)])  # of a visit, and of a part of it
STEPS = st.lists(
    st.one_of(
        st.sampled_from(["page", "page", "page", "crash", "break", "turn"]),
        GAPS.map(lambda gaps: ("grow", gaps)),
    ),
    max_size=15,
)


@pytest.fixture(scope="module")
def walker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GoShelf]:
    """One shelf for all examples of a law."""
    folder: Path = tmp_path_factory.mktemp("walker")
    with open_go_shelf(f"sqlite:///{folder.as_posix()}/stook.db") as shelf:
        yield shelf


def empty(shelf: GoShelf) -> None:
    with shelf.ledger.transaction() as transaction:
        for table in (GO_LIST, POLL, STATUS):
            transaction.execute(sa.delete(table))


class Crash(Exception):
    """The process is gone."""


def look(shelf: GoShelf, source: GoFeed, one: Event, index: Index, step: Any) -> Found:
    """One visit, kept with all its parts, or until the crash."""

    def keep(part: Part) -> None:
        Once.breaks = [1, 1] if step == "break" else []
        found = Found(records=part.records, cursor=part.cursor)
        shelf.ledger.keep([VisitResult(source, [one], found, is_part=True)])
        if step == "crash":
            raise Crash

    try:
        found, _ = run_visit(source.visit([one]), index, on_part=keep)  # type: ignore[arg-type]
    except Crash:
        return Found()
    Once.breaks = [1, 1] if step == "break" else []
    if step != "crash":
        shelf.ledger.keep([VisitResult(source, [one], found)])
    return found


def walk(
    shelf: GoShelf, index: Index, steps: Sequence[Any], ranges: Sequence[Announcement], pages: tuple[int, int] = (1, 1)
) -> None:
    """Do the steps, then walk on undisturbed until each range has come to its end."""
    source = Once("http://index.test", limit=4, pages=pages[0], step=pages[1])
    ended, complete = set[str](), set[str]()
    turn = 0
    for step in chain(steps, repeat("page")):
        if step == "page" and len(ended) == len(ranges):
            break
        shelf.announce(*ranges)
        if isinstance(step, tuple):
            index.add(step[1])
            ended &= complete
            continue
        shelf.clock.advance(3600)
        turn += 1
        claimed = shelf.ledger.claim(FEED.name, 2) if step != "turn" else []
        shelf.ledger.release([one for one in claimed if one is not claimed[turn % len(claimed)]])
        for one in claimed[turn % len(claimed or "-") :][:1]:
            found = look(shelf, source, one, index, step)
            if step == "page" and found.outcome.code is Code.COMPLETE:
                complete.add(one.name)
            is_over = one.name in complete or (step == "page" and found.outcome.delay == POLL_EVERY)
            ended = ended | {one.name} if is_over else ended - {one.name}
    assert [(row[0], row[1]) for row in shelf.rows("list", "INDEX_PATH", "TIMESTAMP_RAW")] == sorted(
        (path, rfc3339(time)) for path, time in index.events
    )


@settings(max_examples=15, deadline=None)
@given(GAPS, STEPS, PAGES)
def test_every_event_once(walker: GoShelf, gaps: list[int], steps: list[Any], pages: tuple[int, int]) -> None:
    """Whatever dies or breaks between two pages or within one: in the end every event is there once."""
    empty(walker)
    index = Index()
    index.add(gaps)
    walk(walker, index, steps, [Announcement(FEED.name, "all", urgent=True)], pages)
    cursor = walker.ledger.cursor(FEED.cursor_key("all"))
    assert cursor is not None
    assert cursor.value == (rfc3339(index.events[-1][1]) if index.events else "")
    if index.events:
        last = index.events[-1][1]
        assert cursor.boundary == sorted([path, "v1.0.0"] for path, time in index.events if time == last)


@settings(max_examples=12, deadline=None)
@given(GAPS, STEPS, st.integers(-5, 200), PAGES)
def test_two_ranges_join(
    walker: GoShelf, gaps: list[int], steps: list[Any], split: int, pages: tuple[int, int]
) -> None:
    """A tail and the past before it leave no hole, wherever they join and whichever is ahead."""
    empty(walker)
    index = Index()
    index.add(gaps)
    join = rfc3339(START + split * 50_000_000)
    past = Announcement(FEED.name, "all/backfill", urgent=True, facts={"until": join})
    tail = Announcement(FEED.name, "all", urgent=True, facts={"since": join})
    # What the feed shows later than the past's walk ended is the tail's: it grows at its end only.
    grown = [(step if not isinstance(step, tuple) else ("grow", [500, *step[1]])) for step in steps]
    walk(walker, index, grown, [tail, past], pages)


def test_a_window_heals(walker: GoShelf) -> None:
    """A window walked again adds what is missing, changes nothing else, and can be walked as often as one likes."""
    empty(walker)
    index = Index()
    index.add([1] * 30)
    main = Announcement(FEED.name, "all", urgent=True)
    walk(walker, index, (), [main])
    whole = walker.rows("list", "INDEX_PATH", "PROCESSED", "DUE_AT")
    cursor = walker.ledger.cursor(FEED.cursor_key("all"))
    facts = {"since": rfc3339(START), "until": rfc3339(START + 10**10)}
    window = Announcement(FEED.name, "all/window/x", urgent=True, fresh_for=0.0, facts=facts)
    for missing in ("a.io/3", "a.io/17"):
        with walker.ledger.transaction() as transaction:
            transaction.execute(sa.delete(GO_LIST).where(GO_LIST.c["INDEX_PATH"] == missing))
        walker.announce(window)
        for _ in range(12):
            walker.visit(SMALL, index)
        assert len(walker.rows("list")) == 30
    healed = [
        row for row in walker.rows("list", "INDEX_PATH", "PROCESSED", "DUE_AT") if row[0] not in ("a.io/3", "a.io/17")
    ]
    assert healed == [row for row in whole if row[0] not in ("a.io/3", "a.io/17")]
    assert walker.ledger.cursor(FEED.cursor_key("all")) == cursor


def test_a_gap_is_recorded(go_shelf: GoShelf) -> None:
    """A gap leaves a row that says where and how many were shown, and an entry of the report."""
    kept = go_shelf.keep(feed_page(gap=Gap("2024-01-01T00:00:00Z", 2000)))
    assert kept.rejected == [("all feed at 2024-01-01T00:00:00Z", "more than 2000 events share this moment")]
    assert go_shelf.ledger.cursor("go-feed:all:gap:2024-01-01T00:00:00Z") == Cursor(
        "go-feed:all:gap:2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z", {"shown": 2000}
    )


PAGE_URL = "http://pages.test/v1/module/example.com/m?version=v1.0.0%2Bincompatible&licenses=true"
ABOUT = {
    "path": "example.com/m",
    "version": "v1.0.0+incompatible",
    "repoUrl": "https://r",
    "commitTime": "2024-01-02T03:04:05Z",
}


def look_at_page(told: Any, status: int = 200) -> Found:
    one = Event(PAGE.name, b"1", "example.com/m@v1.0.0+incompatible", "", "page", 20)
    body = told if isinstance(told, bytes) else json.dumps(told).encode()
    found, (asked,) = run_visit(GoPages("http://pages.test").visit([one]), {PAGE_URL: Reply(PAGE_URL, status, body)})
    assert (asked.lane, asked.closes_on) == (PAGE_LANE, {403})
    return found


def test_a_page() -> None:
    """Licences come as types, without their texts, with repository and commit time."""
    licenses = [{"types": ["MIT"], "filePath": "L", "contents": "…"}, {"types": ["Apache-2.0", "MIT"]}]
    found = look_at_page(ABOUT | {"licenses": licenses})
    (record,) = found.records
    assert isinstance(record, GoPage)
    assert (record.path, record.version, record.licenses) == (
        "example.com/m",
        "v1.0.0+incompatible",
        ["Apache-2.0", "MIT"],
    )
    assert record.published
    assert record.published.isoformat() == "2024-01-02T03:04:05"
    assert json.loads(record.scm or "") == {"type": "git", "url": "https://r"}


@pytest.mark.parametrize("status", [400, 404, 410])
def test_no_page(status: int) -> None:
    """That pkg.go.dev does not show a version yet is nobody's failure: it is asked again after hours, then days."""
    found = look_at_page({"code": 404}, status)
    assert (found.outcome.code, found.outcome.is_deferred, found.records) == (Code.FAILED, True, ())
    assert found.outcome.failure is FailureCode.NOT_FOUND


def test_a_page_of_something_else() -> None:
    """An answer about another module or version is not taken; an unreadable one fails."""
    assert look_at_page(ABOUT | {"version": "v1.0.1"}).records == ()
    assert look_at_page(ABOUT | {"path": "example.com/n"}).records == ()
    with pytest.raises(Malformed, match="unreadable"):
        look_at_page(b"<html>")
    with pytest.raises(Unavailable, match="HTTP 403"):
        look_at_page(ABOUT, 403)
