"""The JSON API's answer: what is taken from it, and what is refused."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from stook.engine.errors import Malformed
from stook.registries.cargo.api import read_crate
from stook.registries.cargo.records import Enrichment


def answer(crate: dict[str, Any] | None = None, *versions: dict[str, Any], **more: Any) -> bytes:
    """An answer about the crate `oar`."""
    return json.dumps({"crate": {"name": "oar"} | (crate or {}), "versions": list(versions)} | more).encode()


def read(body: bytes) -> Enrichment:
    found = read_crate("oar", body)
    assert found is not None
    return found


def test_facts() -> None:
    """Crate and versions bring their facts; lists are JSON text, times naive UTC."""
    version = {"num": "1.0.0", "license": "MIT", "created_at": "2020-01-02T03:04:05.678901Z", "crate_size": 12}
    found = read(answer({"keywords": ["a", "ü"], "repository": "https://git.example/o", "downloads": 7}, version))
    assert found.product.keywords == '["a","ü"]'
    assert json.loads(found.product.scm or "") == {"type": "git", "url": "https://git.example/o"}
    assert found.product.downloads == 7
    (facts,) = found.versions
    assert (facts.version, facts.license, facts.size) == ("1.0.0", "MIT", 12)
    assert facts.published == datetime(2020, 1, 2, 3, 4, 5, 678901)


USER = {"login": "ann", "name": "Ann"}
YANK = {"action": "yank", "user": {"login": "bob"}, "time": "2024-05-06T07:08:09Z"}
UNYANK = {"action": "unyank", "user": {"login": "ann"}, "time": "2024-06-06T07:08:09Z"}


@pytest.mark.parametrize(
    ("actions", "by", "at"),
    [
        ([{"action": "publish"}, YANK], "bob", datetime(2024, 5, 6, 7, 8, 9)),
        ([YANK, UNYANK], None, None),
        ([YANK, UNYANK, YANK | {"user": None}], None, datetime(2024, 5, 6, 7, 8, 9)),
        ([], None, None),
    ],
)
def test_who_did_what(actions: list[Any], by: str | None, at: datetime | None) -> None:
    """Who published a version, who yanked it when, as long as it is yanked, and what it builds."""
    more = {"published_by": USER, "audit_actions": actions, "bin_names": ["oar"], "has_lib": False}
    (facts,) = read(answer(None, {"num": "1.0.0"} | more)).versions
    assert (facts.published_by, facts.yanked_by, facts.yanked_at) == ("ann", by, at)
    assert (facts.bin_names, facts.has_lib) == ('["oar"]', 0)


@pytest.mark.parametrize("extra", [{}, {"license": None, "yank_message": None, "edition": None, "downloads": None}])
def test_missing_and_null(extra: dict[str, Any]) -> None:
    """A missing fact and a null one are the same: nothing is told."""
    (facts,) = read(answer(None, {"num": "1.0.0"} | extra)).versions
    assert (facts.license, facts.yank_message, facts.edition, facts.downloads, facts.published) == (None,) * 5


@pytest.mark.parametrize("versions", [None, []])
def test_without_versions(versions: list[Any] | None) -> None:
    """An answer without versions still tells of the crate."""
    assert read(answer({"description": "x"}, versions=versions)).versions == ()


@pytest.mark.parametrize(("name", "is_ours"), [("oar", True), ("OAR", True), ("o-ar", False), ("paddle", False)])
def test_fuzzy_look_up(name: str, is_ours: bool) -> None:
    """The API folds case and separators; only the crate that was asked for counts."""
    assert (read_crate("oar", answer({"name": name})) is not None) is is_ours


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://github.com/a/b", "git"),
        ("https://hg.example.org/a", "hg"),
        ("https://svn.example.org/a", "svn"),
        ("git@host:a", "git"),
    ],
)
def test_scm(url: str, kind: str) -> None:
    """A repository is git unless its host says otherwise."""
    assert json.loads(read(answer({"repository": url})).product.scm or "") == {"type": kind, "url": url}


def test_nul_characters_do_not_get_in() -> None:
    """No text or list brings a NUL, which PostgreSQL cannot hold."""
    crate = {"description": "a\0b", "keywords": ["k\0"], "categories": ["c\0"], "repository": "https://x/\0"}
    version = {"num": "1.0.0", "license": "M\0IT", "yank_message": "\0"}
    found = read(answer(crate, version))
    told = [found.product.description, found.versions[0].license, found.versions[0].yank_message]
    lists = [found.product.keywords, found.product.categories, found.product.scm]
    assert not any("\0" in (text or "") for text in told)
    assert not any("\\u0000" in (text or "") for text in lists)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        b'{"crate": null}',
        b'{"crate": {"name": 7}}',
        b'{"crate": {"name": "oar\xff"}}',
        b'{"crate": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)
def test_malformed(body: bytes) -> None:
    """An answer that is none, or that does not tell which crate it is about, is Malformed."""
    with pytest.raises(Malformed):
        read_crate("oar", body)


@pytest.mark.parametrize(
    ("odd", "field"),
    [
        ({"created_at": "yesterday"}, "created_at"),
        ({"created_at": "9999-12-31T23:59:59-05:00"}, "created_at"),
        ({"created_at": 7}, "created_at"),
        ({"downloads": -1}, "downloads"),
        ({"downloads": 2**63}, "downloads"),
        ({"crate_size": 2**70}, "crate_size"),
        ({"crate_size": "12"}, "crate_size"),
        ({"edition": 2021}, "edition"),
        ({"edition": "x" * 17}, "edition"),
        ({"description": ["a"]}, "description"),
    ],
)
def test_an_odd_value_costs_itself(odd: dict[str, Any], field: str) -> None:
    """A value that cannot be read is left out and named; all other values and versions are kept."""
    found = read(answer({"downloads": 5}, {"num": "1.0.0", "license": "MIT"} | odd, {"num": "1.1.0", "license": "ISC"}))
    assert [(facts.version, facts.license) for facts in found.versions] == [("1.0.0", "MIT"), ("1.1.0", "ISC")]
    assert found.product.downloads == 5
    assert [field in what and "1.0.0" in what for what in found.odd] == [True]


def test_an_odd_value_of_the_crate() -> None:
    """The crate's own values are read one by one, too; half a surrogate pair is no text."""
    body = answer({"description": ["a"], "homepage": "\ud800h", "downloads": -4}, {"num": "1.0.0"})
    found = read(body)
    assert (found.product.homepage, found.product.description, found.product.downloads) == ("\ufffdh", None, None)
    assert len(found.odd) == 2
    assert [facts.version for facts in found.versions] == ["1.0.0"]


def test_a_version_without_a_number_is_left_out() -> None:
    """Facts that belong to no version are named, and the others are kept."""
    found = read(answer(None, {"license": "MIT"}, {"num": "1.1.0", "license": "ISC"}))
    assert [facts.version for facts in found.versions] == ["1.1.0"]
