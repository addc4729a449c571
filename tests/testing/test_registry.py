"""The loopback registry speaks HTTP as the real ones do: asked with plain clients, and by cargo itself."""

import http.client
import json
import os
import re
import shutil
import subprocess
import time
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from stook.testing import LoopbackRegistry, sample_world
from stook.testing.crates import index_path

AGENT = {"User-Agent": "stook-tests (+tests@keepers.example)"}


@pytest.fixture
def world():
    """A fresh sample world."""
    return sample_world()


@pytest.fixture
def registry(world):
    """It, served."""
    with LoopbackRegistry(world) as registry:
        yield registry


def get(url, **headers):
    """Status, headers in lower case, body."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    try:
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request("GET", target, headers={name.replace("_", "-"): value for name, value in headers.items()})
        reply = connection.getresponse()
        return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read()
    finally:
        connection.close()


def api(registry, name, **headers):
    """Status and page of a crate."""
    status, _, body = get(f"{registry.api_url}/api/v1/crates/{name}", **(AGENT | headers))
    return status, json.loads(body)


def test_index_file_and_its_validators(registry, world):
    """A file comes as text with validators; asked with either of them, it is a 304 until it changes."""
    url = registry.index_url + "1/o"
    status, headers, body = get(url)
    assert (status, headers["content-type"], len(body.splitlines())) == (200, "text/plain", 3)
    assert get(url, If_None_Match=headers["etag"])[::2] == (304, b"")
    assert get(url, If_Modified_Since=headers["last-modified"])[::2] == (304, b"")
    world.yank("o", "1.0.0")
    assert get(url, If_None_Match=headers["etag"])[0] == 200


def test_index_paths_are_exact(registry):
    """Lower case and the true separators, or 404."""
    status = {
        path: get(registry.index_url + path)[0] for path in ("be/ac/beaconry", "be/ac/Beaconry", "ti/de/tide-tables")
    }
    assert status == {"be/ac/beaconry": 200, "be/ac/Beaconry": 404, "ti/de/tide-tables": 404}
    assert get(registry.index_url + "3/n/nix")[0] == 404


def test_a_crate_without_versions_has_no_file(registry, world):
    """Gone is 404, for a deleted crate as for one that lost its last version."""
    world.publish("flotsam", "0.1.0")
    assert get(registry.index_url + "fl/ot/flotsam")[0] == 200
    world.delete_version("flotsam", "0.1.0")
    assert get(registry.index_url + "fl/ot/flotsam")[0] == 404
    world.delete_crate("oar")
    assert get(registry.index_url + "3/o/oar")[0] == 404


def test_api_finds_any_spelling_and_says_the_true_one(registry):
    """Case and separators do not matter; the answer names the crate as it is."""
    status, page = api(registry, "night-LOG_book")
    assert (status, page["crate"]["name"]) == (200, "Night_Log-Book")
    assert api(registry, "nix")[0] == 404


def test_api_page_is_whole(registry, world):
    """All versions, newest row first, with licence, dates to the microsecond and yank messages."""
    page = api(registry, "keeper")[1]
    assert [version["num"] for version in page["versions"]] == [
        release.version for release in reversed(world.crate("keeper").releases)
    ]
    asleep = next(version for version in page["versions"] if version["num"] == "1.2.0")
    assert (asleep["yanked"], asleep["yank_message"]) == (True, "Fell asleep again")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", asleep["created_at"])
    assert page["crate"]["default_version"] == "1.3.0"
    assert page["crate"]["max_version"] == "2.0.0-alpha.1"
    assert page["crate"]["downloads"] == sum(version["downloads"] for version in page["versions"])


def test_api_include(registry):
    """Without versions, the deprecated maxima are the registry's zeros; an unknown part is a 400."""
    page = api(registry, "keeper?include=")[1]
    assert (page["versions"], page["crate"]["max_version"], page["crate"]["default_version"]) == (
        None,
        "0.0.0",
        "1.3.0",
    )
    assert [version["num"] for version in api(registry, "keeper?include=default_version")[1]["versions"]] == ["1.3.0"]
    assert api(registry, "keeper?include=barnacles")[0] == 400


def test_api_maxima_pass_over_what_is_yanked(registry):
    """The registry's four ideas of the latest version differ, and all yanked is zero again."""
    crate = api(registry, "storm-glass")[1]["crate"]
    assert (crate["max_version"], crate["max_stable_version"], crate["yanked"]) == ("0.3.0-beta.2", None, False)
    crate = api(registry, "driftwood-buoys")[1]["crate"]
    assert (crate["max_version"], crate["newest_version"], crate["yanked"]) == ("0.0.0", "0.0.0", True)
    assert crate["default_version"] == "0.3.0"
    assert api(registry, "harbourmaster")[1]["crate"]["newest_version"] == "1.2.0"


def test_api_wants_to_know_who_asks(registry):
    """No User-Agent, no answer; the index does not mind."""
    status, _, body = get(f"{registry.api_url}/api/v1/crates/keeper")
    assert status == 403
    assert "User-Agent" in json.loads(body)["errors"][0]["detail"]


def test_api_owners(registry):
    """Owners come as users."""
    assert api(registry, "keeper/owners")[1]["users"][0]["login"] == "keepers"


def test_feed_shows_what_was_published(registry, world):
    """The newest publish stands first; a yank is not news."""
    world.publish("flotsam", "0.1.0+a")
    world.yank("o", "1.0.0")
    _, headers, body = get(registry.static_url + "/rss/updates.xml")
    items = re.findall(rb"<crates:name>(.+?)</crates:name><crates:version>(.+?)</crates:version>", body)
    assert items[0] == (b"flotsam", b"0.1.0+a")
    assert len(items) == 100
    assert headers["content-type"].startswith("text/xml")


def test_every_file_of_the_sample_is_served(registry, world):
    """Each crate's path answers, and every line but the spoilt one is JSON."""
    bad = 0
    for key in world.crates:
        status, _, body = get(registry.index_url + index_path(world.crates[key].name))
        assert status == 200
        bad += sum(b"~~~" in line or not json.loads(line) for line in body.splitlines())
    assert bad == 1


def test_go_index_pages(registry, world):
    """Inclusive `since`, `limit`, and withdrawn versions only for who asks for all."""
    base = registry.go_index_url + "/index"
    rows = [json.loads(line) for line in get(base)[2].splitlines()]
    assert len(rows) == len(world.go.events) - 1
    assert len(get(base + "?include=all")[2].splitlines()) == len(world.go.events)
    assert [json.loads(line) for line in get(f"{base}?since={rows[5]['Timestamp']}&limit=2")[2].splitlines()] == rows[
        5:7
    ]
    assert get(base + "?since=2030-01-01T00:00:00Z")[::2] == (200, b"")
    assert get(base + "?since=yesterday")[0] == 400


@pytest.mark.parametrize(
    ("path", "status", "start"),
    [
        ("github.com/keepers-guild/lamp/@v/list", 200, b"v0.1.0\nv0.2.0\nv0.3.0-rc.1\nv0.3.0-RC.2\n"),
        ("github.com/keepers-guild/lamp/@latest", 200, b'{"Version":"v1.2.0","Time":"'),
        ("github.com/keepers-guild/lamp/@v/v0.3.0-!r!c.2.info", 200, b'{"Version":"v0.3.0-RC.2"'),
        ("github.com/keepers-guild/lamp/@v/v0.3.0-%21r%21c.2.info", 200, b'{"Version":"v0.3.0-RC.2"'),
        ("github.com/keepers-guild/lamp/@v/v0.3.0-RC.2.info", 404, b"bad request: invalid escaped version"),
        ("github.com/!keepers-!guild/!foghorn/@v/v0.1.0.mod", 200, b"module github.com/keepers-guild/foghorn\n"),
        ("github.com/keepers-guild/knots/@v/v2.0.0+incompatible.mod", 200, b"module github.com/keepers-guild/knots\n"),
        ("github.com/keepers-guild/lamp/@v/v0.2.0.info", 404, b"not found: "),
        ("github.com/deep/kraken/@v/v0.0.1.info", 404, b"not found: github.com/deep/kraken@v0.0.1: invalid version"),
        ("github.com/deep/kraken/@v/list", 200, b""),
        ("github.com/deep/kraken/@latest", 200, b'{"Version":"v0.0.0-20231107000000-777777777777"'),
        ("github.com/deep/nix/@v/list", 404, b"not found: "),
    ],
)
def test_go_proxy(registry, path, status, start):
    """The proxy's routes, escaped names and kinds of absence."""
    got = get(f"{registry.go_proxy_url}/{path}")
    assert (got[0], got[2][: len(start)]) == (status, start)


def test_go_proxy_cached_only(registry):
    """What is not cached is temporarily unavailable below /cached-only, and served elsewhere."""
    path = "github.com/deep/kraken/@v/v0.0.0-20231031000000-666666666666.info"
    assert get(f"{registry.go_proxy_url}/{path}")[0] == 200
    status, _, body = get(f"{registry.go_proxy_url}/cached-only/{path}")
    assert (status, body) == (404, b"not found: temporarily unavailable")
    assert get(f"{registry.go_proxy_url}/{path}", Disable_Module_Fetch="true")[0] == 404


def test_pkgsite_knows_few(registry):
    """A page for the chosen modules, 404 for the rest; licences when asked for."""
    base = registry.pkgsite_url + "/v1/module/"
    page = json.loads(get(base + "tides.example/tide?licenses=true")[2])
    assert (page["version"], page["licenses"][0]["types"]) == ("v0.2.0", ["Apache-2.0", "MIT"])
    assert get(base + "github.com/deep/kraken")[0] == 404


def test_the_log_tells_who_asked_what(registry):
    """Start, method, path with query, status, agent, and whether it was conditional."""
    before = time.monotonic()
    get(registry.index_url + "1/o", **AGENT, If_None_Match='"x"')
    api(registry, "o?include=")
    first, second = registry.requests
    assert first[1:] == ("GET", "/crates-index/1/o", 200, AGENT["User-Agent"], True)
    assert second.path == "/crates-api/api/v1/crates/o?include="
    assert before <= first.started <= second.started <= time.monotonic()


def test_one_connection_serves_many(registry):
    """Keep-alive: request after request on one connection, 304 and 404 among them."""
    connection = http.client.HTTPConnection(urlsplit(registry.index_url).netloc, timeout=10)
    seen = []
    for path in ("1/o", "3/n/nix", "config.json", "1/o"):
        connection.request("GET", f"/crates-index/{path}")
        reply = connection.getresponse()
        reply.read()
        seen.append((reply.status, connection.sock.getsockname()))
    connection.close()
    assert [status for status, _ in seen] == [200, 404, 200, 200]
    assert len({address for _, address in seen}) == 1


def test_faults_come_and_go(registry):
    """A rule with `first` spoils so many matching requests; clearing ends all rules."""
    registry.fault("/1/o$", "status", status=429, headers={"Retry-After": "1"}, first=1)
    registry.fault("^/crates-api/", "status", status=403)
    url = registry.index_url + "1/o"
    assert [get(url)[0], get(url)[0]] == [429, 200]
    assert get(registry.api_url + "/api/v1/crates/o", **AGENT)[0] == 403
    registry.clear_faults()
    assert api(registry, "o")[0] == 200


def test_faults_of_the_connection(registry):
    """A reset is a reset, and a truncated body is short of its length."""
    registry.fault("/1/o$", "reset", first=1)
    with pytest.raises(ConnectionResetError):
        get(registry.index_url + "1/o")
    registry.fault("/1/o$", "truncate", first=1)
    with pytest.raises(http.client.IncompleteRead):
        get(registry.index_url + "1/o")
    assert [seen.status for seen in registry.requests] == [0, 200]


def test_a_drip_arrives_whole(registry):
    """Slow, but complete."""
    whole = get(registry.index_url + "1/o")[2]
    registry.fault("/1/o$", "drip", seconds=0.02)
    assert get(registry.index_url + "1/o")[2] == whole


@pytest.mark.parametrize(
    "head", [b"nonsense\r\n\r\n", b"POST /crates-index/1/o HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"]
)
def test_strange_requests_are_refused(registry, head):
    """What this registry does not serve gets a status, not a crash."""
    connection = http.client.HTTPConnection(urlsplit(registry.index_url).netloc, timeout=10)
    connection.connect()
    connection.sock.sendall(head)
    assert re.match(rb"HTTP/1\.1 4\d\d ", connection.sock.recv(64))
    connection.close()


def test_leaving_the_block_closes_everything(world):
    """After the block nobody answers, although a client kept its connection open."""
    with LoopbackRegistry(world) as registry:
        connection = http.client.HTTPConnection(urlsplit(registry.index_url).netloc, timeout=10)
        connection.request("GET", "/crates-index/1/o")
        connection.getresponse().read()
    assert connection.sock.recv(1) == b""
    connection.close()
    with pytest.raises(ConnectionRefusedError):
        get(registry.index_url + "1/o")


@pytest.mark.skipif(not shutil.which("cargo"), reason="cargo is not installed")
def test_cargo_resolves_against_it(registry, tmp_path):
    """The real client accepts the index: a small manifest gets its lock file, checksums and all."""
    write_manifest(tmp_path, 'keeper = { version = "1", features = ["retrofit", "night-sky", "loud"] }\nbuoys = "0.1"')
    assert "no matching package named `buoys`" in cargo(registry, tmp_path).stderr
    write_manifest(
        tmp_path, 'keeper = { version = "1", features = ["retrofit", "night-sky", "loud"] }\nNight_Log-Book = "*"'
    )
    done = cargo(registry, tmp_path)
    assert done.returncode == 0, done.stderr
    lock = tomllib.loads((tmp_path / "Cargo.lock").read_text())
    packages = {(item["name"], item["version"]): item.get("checksum") for item in lock["package"]}
    assert packages["keeper", "1.3.0"] == registry.world.crate("keeper").release("1.3.0").checksum
    assert {
        ("fresnel-lens", "1.2.2"),
        ("fresnel-lens", "2.2.0"),
        ("o", "1.1.0"),
        ("barnacle-sys", "1.2.0+lib.3.5.0"),
    } <= set(packages)
    assert all(seen.path.startswith("/crates-index/") for seen in registry.requests)


@pytest.mark.skipif(not shutil.which("cargo"), reason="cargo is not installed")
def test_cargo_can_resolve_every_crate_that_is_not_wholly_yanked(registry, world, tmp_path):
    """Whichever default version one asks for, its dependencies can be met."""
    wanted = [
        crate.name for crate in world.crates.values() if crate.name not in ("driftwood-buoys", "message-in-a-bottle")
    ]
    default = {name: api(registry, name)[1]["crate"]["default_version"] for name in wanted}
    # Cargo allows one crate a native library, and treats build metadata in a requirement with a warning.
    write_manifest(tmp_path, "\n".join(f'{name} = "={version.partition("+")[0]}"' for name, version in default.items()))
    done = cargo(registry, tmp_path)
    assert done.returncode == 0, done.stderr


def write_manifest(folder, dependencies):
    """An empty library with these dependencies."""
    (folder / "src").mkdir(exist_ok=True)
    (folder / "src" / "lib.rs").write_text("")
    text = f'[package]\nname = "islet"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n{dependencies}\n'
    (folder / "Cargo.toml").write_text(text)


def cargo(registry, folder):
    """Run `cargo generate-lockfile` with the registry in the place of crates.io."""
    options = ["--config", 'source.crates-io.replace-with="loopback"']
    options += ["--config", f'source.loopback.registry="sparse+{registry.index_url}"']
    rustup = {"RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup"))}
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "CARGO_HOME": str(folder / "cargo-home"), **rustup}
    command = [shutil.which("cargo"), "generate-lockfile", *options]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)
