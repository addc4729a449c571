"""Leases: renewal, giving back, late workers, dead ones, and operators who take an event back."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from stook.engine.ledger.feeds import STATUS, VALIDATOR
from stook.engine.ledger.queue.token import host_digest, is_abandoned, new_token
from stook.engine.words import Announcement, Code, Cursor, Outcome, Validators

LEASE = 120
CHILD = """
import sys
from stook.engine.ledger.queue.token import new_token
print(new_token(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def child():
    """A process that told its token and waits."""
    with subprocess.Popen(
        [sys.executable, "-c", CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        yield process, int(process.stdout.readline())
        process.kill()


def test_renewal_holds_a_whole_lease(bench):
    """A renewed event is held for a lease from now."""
    (identity,) = bench.announce("a")
    events = bench.claim()
    bench.clock.advance(LEASE - 1)
    bench.ledger.renew(events)
    bench.clock.advance(LEASE - 1)
    assert bench.claim() == []
    assert bench.row(identity)["DUE_AT"] == bench.later(1)


def test_release_gives_back_at_once(bench):
    """A released event can be claimed at once, on the rung where it stood."""
    (identity,) = bench.announce("a")
    bench.put(identity, PROCESSED=33)
    bench.ledger.release(bench.claim())
    assert [event.processed for event in bench.claim()] == [24]


def test_hasten(bench):
    """What is due comes to the front; what waits for its time, is held or is in front already stays."""
    ids = bench.announce("later", "held", "front", "due")
    held = bench.claim()
    bench.end([event for event in held if event.name == "later"], Outcome(Code.PENDING, delay=60.0))
    bench.ledger.release([event for event in held if event.name in ("front", "due")])
    assert (bench.ledger.hasten("pages", ids[2:3]), bench.ledger.hasten("pages", ids)) == (1, 1)
    assert {event.name for event in bench.ledger.claim("pages", 9, urgent_only=True)} == {"front", "due"}


@pytest.mark.parametrize("act", ["renew", "release"])
def test_what_is_not_ours_is_not_moved(bench, act):
    """Neither renewal nor release touches an event that another worker holds by now, or that has ended."""
    ids = bench.announce("taken", "ended")
    ours = bench.claim()
    bench.end([event for event in ours if event.name == "ended"])
    bench.clock.advance(LEASE)
    (theirs,) = bench.claim()
    before = [bench.row(identity) for identity in ids]
    bench.clock.advance(1)
    getattr(bench.ledger, act)(ours)
    assert [bench.row(identity) for identity in ids] == before
    assert theirs.lease == before[0]["LEASE"]


def test_a_late_worker_changes_nothing(bench):
    """After its lease was lost a worker's visit writes no record, event, cursor, validator or outcome."""
    (identity,) = bench.announce("a")
    late = bench.claim()
    bench.clock.advance(LEASE)
    bench.claim()
    before = bench.row(identity)
    kept = bench.end(
        late,
        records=[("a", "{}")],
        announcements=[Announcement("pages", "b")],
        cursor=Cursor("feed", "1"),
        validators={"https://a/": Validators("e")},
    )
    assert (kept.lost, kept.ends, kept.written) == (1, [], {})
    assert bench.row(identity) == before
    assert (bench.records(), bench.claim(), bench.count(STATUS), bench.count(VALIDATOR)) == ({}, [], 0, 0)


def test_a_visit_is_lost_as_a_whole(bench):
    """If but one of a visit's events was taken away, nothing of the visit is written."""
    ids = bench.announce("a@1", "a@2", queue="cargo")
    events = bench.claim(queue="cargo")
    bench.put(ids[0], queue="cargo", LEASE=1)
    kept = bench.end(events, records=[("a", "{}")])
    assert (kept.lost, bench.records()) == (1, {})
    assert bench.row(ids[1], "cargo")["PROCESSED"] == 0
    assert [event.id for event in bench.claim(queue="cargo")] == [ids[1]]


def test_settling_twice_is_harmless(bench):
    """Keeping a visit again, as after a commit whose answer was lost, changes nothing and counts as lost."""
    (identity,) = bench.announce("a")
    events = bench.claim()
    bench.end(events, Code.COMPLETE, records=[("a", "1")])
    before = bench.row(identity)
    bench.clock.advance(5)
    again = bench.end(events, Code.FAILED, records=[("a", "2")])
    assert (again.lost, bench.row(identity), bench.records()) == (1, before, {"a": "1"})


@pytest.mark.parametrize("act", ["renew", "release", "keep"])
def test_an_operator_may_take_a_held_event_back(bench, act):
    """Whoever sets PROCESSED, DUE_AT and RESYNC by SQL is obeyed, though a worker holds the event."""
    (identity,) = bench.announce("a")
    events = bench.claim()
    bench.put(identity, PROCESSED=0, RESYNC=1, DUE_AT=bench.now)
    if act == "keep":
        assert bench.end(events, Code.COMPLETE).lost == 1
    else:
        getattr(bench.ledger, act)(events)
    assert [event.resync for event in bench.claim()] == [True]


def test_tokens_are_positive_and_differ():
    """A token fits a signed 64-bit column, and no two are alike."""
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(0 < token < 2**63 for token in tokens)


def test_the_hosts_of_a_pool_are_told_apart():
    """No host takes the living workers of another for dead ones of its own."""
    assert len({host_digest(f"stook-worker-{number}") for number in range(200)}) == 200


def test_the_living_keep_their_events(bench, child):
    """What a living process of this host holds is not freed."""
    _, token = child
    ids = bench.announce("child", "ours")
    bench.claim()
    bench.put(ids[0], LEASE=token)
    assert bench.ledger.release_abandoned() == 0
    assert bench.claim() == []


def test_other_hosts_keep_their_events(bench, child):
    """What a process of another host holds is not freed, though here no process has its number."""
    process, token = child
    (identity,) = bench.announce("elsewhere")
    bench.claim()
    process.kill()
    process.wait()
    elsewhere = token ^ (1 << 60)  # another host's digest, the same process
    bench.put(identity, LEASE=elsewhere)
    assert (is_abandoned(token), is_abandoned(elsewhere)) == (True, False)
    assert bench.ledger.release_abandoned() == 0
    assert bench.claim() == []


@pytest.mark.skipif(not Path("/proc/sys/kernel/random/boot_id").exists(), reason="only Linux tells its starts apart")
def test_hosts_of_one_name_are_told_apart():
    """A token's host is its name, its start and its process namespace: each of them makes another digest."""
    start = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    space = str(Path("/proc/self/ns/pid").readlink())
    ours = new_token() >> 42
    assert ours == host_digest(f"{platform.node()} {start} {space}")
    assert ours != host_digest(f"{platform.node()} 00000000-0000-0000-0000-000000000000 {space}")
    assert ours != host_digest(f"{platform.node()} {start} pid:[1]")


def test_the_dead_give_back_at_once(bench, child):
    """What a dead process of this host held is freed at once, in every queue, and nothing else is."""
    process, token = child
    ids = bench.announce("child", "ours")
    (listed,) = bench.announce("a@1", queue="cargo")
    bench.claim()
    bench.claim(queue="cargo")
    bench.put(ids[0], LEASE=token, PROCESSED=25)
    bench.put(listed, queue="cargo", LEASE=token)
    process.kill()
    process.wait()
    assert is_abandoned(token)
    assert bench.ledger.release_abandoned() == 2
    assert [(event.name, event.processed) for event in bench.claim()] == [("child", 25)]
    assert len(bench.claim(queue="cargo")) == 1


def test_a_frozen_worker_loses_to_the_one_that_took_over(bench):
    """Of two workers that think they hold an event only the later can end it."""
    (identity,) = bench.announce("a")
    (frozen,) = bench.claim()
    bench.clock.advance(LEASE + 5)
    (second,) = bench.claim()
    bench.ledger.renew([frozen])
    assert bench.end([replace(frozen)], Code.NOT_FOUND).lost == 1
    assert bench.end([second], Code.COMPLETE).lost == 0
    assert bench.row(identity)["PROCESSED"] == 1
