"""The visit of one Go module: which of its events exist, under which path, and what the module's latest is.

Existence has one authority, the module proxy: a version row stands for a `.info` and a `.mod` that it served under
that very path and version.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from stook.engine.errors import LaneClosed, Malformed, Refused, Unavailable
from stook.engine.ledger.queue.codes import is_new
from stook.engine.ledger.schema import NAME_LENGTH
from stook.engine.offload import off_loop
from stook.engine.words import Announcement, Code, Event, Found, Look, Outcome, Reply, Visit
from stook.registries.golang.classify import ResolveKind, resolve_kind
from stook.registries.golang.feed import LONGEST_PATH, LONGEST_VERSION
from stook.registries.golang.gomod.gomod import declared_path, is_synthetic
from stook.registries.golang.latest import NO_MATCH, Latest, tagged_versions
from stook.registries.golang.paths import escape_version, is_valid_path, major_problem
from stook.registries.golang.proxy.documents import check_info, message, read_release
from stook.registries.golang.proxy.errors import FRESH_DELAY, Absence, judge
from stook.registries.golang.proxy.outcomes import absent, later, troubled
from stook.registries.golang.proxy.proxy import Asking, Proxy
from stook.registries.golang.queues import MODULE, PAGE, VERSIONS
from stook.registries.golang.records import GoAbsence, GoModule, GoRelease
from stook.registries.golang.versions.versions import is_pseudo, is_valid, order_key
from stook.registries.vanishing import Vanishing, denied

__all__ = ["ModuleVisit"]

MOST_MISSING = 500  # stored versions that one visit looks at because the list lacks them
STORED, OTHER = "versions that are stored", "another module that is stored"
MOST_EVENTS = 500  # in one visit: a module may have fifty thousand, and a crash must not cost them all
GIVE_UP = 3  # troubles in a row
NOT_LISTED = ("index", "alias", "latest")  # sources of versions that come without the others of their module
OWN_KINDS = (ResolveKind.SAME, ResolveKind.SYNTHETIC)


@dataclass(slots=True)
class ModuleVisit:
    """One module path and its due events."""

    proxy: Proxy
    path: str
    events: Sequence[Event]
    outcomes: dict[bytes, Outcome] = field(default_factory=dict)
    records: list[GoRelease | GoAbsence | GoModule] = field(default_factory=list)
    announcements: list[Announcement] = field(default_factory=list)
    served: list[str] = field(default_factory=list)  # versions under this path, also those that belong to another
    absent: dict[str, tuple[Event, Outcome]] = field(default_factory=dict)  # versions that it does not have, by event
    moved: dict[str, str] = field(default_factory=dict)  # declared path of versions that declare another one
    vanishing: Vanishing = field(default_factory=Vanishing)

    def run(self) -> Visit:
        """Each event's own documents first, then the module's latest.

        A version that declares another path may be the latest of this one, and say what is retracted or deprecated.
        """
        versions = [event for event in self.events if event.queue == VERSIONS.name]
        yield from self.look_at_all(versions[:MOST_EVENTS])
        self.outcomes |= {event.id: later(event) for event in versions[MOST_EVENTS:]}
        asked = [event for event in self.events if event.queue == MODULE.name]
        waiting = [event for event in asked if _waits(event)]
        wait = Outcome(Code.PENDING, delay=FRESH_DELAY)
        self.outcomes |= {event.id: wait for event in waiting}
        asked = [event for event in asked if event not in waiting]
        if asked or self.served or self.has_lost():
            yield from self.describe_if_possible(asked)
        return Found(Outcome(Code.COMPLETE, status=200), self.outcomes, self.records, self.announcements)

    def look_at_all(self, events: Sequence[Event]) -> Asking[None]:
        """Trouble with one version costs the others nothing; trouble in a row is trouble with the proxy."""
        troubles = 0
        for place, event in enumerate(events):
            try:
                self.outcomes[event.id] = yield from self.look_at(event)
                troubles = 0
            except (Unavailable, Malformed, Refused) as error:
                self.outcomes[event.id] = troubled(event, error)
                troubles += isinstance(error, Unavailable)
                if troubles == GIVE_UP or isinstance(error, LaneClosed):
                    self.outcomes |= {one.id: troubled(one, error) for one in events[place + 1 :]}
                    return

    def look_at(self, event: Event) -> Asking[Outcome]:
        """Whether the proxy has the version, and whose it is."""
        if problem := _problem(self.path, event.version):
            return Outcome(Code.MALFORMED, problem)
        info, mod = yield from self.proxy.documents(self.path, event)
        if mod.status != 200:
            outcome = absent(event, mod.status, mod.body)
            if outcome.code is Code.NOT_FOUND:
                self.records.append(GoAbsence(self.path, event.version))
            else:
                self.absent[event.version] = event, outcome
            return outcome
        synthetic = is_synthetic(self.path, mod.body)
        declared = self.path if synthetic else (yield from _declared(mod))
        kind = resolve_kind(self.path, declared, is_synthetic=synthetic)
        if kind not in OWN_KINDS:
            check_info(info.body, event.version)
            self.served.append(event.version)
            if is_valid_path(declared) and len(declared) <= LONGEST_PATH:
                self.moved[event.version] = declared
            return (yield from self.look_elsewhere(event, declared, kind))
        release = yield from off_loop(read_release, self.path, event.version, info, mod, size=len(mod.body))
        self.records.append(replace(release, rewrite=event.resync))
        self.served.append(event.version)
        self.announce_page(event)
        return Outcome(Code.COMPLETE, status=200, facts=_facts(self.path, kind, 0))

    def look_elsewhere(self, event: Event, declared: str, kind: ResolveKind) -> Asking[Outcome]:
        """The go.mod declares another path: the release is filed there only if the proxy has it there.

        It is filed by the declared path's own event, so that one visit alone decides what a module's rows say. What is
        not there (yet) needs no second look: once the proxy has it, the index announces it.
        """
        if not is_valid_path(declared):
            reason = f"go.mod declares an invalid path: {declared[:200]!r}"
            return Outcome(Code.MALFORMED, reason, 200, facts=_facts(None, kind, 0))
        facts = _facts(declared[:LONGEST_PATH], kind, 1)
        if problem := _problem(declared, event.version) or major_problem(declared, event.version):
            return Outcome(
                Code.ALIAS, f"go.mod declares {declared}, which cannot have this version: {problem}", 200, facts=facts
            )
        _, mod = yield from self.proxy.documents(declared, event)
        if mod.status != 200:
            verdict = judge(mod.status, mod.body, is_fresh=False)
            lacks = "does not have this version"
            if verdict.kind is Absence.NOT_CACHED:  # no word on existence; once it is cached the index announces it
                lacks = "is without this version in the proxy's cache"
            reason = f"go.mod declares {declared}, which {lacks} ({verdict.kind})"
            return Outcome(Code.ALIAS, reason, mod.status, facts=facts)
        if not is_synthetic(declared, mod.body) and (yield from _declared(mod)) != declared:
            reason = f"go.mod declares {declared}, whose own go.mod declares another path"
            return Outcome(Code.ALIAS, reason, 200, facts=facts)
        self.announcements.append(Announcement(VERSIONS.name, declared, event.version, "alias", urgent=event.urgent))
        return Outcome(Code.ALIAS, f"filed under {declared}, which go.mod declares", 200, facts=facts)

    def describe_if_possible(self, asked: Sequence[Event]) -> Asking[None]:
        """What was learnt of the versions is kept though the module's own documents cannot be had now."""
        try:
            yield from self.describe(asked)
        except (Unavailable, Malformed, Refused) as error:
            self.outcomes |= {event.id: troubled(event, error) for event in asked}
            if not asked:
                self.announcements.append(Announcement(MODULE.name, self.path, source="proxy", fresh_for=0.0))

    def describe(self, asked: Sequence[Event]) -> Asking[None]:
        """Latest, retractions and deprecation, from the list and the raw latest's go.mod."""
        reply = yield from self.proxy.get_surely(self.path, "list")
        listing = reply.body if reply.status == 200 else b""
        latest = (
            (yield from self.proxy.latest(self.path, listing))
            if reply.status == 200
            else Latest(problem=message(reply))
        )
        stored: Sequence[str] = (yield Look(STORED, self.path)) or ()
        tagged = yield from off_loop(tagged_versions, listing, size=len(listing))
        yield from self.miss_stored(reply, tagged, stored)
        listed = len(tagged) if reply.status == 200 else None
        moved_to, moved_since = self.move()
        wanted = [event for event in asked if event.facts.get("collect")]
        module = GoModule(
            self.path, latest, listed, moved_to, moved_since, is_whole=bool(listed and (wanted or self.is_listed()))
        )
        self.records.append(module)
        if wanted and not latest.raw and not self.served:
            self.outcomes |= {event.id: _nothing(latest, reply.status) for event in wanted}
        elif wanted:
            self.announce_versions(tagged, latest, wanted)
            self.ask_again(stored, wanted)
        else:
            self.announce_latest(latest)
        if self.is_stale(tagged, latest):
            told = Announcement(MODULE.name, self.path, source="proxy", fresh_for=0.0, facts={"wait": True})
            self.announcements.append(told)

    def move(self) -> tuple[str | None, str | None]:
        """The path that the newest version declares which declares another one, and the first version that did so."""
        if not self.moved:
            return None, None
        declared = self.moved[max(self.moved, key=order_key)]
        return declared, min((version for version, path in self.moved.items() if path == declared), key=order_key)

    def miss_stored(self, reply: Reply, tagged: Sequence[str], stored: Sequence[str]) -> Asking[None]:
        """Look at stored versions that the list no longer has: what the proxy lacks, too, is gone.

        A list that is away says nothing of versions unless the proxy has the list of another module that is stored.
        """
        listed = frozenset(tagged)
        missing = [version for version in stored if version not in listed and version not in self.served]
        if not missing:
            return
        if reply.status != 200:
            yield from self.confirm_gone(reply)
        for version in missing[:MOST_MISSING]:
            if not is_pseudo(version) and (yield from self.is_gone(version)):
                self.records.append(GoAbsence(self.path, version))
                if version in self.absent:
                    event, outcome = self.absent[version]
                    self.outcomes[event.id] = replace(outcome, code=Code.NOT_FOUND, delay=None)

    def is_gone(self, version: str) -> Asking[bool]:
        """Whether the proxy itself, not only its cache, has no such version."""
        reply = yield from self.proxy.get(self.path, "info", version, direct=True)
        return reply.status != 200 and judge(reply.status, reply.body, is_fresh=False).kind is not Absence.NOT_CACHED

    def confirm_gone(self, reply: Reply) -> Asking[None]:
        """Raise Unavailable unless the proxy still lists another stored module, and not too many have vanished."""
        if self.vanishing.needs_canary() and (other := (yield Look(OTHER, self.path))):
            canary = yield from self.proxy.get(other, "list", direct=True)
            if canary.status != 200:
                raise denied(f"the proxy lists neither {self.path} nor {other}, which are stored")
        self.vanishing.believe("modules")

    def announce_latest(self, latest: Latest) -> None:
        """The version that is the latest is collected, too, whoever announced the others."""
        known = {event.version for event in self.events}
        for version in dict.fromkeys((latest.version, latest.raw)):
            if version and version not in known and not _problem(self.path, version):
                self.announcements.append(Announcement(VERSIONS.name, self.path, version, "latest"))

    def is_stale(self, tagged: Sequence[str], latest: Latest) -> bool:
        """Whether list and `@latest` lag behind what this visit saw; the mirror renews them within half an hour."""
        listed, raw = frozenset(tagged), order_key(latest.raw)
        return any(
            not listed and order_key(version) > raw if is_pseudo(version) else version not in listed
            for version in self.served
        )

    def is_listed(self) -> bool:
        """Whether an event comes from a list whose versions were all announced together."""
        return any(event.facts.get("SOURCE") not in NOT_LISTED for event in self.events if event.queue == VERSIONS.name)

    def has_lost(self) -> bool:
        """Whether a version is gone that was stored, as far as an event can tell."""
        again = {event.version for event in self.events if event.resync}
        return any(isinstance(record, GoAbsence) and record.version in again for record in self.records)

    def announce_versions(self, tagged: Sequence[str], latest: Latest, asked: Sequence[Event]) -> None:
        """Every version that the proxy lists becomes an event; those that are stored stay as they are."""
        seen = {event.version for event in self.events}
        named = dict.fromkeys([*tagged, *filter(None, (latest.version, latest.raw))])
        resync, urgent = any(one.resync for one in asked), any(one.urgent for one in asked)
        source = str(asked[0].facts.get("SOURCE") or "seed")
        for version in named:
            if version not in seen and not _problem(self.path, version):
                told = Announcement(VERSIONS.name, self.path, version, source, urgent=urgent, resync=resync)
                self.announcements.append(told)

    def ask_again(self, stored: Sequence[str], asked: Sequence[Event]) -> None:
        """A question to pkg.go.dev that waits for its next try is put now; an answered one stays answered."""
        urgent = any(event.urgent for event in asked)
        names = [f"{self.path}@{version}" for version in stored if not is_pseudo(version)]
        self.announcements += [
            Announcement(PAGE.name, name, source="proxy", urgent=urgent) for name in names if len(name) <= NAME_LENGTH
        ]

    def announce_page(self, event: Event) -> None:
        """The question to pkg.go.dev, but for what no queue can name; pseudo-versions are cleaned there within days."""
        name, fresh_for = f"{self.path}@{event.version}", 0.0 if event.resync else None
        if not is_pseudo(event.version) and len(name) <= NAME_LENGTH:
            told = Announcement(PAGE.name, name, source="proxy", urgent=event.urgent, fresh_for=fresh_for)
            self.announcements.append(told)


def _nothing(latest: Latest, status: int) -> Outcome:
    """How the wish for a module ends of which there is no version; what cannot be read says nothing of that."""
    if status == 200 and latest.problem != NO_MATCH:
        return Outcome(Code.FAILED, f"the proxy's answer is of no use: {latest.problem}", status)
    return Outcome(Code.NOT_FOUND, f"the proxy has no version of this module: {latest.problem}", status)


def _declared(mod: Reply) -> Asking[str]:
    return (yield from off_loop(declared_path, mod.body, size=len(mod.body)))


def _waits(event: Event) -> bool:
    """An event that was announced for half an hour later."""
    is_first = is_new(event.processed) and event.attempts == 0
    return bool(event.facts.get("wait")) and is_first and not (event.urgent or event.resync)


def _problem(path: str, version: str) -> str:
    """Why the proxy cannot be asked for this version; empty when it can."""
    if len(path) > LONGEST_PATH or not is_valid_path(path):
        return f"not a module path: {path[:200]!r}"
    if len(version) > LONGEST_VERSION or not is_valid(version):
        return f"not a version: {version[:100]!r}"
    try:
        escape_version(version)
    except Malformed as error:
        return error.reason
    return ""


def _facts(key: str | None, kind: ResolveKind, deprecated: int) -> dict[str, Any]:
    return {"PRODUCT_KEY": key, "RESOLVE_KIND": str(kind), "DEPRECATED": deprecated}
