"""The two visits, driven by scripted replies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stook.engine.errors import FailureCode, Malformed, Unavailable
from stook.engine.words import Code, Event, Found, Reply, Request
from stook.registries.cargo.records import Enrichment, Snapshot
from stook.registries.cargo.sources import API, INDEX, VERSIONS, CargoApi, CargoIndex
from stook.testing import run_visit

URL, API_URL = "http://index.test/3/o/oar", "http://api.test/api/v1/crates/oar"
SOURCE = CargoIndex("http://index.test", 3600.0, 4, 50)
GOOD = b'{"name":"oar","vers":"1.0.0","deps":[],"cksum":"' + b"a" * 64 + b'","features":{},"yanked":false}\n'
V3 = GOOD.replace(b"1.0.0", b"2.0.0").replace(b'"features"', b'"v":3,"features"')


def event(version: str = "", **more: Any) -> Event:
    """An event of the crate `oar`: of its index file, or of one version."""
    queue = VERSIONS if version else INDEX
    return Event(queue.name, queue.id_of("oar", version), "oar", version, queue.kind, 20, **more)


CONFIG = Reply("http://index.test/config.json", 200, b'{"dl": "http://dl.test"}')
OTHER_URL = "http://index.test/pa/dd/paddle"


def visit(reply: Reply | Exception, *events: Event) -> tuple[Found, Request]:
    """One visit of a new run, on a database that stores nothing yet."""
    source = CargoIndex("http://index.test", 3600.0, 4, 50)
    found, asked = run_visit(source.visit(events or [event()]), {URL: reply, CONFIG.url: CONFIG})
    return found, asked[0]


def reply(status: int = 200, body: bytes = GOOD, **more: Any) -> Reply:
    return Reply(URL, status, body, **more)


def test_a_file() -> None:
    """One conditional request on the index lane; every line becomes a record, and the API is announced at once."""
    found, asked = visit(reply())
    assert (asked.url, asked.lane, asked.conditional, asked.afresh) == (URL, "cargo.index", True, False)
    (record,) = found.records
    assert isinstance(record, Snapshot)
    assert [one.version for one in record.releases] == ["1.0.0"]
    (next_,) = found.announcements
    assert (next_.queue, next_.name, next_.fresh_for) == (API.name, "oar", 0.0)
    assert found.outcomes[event().id].code is Code.COMPLETE
    assert not found.forget


@pytest.mark.parametrize("told", [reply(304, b"", not_modified=True), reply(200, GOOD, not_modified=True)])
def test_not_modified(told: Reply) -> None:
    """An unchanged file writes nothing, and wakes the API only when its facts have aged."""
    found, _ = visit(told)
    assert (found.outcome.code, found.outcome.status) == (Code.COMPLETE, told.status)
    assert (found.records, found.announcements[0].fresh_for) == ((), 3600.0)


@pytest.mark.parametrize("status", [404, 410, 451])
def test_gone(status: int) -> None:
    """The index's three ways to say "no such crate" end as not found, empty the crate and forget the file."""
    found, _ = visit(reply(status, b"not found"))
    assert (found.outcome.code, found.outcome.status) == (Code.NOT_FOUND, status)
    assert f"HTTP {status}" in found.outcome.reason
    (record,) = found.records
    assert record.releases == ()
    assert (found.announcements, found.forget) == ((), {"cargo:oar"})


@pytest.mark.parametrize("status", [403, 401, 400, 204, 301, 304])
def test_no_answer(status: int) -> None:
    """Any other status says nothing about the crate: 403 may be an object store's word for anything."""
    with pytest.raises(Unavailable, match=f"HTTP {status}") as caught:
        visit(reply(status, b"denied"))
    assert caught.value.status == status


def test_the_doors_errors_pass_through() -> None:
    """What the door raises is the loop's to judge."""
    with pytest.raises(Unavailable, match="HTTP 500"):
        visit(Unavailable("HTTP 500", status=500))


def test_a_garbage_line() -> None:
    """A file that was not wholly understood is read again next time; the rest of it is kept."""
    found, _ = visit(reply(body=b"{garbage\n" + GOOD))
    (record,) = found.records
    assert (len(record.releases), len(record.unreadable)) == (1, 1)
    assert found.forget == {"cargo:oar"}


def test_no_release() -> None:
    """Without a release there is nothing to enrich."""
    found, _ = visit(reply(body=V3))
    assert found.announcements == ()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "it is empty"),
        (b"Please sign in.\n", "not the index file of this crate: unreadable index line"),
        (GOOD.replace(b"oar", b"paddle"), "another crate: 'paddle'"),
    ],
)
def test_not_an_index_file(body: bytes, reason: str) -> None:
    """A body without a line about the crate is malformed, and buries no version."""
    with pytest.raises(Malformed, match=reason):
        visit(reply(body=body))


def test_half_a_file() -> None:
    """A body that ends within a line came as far as it did: nothing is kept of it, and it is asked for again."""
    with pytest.raises(Unavailable, match="cut short"):
        visit(reply(body=GOOD + V3[:50]))


def test_resync() -> None:
    """A resync asks afresh and rewrites."""
    found, asked = visit(reply(), event(resync=True))
    assert asked.afresh
    assert found.records[0].rewrite


def test_version_events() -> None:
    """An event about a version asks afresh, and ends as its line did."""
    events = [event(), event("1.0.0"), event("2.0.0"), event("9.9.9")]
    found, asked = visit(reply(body=GOOD + V3), *events)
    ends = [found.outcomes[one.id] for one in events]
    assert [end.code for end in ends] == [Code.COMPLETE, Code.COMPLETE, Code.MALFORMED, Code.NOT_FOUND]
    assert "schema 3" in ends[2].reason
    assert "does not have this version" in ends[3].reason
    assert asked.afresh


def test_urgent_goes_on_to_the_api() -> None:
    """What a user waits for is urgent at the API too."""
    assert visit(reply(), event(urgent=True))[0].announcements[0].urgent
    assert not visit(reply())[0].announcements[0].urgent


def test_the_first_announcers_facts_count() -> None:
    """Facts of several events are joined; who announced the crate itself comes first."""
    events = [event(facts={"SOURCE": "seed"}), event("1.0.0", facts={"SOURCE": "poll"})]
    assert visit(reply(), *events)[0].records[0].known.source == "seed"


def test_a_name_that_needs_quoting() -> None:
    """The path of the file is quoted as the index wants it."""
    some = Event(INDEX.name, b"x", "a-b_c", "", "index", 20)
    script = {"http://index.test/a-/b_/a-b_c": reply(404, b""), CONFIG.url: CONFIG}
    found, (asked, _) = run_visit(CargoIndex("http://index.test", 3600.0, 4, 50).visit([some]), script)
    assert asked.url.endswith("/a-/b_/a-b_c")
    assert found.outcome.code is Code.NOT_FOUND


def visit_api(answer: Reply) -> tuple[Found, Request]:
    some = Event(API.name, API.id_of("oar", ""), "oar", "", "api", 20)
    found, (asked,) = run_visit(CargoApi("http://api.test").visit([some]), {API_URL: answer})
    return found, asked


def test_api() -> None:
    """One request a crate on the API's lane, which 403 closes."""
    body = json.dumps({"crate": {"name": "oar"}, "versions": [{"num": "1.0.0", "license": None}]}).encode()
    found, asked = visit_api(Reply(API_URL, 200, body))
    assert (asked.lane, asked.closes_on) == ("cargo.api", {403})
    (record,) = found.records
    assert isinstance(record, Enrichment)
    assert found.outcome.code is Code.COMPLETE


@pytest.mark.parametrize(
    ("status", "body"), [(404, b'{"errors":[]}'), (200, b'{"crate":{"name":"o-ar"},"versions":null}')]
)
def test_api_does_not_know(status: int, body: bytes) -> None:
    """A 404 and a fuzzy hit on another crate lose the enrichment for now: it is asked for again later."""
    found, _ = visit_api(Reply(API_URL, status, body))
    assert (found.outcome.code, found.outcome.is_deferred, found.records) == (Code.FAILED, True, ())


def test_api_garbage() -> None:
    """An answer that cannot be read is the data's fault."""
    with pytest.raises(Malformed):
        visit_api(Reply(API_URL, 200, b"{"))


def test_api_other_status() -> None:
    """Any other status says nothing about the crate."""
    with pytest.raises(Unavailable, match="HTTP 400"):
        visit_api(Reply(API_URL, 400, b""))


STORED = {("crate that is stored", "oar"): "oar", ("another crate that is stored", "oar"): "paddle"}
NOT_FOUND = Reply(URL, 404, b"not found")


def vanish(source: CargoIndex, **replies: Reply) -> Found:
    script = {URL: NOT_FOUND, CONFIG.url: CONFIG, OTHER_URL: Reply(OTHER_URL, 200, GOOD)}
    chosen = script | {reply.url: reply for reply in replies.values()}
    return run_visit(source.visit([event()]), chosen, looks=STORED)[0]


def test_a_stored_crate_that_is_gone() -> None:
    """It is believed gone when the index answers for itself and still has another crate that is stored."""
    found = vanish(CargoIndex("http://index.test", 3600.0, 4, 50))
    assert found.outcome.code is Code.NOT_FOUND
    assert [record.releases for record in found.records] == [()]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(CONFIG.url, 404, b"not found"),
        Reply(CONFIG.url, 200, b"<html>welcome</html>"),
        Reply(CONFIG.url, 200, b"{}"),
        Reply(OTHER_URL, 404, b"not found"),
    ],
    ids=["no config", "a page", "another config", "all crates are gone"],
)
def test_an_index_that_does_not_answer_for_itself(reply: Reply) -> None:
    """A wrong URL, or an outage that answers 404, buries nothing."""
    with pytest.raises(Unavailable) as caught:
        vanish(CargoIndex("http://index.test", 3600.0, 4, 50), reply=reply)
    assert caught.value.code is FailureCode.WRONG_UPSTREAM


def test_too_many_vanish() -> None:
    """A run in which most crates vanish stops to believe it, unless the user says that it may be true."""
    source = CargoIndex("http://index.test", 3600.0, 4, 50)
    for _ in range(10):
        vanish(source)
    with pytest.raises(Unavailable, match="allow-deletions"):
        vanish(source)
    source.vanishing.looked = 100
    vanish(source)
    source.vanishing.looked, source.vanishing.is_allowed = 0, True
    vanish(source)
