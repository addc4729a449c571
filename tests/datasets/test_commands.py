"""`stook data`: catalogues fetched, found, checked and compared from a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from stook.cli.main import stook

XML = """<registry xmlns="http://www.iana.org/assignments" id="{root}"><title>[b]{root}[/b]</title>
<created>2001-02-03</created><registry id="a"><title>\x1b[31mred</title></registry></registry>"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of three registries in the working folder."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "checkout"
    folder.mkdir()
    for root in ("tls", "dns", "tls-a"):
        (folder / f"{root}.xml").write_text(XML.format(root=root).replace("\x1b", ""))
    return folder


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(stook, ["data", *arguments], prog_name="stook")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, f"{result.exit_code}\n{result.stdout}\n{result.stderr}"
    return result


def report(*arguments: str, code: int = 0) -> Any:
    return json.loads(run(*arguments, "--json", code=code).stdout)


def test_list() -> None:
    """Every flavour with its prefixes."""
    assert "iana-registries" in run("list").stdout
    assert [one["name"] for one in report("list")] == ["iana", "ietf", "xsf"]


def test_fetch_find_verify(source: Path) -> None:
    """A catalogue is fetched, nothing is wrong with it, and its documents are found."""
    assert "6 found: 6 written" in run("fetch", "iana", "--from", "checkout").stdout
    assert report("fetch", "iana", "--from", "checkout", "--digests")["kept"] == 6
    assert report("fetch", "iana", "--from", "checkout", "--digests")["skipped"] == 6
    assert "nothing is wrong" in run("verify").stdout
    assert (
        "[b]tls[/b]" in run("find", "IANA tls-a/a").stdout or "created 2001-02-03" in run("find", "IANA tls-a/a").stdout
    )
    assert [one["id"] for one in report("find", "IANA tls")] == ["tls", "tls/a"]
    assert report("find", "IANA none", code=1) == []
    assert "no document" in run("find", "none", "--flavour", "iana", code=1).stdout


@pytest.mark.parametrize("form", ["xml", "bibxml", "json"])
def test_other_formats(source: Path, form: str) -> None:
    """Every format can be fetched, found and verified."""
    run("fetch", "iana", "--from", "checkout", "--format", form)
    assert "data/dns." in run("find", "dns", "--flavour", "iana").stdout
    assert report("find", "dns", "--flavour", "iana")[0]["id"] == "dns"
    run("verify")


def test_prune(source: Path) -> None:
    """A record that is gone stays until its deletion is allowed, by number where it is many."""
    run("fetch", "iana", "--from", "checkout")
    (source / "dns.xml").unlink()
    assert report("fetch", "iana", "--from", "checkout")["pruned"] == []
    assert "not done" in run("fetch", "iana", "--from", "checkout", "--prune").stdout
    assert report("fetch", "iana", "--from", "checkout", "--allow-prune", "1")["pruned"] == []
    assert report("fetch", "iana", "--from", "checkout", "--allow-prune", "2")["pruned"] == ["dns-a.yaml", "dns.yaml"]


def test_failures_are_told(source: Path) -> None:
    """A broken file makes the exit code 1, a set that is too small too; the records stay."""
    run("fetch", "iana", "--from", "checkout")
    (source / "tls.xml").write_text("<registry")
    assert "1 failed" in run("fetch", "iana", "--from", "checkout", code=1).stdout
    for path in source.iterdir():
        path.unlink()
    assert "refused" in run("fetch", "iana", "--from", "checkout", code=1).stdout
    assert len(list(Path("data").glob("*.yaml"))) == 6


def test_verify_and_diff_tell_by_exit_code(source: Path) -> None:
    """Both are usable in a script."""
    run("fetch", "iana", "--from", "checkout", "--output", "one/data")
    run("fetch", "iana", "--from", "checkout", "--output", "two/data")
    assert "no difference" in run("diff", "one", "two").stdout
    Path("two/data/dns.yaml").write_text("a: [")
    assert report("diff", "one", "two", code=1) == [{"kind": "changed", "docid": "dns"}]
    assert "changed" in run("diff", "one", "two", code=1).stdout
    assert [one["subject"] for one in report("verify", "two", code=1)] == ["dns"]
    assert "dns" in run("verify", "two", code=1).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["fetch", "nope", "--from", "checkout"],
        ["fetch", "iana", "--from", "missing"],
        ["fetch", "iana"],
        ["find", "ISO 1"],
        ["find", "IANA tls"],
        ["verify", "missing"],
        ["diff", "missing", "missing"],
    ],
)
def test_mistakes_are_one_sentence(source: Path, arguments: list[str]) -> None:
    """Exit code 2, and what to do."""
    assert "Error: " in run(*arguments, code=2).stderr
