"""A checkout answers like a site, and never with a file that is not in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stook.datasets.checkout import Checkout, listed_files
from stook.engine.errors import Refused, UserError
from stook.engine.words import Request


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with files, a hidden folder, links and a pipe."""
    root = tmp_path / "ro ot"
    for name in ("b/x.xml", "b-a/y.xml", "a;b%.xml", "é.xml", ".git/config"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (tmp_path / "secret").write_text("secret")
    (root / "link.xml").symlink_to(tmp_path / "secret")
    (root / "out").symlink_to(tmp_path)
    os.mkfifo(root / "pipe.xml")
    (root / os.fsdecode(b"bad\xff.xml")).write_text("bytes")
    return root


def ask(root: Path, path: str, **options: int) -> tuple[int, bytes]:
    checkout = Checkout(root)
    reply = checkout.answer(Request(f"{checkout.url}{path}", **options))
    return reply.status, reply.body


def test_listing_leads_to_every_file(root: Path) -> None:
    """Regular files only, by component; each listed path is an address that answers with the file's bytes."""
    checkout = Checkout(root)
    paths = listed_files(checkout.answer(Request(checkout.url)))
    assert paths == ["a%3Bb%25.xml", "b/x.xml", "b-a/y.xml", "bad%FF.xml", "%C3%A9.xml"]
    bodies = [checkout.answer(Request(f"{checkout.url}{path}")).body.decode() for path in paths]
    assert bodies == ["a;b%.xml", "b/x.xml", "b-a/y.xml", "bytes", "é.xml"]
    assert listed_files(checkout.answer(Request(f"{checkout.url}b/"))) == ["x.xml"]


@pytest.mark.parametrize("path", ["missing", "missing/", "link.xml", "out/secret", "out/", "pipe.xml", "b/x.xml/"])
def test_what_is_not_there(root: Path, path: str) -> None:
    """Missing files, links and pipes are a 404."""
    assert ask(root, path)[0] == 404


@pytest.mark.parametrize(
    "path", ["../secret", "b/../../secret", "%2e%2e/secret", "..%2fsecret", "b%2f..%2f..%2fsecret"]
)
def test_nothing_outside(root: Path, path: str) -> None:
    """No spelling of an address leads out of the folder."""
    with pytest.raises(Refused, match="outside"):
        ask(root, path)
    with pytest.raises(Refused, match="outside"):
        Checkout(root).answer(Request("https://elsewhere.test/"))


def test_size_is_limited(root: Path) -> None:
    """A file larger than the request allows is refused."""
    assert ask(root, "b/x.xml", max_bytes=7)[0] == 200
    with pytest.raises(Refused, match="larger than 6"):
        ask(root, "b/x.xml", max_bytes=6)


def test_a_checkout_is_a_folder(tmp_path: Path) -> None:
    """The mistake is told to the user."""
    with pytest.raises(UserError, match="not a folder"):
        Checkout(tmp_path / "missing")
