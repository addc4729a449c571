"""The visit of a module, driven by scripted replies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pytest

from stook.engine.errors import FailureCode, LaneClosed, Malformed, Unavailable
from stook.engine.words import Announcement, Code, Event, Found, Outcome, Reply, Request
from stook.registries.golang.proxy.errors import FRESH_DELAY
from stook.registries.golang.queues import MODULE, PAGE, PROXY_LANE, VERSIONS
from stook.registries.golang.records import GoAbsence, GoModule, GoRelease
from stook.registries.golang.sources import GoModules
from stook.registries.golang.visit import MOST_EVENTS
from stook.testing import run_visit

PROXY = "http://proxy.test"
CACHED = f"{PROXY}/cached-only"
M = "example.com/m"
MISSING = "not found: example.com/m@v1.0.0: invalid version: unknown revision v1.0.0"
UNCACHED = "not found: temporarily unavailable"


def event(version: str = "v1.0.0", path: str = M, *, processed: int = 20, **more: Any) -> Event:
    """An event of one version, or of the module itself."""
    queue = VERSIONS if version else MODULE
    return Event(queue.name, queue.id_of(path, version), path, version, queue.kind, processed, **more)


def page(url: str, body: str | bytes, status: int = 200) -> Reply:
    return Reply(url, status, body.encode() if isinstance(body, str) else body)


def proxy(files: Mapping[str, str | int | Reply | Exception], base: str = PROXY) -> dict[str, Any]:
    """Replies by `PATH VERSION.mod` and the like: a text is a 200, a number that status, an error is raised."""
    script: dict[str, Any] = {}
    for name, told in files.items():
        place, _, file = name.rpartition(" ")
        url = f"{base}/{place or M}/" + ("@latest" if file == "@latest" else f"@v/{file}")
        script[url] = page(url, "not found: gone", told) if isinstance(told, int) else told
        script[url] = page(url, told) if isinstance(told, str) else script[url]
    return script


def info(version: str = "v1.0.0", **more: Any) -> str:
    return json.dumps({"Version": version, "Time": "2024-05-06T07:08:09.5Z"} | more)


def served(version: str = "v1.0.0", mod: str = f"module {M}\n\ngo 1.22\n", path: str = M) -> dict[str, Any]:
    """A version as the proxy has it."""
    return {f"{path} {version}.info": info(version), f"{path} {version}.mod": mod}


def alone(version: str = "v1.0.0", mod: str = f"module {M}\n\ngo 1.22\n", path: str = M) -> dict[str, Any]:
    """A module of one version."""
    return served(version, mod, path) | {f"{path} list": f"{version}\n"}


def visit(
    files: Mapping[str, Any],
    *events: Event,
    cached: bool = False,
    more: Mapping[str, Any] = {},
    looks: Mapping[Any, Any] = {},
) -> tuple[Found, list[Request]]:
    """Visit with these files at the proxy, all below /cached-only if `cached`, and `more` at the proxy itself."""
    source = GoModules(PROXY, cached, 4, 300)
    script = proxy(files, CACHED if cached else PROXY) | proxy(more)
    return run_visit(source.visit(events or [event()]), script, looks=looks)


def outcome(found: Found, one: Event | None = None) -> Outcome:
    return found.outcomes.get((one or event()).id, found.outcome)


def releases(found: Found) -> list[tuple[str, str]]:
    return [(one.path, one.version) for one in found.records if isinstance(one, GoRelease)]


def described(found: Found) -> list[GoModule]:
    return [one for one in found.records if isinstance(one, GoModule)]


def test_a_version() -> None:
    """A version that the proxy has under its own path is complete, and every fact of it is in the record."""
    mod = f"module {M}\n\ngo 1.22\n\nrequire (\n\tb.io/x v1.2.0 // indirect\n\ta.io/y v1.0.0\n)\n"
    origin = {"VCS": "git", "URL": "https://git.example/m", "Ref": "refs/tags/v1.0.0"}
    found, asked = visit(alone(mod=mod) | {f"{M} v1.0.0.info": info(Origin=origin)})
    assert {one.lane for one in asked} == {PROXY_LANE}
    assert len(asked) == len({one.url for one in asked}) == 3
    release, module = found.records
    assert isinstance(release, GoRelease)
    assert (release.path, release.version, release.go_version, release.has_go_mod) == (M, "v1.0.0", "1.22", True)
    assert release.published == datetime(2024, 5, 6, 7, 8, 9, 500000)
    assert [one["name"] for one in json.loads(release.dependencies)] == ["a.io/y", "b.io/x"]
    assert json.loads(release.dependencies)[1] == {"name": "b.io/x", "req": "v1.2.0", "indirect": True}
    assert json.loads(release.origin or "") == origin
    assert json.loads(release.scm or "") == {"type": "git", "url": "https://git.example/m"}
    assert release.mod_sum.startswith("h1:")
    assert isinstance(module, GoModule)
    assert (module.path, module.latest.version, module.latest.problem) == (M, "v1.0.0", "")
    assert outcome(found) == Outcome(
        Code.COMPLETE, status=200, facts={"PRODUCT_KEY": M, "RESOLVE_KIND": "same", "DEPRECATED": 0}
    )
    assert found.announcements == [Announcement(PAGE.name, f"{M}@v1.0.0", source="proxy")]


def test_escaping() -> None:
    """Capitals of path and version are escaped, and `!` travels as %21."""
    path, version = "github.com/Azure/SDK", "v1.0.0-RC1"
    escaped = "github.com/%21azure/%21s%21d%21k"
    files = {f"{escaped} v1.0.0-%21r%21c1.info": info(version), f"{escaped} list": version}
    files[f"{escaped} v1.0.0-%21r%21c1.mod"] = f"module {path}\n"
    found, _ = visit(files, event(version, path))
    assert releases(found) == [(path, version)]


def test_a_synthetic_go_mod() -> None:
    """The go.mod that the proxy makes up declares nothing: the version is the path's own, without go.mod."""
    found, _ = visit(alone(mod=f"module {M}\n"))
    assert outcome(found).facts["RESOLVE_KIND"] == "synthetic"
    (release,) = [one for one in found.records if isinstance(one, GoRelease)]
    assert not release.has_go_mod


def test_pseudo_versions_have_no_page() -> None:
    """pkg.go.dev is not asked for pseudo-versions."""
    version = "v0.0.0-20240506070809-abcdefabcdef"
    files = served(version) | {f"{M} list": "", f"{M} @latest": info(version)}
    found, _ = visit(files, event(version))
    assert (releases(found), found.announcements) == ([(M, version)], [])
    assert described(found)[0].latest.version == version


KINDS = [
    ("github.com/Foo/Bar", "github.com/foo/bar", "case_only"),
    ("example.com/m.git", "example.com/m", "alias_git"),
    ("example.com/m", "example.com/m/v2", "suffix_only"),
    ("example.com/m/sub", "example.com/m", "subpath"),
    ("github.com/o/m", "gitlab.com/o/m", "host_mirror"),
    ("github.com/o/m", "k8s.io/api", "vanity"),
    ("github.com/o/m", "github.com/p/n", "fork"),
    ("github.com/o/m", "gitlab.com/p/n", "declared_diff"),
]


def escaped(path: str) -> str:
    return "".join(f"%21{char.lower()}" if char.isupper() else char for char in path)


@pytest.mark.parametrize(("path", "declared", "kind"), KINDS)
def test_aliases(path: str, declared: str, kind: str) -> None:
    """Another declared path ends the event as an alias; what the proxy has there becomes that path's event."""
    version = "v2.0.0" if declared.endswith("/v2") else "v1.0.0"
    mod = f"module {declared}\n\ngo 1.22\n"
    files = alone(version, mod, escaped(path)) | served(version, mod, escaped(declared))
    one = event(version, path)
    found, asked = visit(files, one)
    assert outcome(found, one).code is Code.ALIAS
    assert outcome(found, one).facts == {"PRODUCT_KEY": declared, "RESOLVE_KIND": kind, "DEPRECATED": 1}
    assert f"filed under {declared}" in outcome(found, one).reason
    assert releases(found) == []
    assert found.announcements == [Announcement(VERSIONS.name, declared, version, "alias")]
    assert len(asked) == 5


def test_an_alias_whose_declared_path_lacks_the_version() -> None:
    """The release is filed nowhere, and nothing is announced."""
    files = alone(mod="module example.org/other\n\ngo 1.22\n") | {"example.org/other v1.0.0.info": 404}
    found, _ = visit(files)
    assert outcome(found).code is Code.ALIAS
    assert "example.org/other, which does not have this version" in outcome(found).reason
    assert (releases(found), found.announcements) == ([], [])
    assert outcome(found).facts["PRODUCT_KEY"] == "example.org/other"


def test_an_alias_whose_declared_path_is_not_cached() -> None:
    """What the cache lacks may exist: the reason does not deny it."""
    files = alone(mod="module example.org/other\n\ngo 1.22\n")
    found, _ = visit(files | {"example.org/other v1.0.0.info": page("", UNCACHED, 404)}, cached=True)
    assert (outcome(found).code, outcome(found).status) == (Code.ALIAS, 404)
    assert "in the proxy's cache (not_cached)" in outcome(found).reason


def test_an_alias_that_is_the_latest() -> None:
    """By the go command's rule the latest speaks for its path, whatever path it declares."""
    moved = "// Deprecated: moved\nmodule example.org/other\n\ngo 1.22\n\nretract v0.9.0 // bad\n"
    found, _ = visit(alone(mod=moved) | {"example.org/other v1.0.0.info": 404})
    (module,) = found.records
    assert isinstance(module, GoModule)
    assert (module.path, module.latest.version, module.latest.deprecated) == (M, "v1.0.0", "moved")
    assert [one.rationale for one in module.latest.retractions] == ["bad"]


def test_an_alias_with_a_wrong_info() -> None:
    """An alias is judged by its documents as well."""
    files = served(mod="module example.org/other\n\ngo 1.22\n") | {f"{M} v1.0.0.info": info("v2.0.0")}
    found, asked = visit(files)
    assert (outcome(found).code, len(asked)) == (Code.FAILED, 2)


def test_an_alias_of_an_alias() -> None:
    """A declared path whose go.mod declares a third one gets no release either."""
    files = alone(mod="module example.org/b\n\ngo 1.22\n")
    files |= served(mod="module example.org/c\n\ngo 1.22\n", path="example.org/b")
    found, _ = visit(files)
    assert outcome(found).code is Code.ALIAS
    assert "own go.mod declares another path" in outcome(found).reason
    assert (releases(found), found.announcements) == ([], [])


def test_an_alias_of_a_made_up_go_mod() -> None:
    """A declared path that has this version without a go.mod has it."""
    files = alone(mod="module example.org/b\n\ngo 1.22\n") | served(mod="module example.org/b\n", path="example.org/b")
    found, _ = visit(files)
    assert [one.name for one in found.announcements] == ["example.org/b"]


def test_an_alias_of_the_wrong_major() -> None:
    """A declared path that cannot have this version is not asked for."""
    found, asked = visit(alone(mod="module example.com/m/v3\n\ngo 1.22\n"))
    assert (outcome(found).code, len(asked)) == (Code.ALIAS, 3)
    assert "cannot have this version" in outcome(found).reason


@pytest.mark.parametrize("declared", ["not a path", "example", "Example.com/x", "", "example.com/v1"])
def test_an_invalid_declared_path(declared: str) -> None:
    """A go.mod that declares nothing usable is malformed, and nobody is asked for it."""
    found, asked = visit(alone(mod=f'module "{declared}"\n\ngo 1.22\n' if declared else "go 1.22\n"))
    assert (outcome(found).code, outcome(found).facts["PRODUCT_KEY"], len(asked)) == (Code.MALFORMED, None, 3)
    assert releases(found) == []


@pytest.mark.parametrize("mod", ["<html>no</html>", "\x00\xff", "module (\n\texample.com/m"])
def test_an_unreadable_go_mod(mod: str) -> None:
    """What cannot be read as a go.mod declares no valid path."""
    found, _ = visit(alone(mod=mod))
    assert outcome(found).code is Code.MALFORMED


@pytest.mark.parametrize(
    "told", ["{}", "nonsense", info("v1.0.1"), '{"Version": 1}', "\udcff".encode(errors="surrogateescape")]
)
def test_a_wrong_info(told: Any) -> None:
    """An `.info` about something else fails its event, and no other."""
    place = f"{M} v1.0.0.info"
    files = alone("v1.1.0") | served() | {place: page("", told)}
    found, _ = visit(files, event(), event("v1.1.0"))
    assert outcome(found).code is Code.FAILED
    assert outcome(found, event("v1.1.0")).code is Code.COMPLETE
    assert releases(found) == [(M, "v1.1.0")]


@pytest.mark.parametrize("time", ["never", "0001-01-01T00:00:00+10:00", "2024-13-01T00:00:00Z"])
def test_a_wrong_time(time: str) -> None:
    """A version exists though its time be nonsense."""
    found, _ = visit(alone() | {f"{M} v1.0.0.info": info(Time=time)})
    (release,) = [one for one in found.records if isinstance(one, GoRelease)]
    assert release.published is None


# What the proxy says, and what follows at the first look, later, and on the ladder's first rung.
ABSENCES = [
    (MISSING, Code.PENDING, Code.NOT_FOUND),
    ("not found: invalid version: git ls-remote -q origin: exit status 128", Code.PENDING, Code.NOT_FOUND),
    ("not found: invalid pseudo-version", Code.PENDING, Code.NOT_FOUND),
    ("not found: fetch timed out", Code.PENDING, Code.FAILED),
    (UNCACHED, Code.PENDING, Code.FAILED),
    ("not found: unrecognized import path: no go-import meta tags", Code.PENDING, Code.FAILED),
    ("bad upstream", Code.PENDING, Code.FAILED),
    ("", Code.PENDING, Code.FAILED),
    ("bad request: invalid escaped version", Code.NOT_FOUND, Code.NOT_FOUND),
    ("not found: create zip: too large", Code.NOT_FOUND, Code.NOT_FOUND),
    ('not found: go.mod has post-v0 module path "x/v2"', Code.NOT_FOUND, Code.NOT_FOUND),
    ("not found: missing sub/go.mod and v2/go.mod", Code.NOT_FOUND, Code.NOT_FOUND),
]
SECOND = [{"attempts": 1, "facts": {"LAST_STATUS": 404}}, {"processed": 21, "attempts": 2}, {"processed": 29}]


@pytest.mark.parametrize(("body", "first", "second"), ABSENCES)
@pytest.mark.parametrize("status", [404, 410])
def test_absence(body: str, first: Code, second: Code, status: int) -> None:
    """A fresh 404 waits 35 minutes unless asking is no use; the second one ends the event, or climbs the ladder."""
    url = f"{M} v1.0.0.info"
    found, _ = visit({url: page("", body, status)})
    assert (outcome(found).code, outcome(found).status) == (first, status)
    assert outcome(found).delay == (FRESH_DELAY if first is Code.PENDING else None)
    assert FRESH_DELAY == 35 * 60
    for more in SECOND:
        found, _ = visit({url: page("", body, status)}, event(**more))
        assert (outcome(found).code, outcome(found).delay) == (second, None)
        gone = [GoAbsence(M, "v1.0.0")] if second is Code.NOT_FOUND else []
        assert found.records == gone


@pytest.mark.parametrize("more", [{}, {"attempts": 3}, {"attempts": 3, "facts": {"LAST_STATUS": 503}}])
def test_trouble_before_the_first_404(more: dict[str, Any]) -> None:
    """A 404 after trouble of the network is still the first one."""
    found, _ = visit({f"{M} v1.0.0.info": page("", MISSING, 404)}, event(**more))
    assert (outcome(found).code, outcome(found).delay) == (Code.PENDING, FRESH_DELAY)


def test_a_missing_go_mod() -> None:
    """A version is there only with both documents."""
    found, _ = visit({f"{M} v1.0.0.info": info(), f"{M} v1.0.0.mod": page("", MISSING, 404)})
    assert (outcome(found).code, found.records) == (Code.PENDING, [])


@pytest.mark.parametrize("version", ["", "master", "1.0.0", "v1.0.0/x", "v" + "1" * 250])
def test_junk(version: str) -> None:
    """What is no version is malformed, also when an operator brings it back; nobody is asked."""
    one = Event(VERSIONS.name, b"1", M, version, "version", 20)
    found, asked = visit({}, one)
    assert (found.outcomes[b"1"].code, asked, found.records) == (Code.MALFORMED, [], [])
    found, asked = visit({}, Event(VERSIONS.name, b"1", "no path", "v1.0.0", "version", 20))
    assert (found.outcomes[b"1"].code, asked) == (Code.MALFORMED, [])


def test_cached_only() -> None:
    """The first look asks for what is cached; what came back from an absence, and what is urgent, the proxy itself."""
    found, asked = visit(alone(), cached=True)
    assert all(one.url.startswith(CACHED) for one in asked)
    assert releases(found) == [(M, "v1.0.0")]
    for more in [*SECOND, {"urgent": True}]:
        files = served()
        found, asked = visit({f"{M} list": "v1.0.0"}, event(**more), cached=True, more=files)
        assert [one.url.startswith(CACHED) for one in asked] == [False, False, True]
        assert releases(found) == [(M, "v1.0.0")]


def test_what_the_proxy_has_to_fetch_first() -> None:
    """The proxy itself may take a minute to say no; what it has cached it says at once."""
    _, asked = visit({f"{M} list": "v1.0.0"}, event(urgent=True), cached=True, more=served())
    assert [min(one.timeout, one.silence or 0) >= 65 for one in asked] == [True, True, False]
    _, asked = visit(alone())
    assert all(min(one.timeout, one.silence or 0) >= 65 for one in asked)


def test_a_list_that_is_not_cached() -> None:
    """That a module's list is not cached says nothing of the module: it is asked for once more."""
    files = (
        served()
        | {f"{M} list": page("", UNCACHED, 404)}
        | {f"{M} v1.1.0.info": page("", UNCACHED, 404), f"{M} v1.1.0.mod": page("", UNCACHED, 404)}
    )
    found, _ = visit(files, cached=True, more={f"{M} list": "v1.0.0\nv1.1.0\n"} | served("v1.1.0"))
    assert described(found)[0].latest.version == "v1.1.0"


def test_a_list_that_is_gone() -> None:
    """A version exists by its own documents, whatever the list says; what is latest stays unknown."""
    found, _ = visit(served() | {f"{M} list": 404})
    assert (outcome(found).code, releases(found)) == (Code.COMPLETE, [(M, "v1.0.0")])
    assert (described(found)[0].latest.version, described(found)[0].latest.is_read) == ("", False)


def test_an_empty_list() -> None:
    """Without tagged versions `@latest` decides; without that, none is the latest."""
    version = "v0.0.0-20240506070809-abcdefabcdef"
    latest = "v0.0.0-20250506070809-abcdefabcdef"
    files = served(version) | {f"{M} list": "", f"{M} @latest": info(latest)} | served(latest)
    found, _ = visit(files, event(version))
    assert described(found)[0].latest.version == latest
    assert found.announcements == [Announcement(VERSIONS.name, M, latest, "latest")]
    found, _ = visit(files | {f"{M} @latest": 404}, event(version))
    assert (outcome(found, event(version)).code, described(found)[0].latest.version) == (Code.COMPLETE, "")


def test_all_retracted() -> None:
    """When the latest takes back all, there is none; what it says holds all the same."""
    mod = f"// Deprecated: gone\nmodule {M}\n\ngo 1.22\n\nretract [v0.0.0-0, v1.0.0] // sorry\n"
    found, _ = visit(alone(mod=mod) | {f"{M} @latest": 404})
    latest = described(found)[0].latest
    assert (latest.version, latest.raw, latest.deprecated, len(latest.retractions)) == ("", "v1.0.0", "gone", 1)
    assert latest.is_read


def test_latest_is_listed_but_gone() -> None:
    """A latest that cannot be had is none; its go.mod, where it can be had, holds all the same."""
    mod = f"module {M}\n\ngo 1.22\n\nretract v1.0.0 // sorry\n"
    files = served() | {f"{M} list": "v1.0.0\nv1.1.0\n", f"{M} v1.1.0.info": 404, f"{M} v1.1.0.mod": mod}
    found, _ = visit(files)
    latest = described(found)[0].latest
    assert (latest.version, latest.raw, len(latest.retractions), latest.is_read) == ("", "v1.1.0", 1, True)
    found, _ = visit(files | {f"{M} v1.1.0.mod": 404})
    assert (described(found)[0].latest.version, described(found)[0].latest.is_read) == ("", False)


def test_a_list_that_lags_behind() -> None:
    """A version younger than the list brings the module back when the mirror has renewed it, once."""
    old = {f"{M} list": "v1.0.0\n"} | served("v1.0.0")
    found, _ = visit(served("v1.1.0") | old, event("v1.1.0"))
    (again,) = [one for one in found.announcements if one.queue == MODULE.name]
    assert (again.name, again.fresh_for, again.facts) == (M, 0.0, {"wait": True})
    found, asked = visit({}, event("", facts={"wait": True}))
    assert asked == []
    assert outcome(found, event("")) == Outcome(Code.PENDING, delay=FRESH_DELAY)
    found, _ = visit(old, event("", attempts=1, facts={"wait": True}))
    assert (outcome(found, event("")).code, described(found)[0].latest.version) == (Code.COMPLETE, "v1.0.0")
    assert found.announcements == [Announcement(VERSIONS.name, M, "v1.0.0", "latest")]


def test_collect() -> None:
    """An event of `go collect` announces every version that the list names, and the latest where it names none."""
    one = event("", urgent=True, facts={"collect": True, "SOURCE": "seed"})
    files = {f"{M} list": "v1.1.0\nv1.0.0\nmaster\nv0.0.0-20240506070809-abcdefabcdef\n"} | served("v1.1.0")
    found, _ = visit(files, one)
    assert found.announcements == [
        Announcement(VERSIONS.name, M, version, "seed", urgent=True) for version in ("v1.0.0", "v1.1.0")
    ]
    assert outcome(found, one).code is Code.COMPLETE
    latest = "v0.0.0-20250506070809-abcdefabcdef"
    found, _ = visit({f"{M} list": "", f"{M} @latest": info(latest)} | served(latest), one)
    assert [(one.version, one.urgent) for one in found.announcements] == [(latest, True)]


def test_collect_again() -> None:
    """With resync, the versions are asked for again, and their pages too."""
    one = event("", resync=True, facts={"collect": True})
    files = served("v1.1.0") | alone() | {f"{M} list": "v1.0.0\nv1.1.0\n"}
    found, _ = visit(files, one, event(resync=True))
    assert [told.version for told in found.announcements if told.queue == VERSIONS.name] == ["v1.1.0"]
    by_queue = {told.queue: told for told in found.announcements}
    assert (by_queue[VERSIONS.name].resync, by_queue[PAGE.name].fresh_for) == (True, 0.0)
    assert [told.rewrite for told in found.records if isinstance(told, GoRelease)] == [True]


@pytest.mark.parametrize("status", [404, 410])
def test_collect_nothing(status: int) -> None:
    """A module of which the proxy has nothing is not found."""
    one = event("", facts={"collect": True})
    found, _ = visit({f"{M} list": status}, one)
    assert (outcome(found, one).code, outcome(found, one).status) == (Code.NOT_FOUND, status)
    found, _ = visit({f"{M} list": "", f"{M} @latest": 404}, one)
    assert outcome(found, one).code is Code.NOT_FOUND


@pytest.mark.parametrize("listing", ["", "master\nv1\x00\n"])
def test_why_there_is_nothing_to_collect(listing: str) -> None:
    """The reason is the go command's; a list is never shown for one."""
    one = event("", facts={"collect": True})
    found, _ = visit({f"{M} list": listing, f"{M} @latest": 404}, one)
    assert outcome(found, one).reason == "the proxy has no version of this module: no matching versions"


@pytest.mark.parametrize("latest", ["<html>", '{"Version":"master"}'])
def test_a_latest_that_says_nothing(latest: str) -> None:
    """An answer that cannot be read is no word on what exists: it is asked for again."""
    one = event("", facts={"collect": True})
    found, _ = visit({f"{M} list": "", f"{M} @latest": latest}, one)
    assert (outcome(found, one).code, outcome(found, one).status) == (Code.FAILED, 200)
    assert "@latest" in outcome(found, one).reason


def test_trouble_with_one_version() -> None:
    """Trouble with one version postpones it alone; the others are kept."""
    found, _ = visit(alone("v1.1.0") | {f"{M} v1.0.0.info": Unavailable("timed out")}, event(), event("v1.1.0"))
    assert (outcome(found).code, outcome(found).reason, outcome(found).delay) == (
        Code.PENDING,
        "Unavailable: timed out",
        60.0,
    )
    assert releases(found) == [(M, "v1.1.0")]
    assert len(described(found)) == 1


def test_trouble_in_a_row() -> None:
    """After three troubles in a row nobody is asked any more; all that is left is postponed."""
    events = [event(f"v1.{minor}.0") for minor in range(8)]
    files: dict[str, Any] = alone("v1.0.0")
    files |= {f"{M} v1.{minor}.0.info": Unavailable("HTTP 503", status=503) for minor in range(1, 8)}
    found, asked = visit(files, *events)
    assert [outcome(found, one).code for one in events] == [Code.COMPLETE] + [Code.PENDING] * 7
    assert outcome(found, events[7]).status == 503
    assert len([one for one in asked if one.url.endswith(".info")]) == 4


def test_trouble_here_and_there() -> None:
    """Troubles that are not in a row are those of their versions."""
    events = [event(f"v1.{minor}.0") for minor in range(6)]
    files: dict[str, Any] = {f"{M} list": "v1.5.0"}
    for place, one in enumerate(events):
        files |= served(one.version) if place in (2, 5) else {f"{M} {one.version}.info": Unavailable("timed out")}
    found, _ = visit(files, *events)
    assert releases(found) == [(M, "v1.2.0"), (M, "v1.5.0")]


def test_a_closed_lane() -> None:
    """A closed lane ends the visit at once, and is nobody's failure."""
    found, asked = visit({f"{M} v1.0.0.info": LaneClosed("go.proxy", "HTTP 403")}, event(), event("v1.1.0"))
    assert [(outcome(found, one).code, outcome(found, one).is_deferred) for one in (event(), event("v1.1.0"))] == [
        (Code.PENDING, True)
    ] * 2
    assert len(asked) == 1


@pytest.mark.parametrize("error", [Unavailable("HTTP 500", status=500), Malformed("too long"), 403])
def test_trouble_with_the_list(error: Any) -> None:
    """What was learnt of versions is kept though the list cannot be had; the module's own event then asks again."""
    found, _ = visit(served() | {f"{M} list": error if isinstance(error, Exception) else page("", "no", error)})
    assert (outcome(found).code, releases(found), described(found)) == (Code.COMPLETE, [(M, "v1.0.0")], [])
    assert [(one.queue, one.name) for one in found.announcements if one.queue == MODULE.name] == [(MODULE.name, M)]
    one = event("", facts={"collect": True})
    found, _ = visit({f"{M} list": error if isinstance(error, Exception) else page("", "no", error)}, one)
    assert outcome(found, one).code is (Code.FAILED if isinstance(error, Malformed) else Code.PENDING)
    assert found.announcements == []


@pytest.mark.parametrize("status", [400, 401, 403, 204, 301])
def test_no_answer(status: int) -> None:
    """Any other status says nothing of existence."""
    found, _ = visit({f"{M} v1.0.0.info": page("", "", status)})
    assert (outcome(found).code, outcome(found).status) == (Code.PENDING, status)


@pytest.mark.parametrize("is_urgent", [False, True])
def test_a_crowd(is_urgent: bool) -> None:
    """Of a module's thousands of events one visit takes some; the others come back at once, and as urgent as before."""
    versions = [f"v1.{minor}.0" for minor in range(MOST_EVENTS + 2)]
    files = {f"{M} list": "\n".join(versions)}
    for version in versions[:MOST_EVENTS] + versions[-1:]:
        files |= served(version)
    told = {"LAST_STATUS": 404}
    events = [event(version, urgent=is_urgent, attempts=1, facts=told) for version in versions]
    found, _ = run_visit(GoModules(PROXY, False, 4, 300).visit(events), proxy(files), at_most=5000)
    left = outcome(found, events[-1])
    assert len(releases(found)) == MOST_EVENTS
    assert (left.code, left.reason, left.status, left.is_deferred) == (Code.PENDING, "", 404, True)
    assert left.delay is None  # settling keeps it in front of the others


def test_what_was_stored_is_gone() -> None:
    """A stored version that is gone for good makes the module's latest a question again."""
    files = {f"{M} v1.0.0.info": page("", MISSING, 404), f"{M} list": "v0.9.0"} | served("v0.9.0")
    found, _ = visit(files, event(resync=True, attempts=1, facts={"LAST_STATUS": 404}))
    assert found.records[0] == GoAbsence(M, "v1.0.0")
    assert described(found)[0].latest.version == "v0.9.0"


STORED = {("versions that are stored", M): ["v1.0.0", "v1.1.0", "v1.2.0"]}


def absences(found: Found) -> list[str]:
    return [record.version for record in found.records if isinstance(record, GoAbsence)]


def test_a_version_that_the_proxy_drops() -> None:
    """A stored version that neither the list nor the proxy has any more is gone at this look; others stay."""
    one = event("", urgent=True, facts={"collect": True})
    files = {f"{M} list": "v1.0.0\nv1.1.0\n", f"{M} v1.2.0.info": 404} | served("v1.1.0")
    found, _ = visit(files, one, looks=STORED)
    assert absences(found) == ["v1.2.0"]
    assert described(found)[0].listed == 2
    still_served = files | served("v1.2.0")
    assert absences(visit(still_served, one, looks=STORED)[0]) == []
    not_cached = files | {f"{M} v1.2.0.info": Reply("", 404, b"not found: temporarily unavailable")}
    assert absences(visit(not_cached, one, looks=STORED)[0]) == []


def test_a_version_that_is_asked_for_again_and_dropped() -> None:
    """Its own event ends as not found at the same look, without half an hour of waiting."""
    files = {f"{M} list": "v1.0.0\nv1.1.0\n", f"{M} v1.2.0.info": 404} | served("v1.1.0")
    again = event("v1.2.0", resync=True)
    found, _ = visit(files, event("", urgent=True, facts={"collect": True}), again, looks=STORED)
    assert outcome(found, again).code is Code.NOT_FOUND
    assert absences(found) == ["v1.2.0"]


def test_a_whole_module_that_is_gone() -> None:
    """Its versions are gone if the proxy lists another stored module or, with none stored, speaks as a proxy does."""
    one = event("", urgent=True, facts={"collect": True})
    gone = {f"{M} list": 404} | {f"{M} v1.{number}.0.info": 404 for number in range(3)}
    found, _ = visit(gone, one, looks=STORED)
    assert (absences(found), outcome(found, one).failure) == ([], FailureCode.WRONG_UPSTREAM)
    told = gone | {f"{M} list": page("", MISSING, 404)}
    assert absences(visit(told, one, looks=STORED)[0]) == ["v1.0.0", "v1.1.0", "v1.2.0"]
    other = STORED | {("another module that is stored", M): "example.com/other"}
    found, _ = visit(gone | {"example.com/other list": "v1.0.0\n"}, one, looks=other)
    assert absences(found) == ["v1.0.0", "v1.1.0", "v1.2.0"]
    found, _ = visit(gone | {"example.com/other list": 404}, one, looks=other)
    assert absences(found) == []
    assert outcome(found, one).failure is FailureCode.WRONG_UPSTREAM


def test_a_module_that_moved() -> None:
    """The module says which path its newest version that moved declares."""
    files = {f"{M} list": "v1.0.0\nv1.1.0\n"} | served("v1.0.0")
    files |= {f"{M} v1.1.0.info": info("v1.1.0"), f"{M} v1.1.0.mod": "module example.org/new\n"}
    files |= {"example.org/new v1.1.0.info": 404}
    found, _ = visit(files, event("v1.0.0"), event("v1.1.0"))
    assert described(found)[0].moved_to == "example.org/new"
    assert described(visit(alone())[0])[0].moved_to is None


def test_the_latest_is_collected_too() -> None:
    """Whoever announced an old version: the one that is the latest becomes an event, so that it has a row."""
    files = {f"{M} list": "v1.0.0\nv1.9.0\n"} | served("v1.0.0") | served("v1.9.0")
    found, _ = visit(files, event("v1.0.0"))
    assert [one.version for one in found.announcements if one.queue == VERSIONS.name] == ["v1.9.0"]
